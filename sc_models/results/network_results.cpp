#include "sc_models/results/network_results.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "sc_models/common/csv.h"
#include "sc_models/common/error.h"
#include "sc_models/common/text_table.h"
#include "sc_models/common/version_info.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/network_study/layer_limit.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Work of a unit in a kernel, from its percentage of peak.
double done_by(const Json& kernel, const char* unit, double peak) {
    for (const Json& share : kernel.at("percent_of_peak")) {
        if (share.at("unit") != unit) continue;
        return share.at("percent").get<double>() / 100 * peak * kernel.at("cycles").get<double>();
    }
    return 0;
}

/// Cycles with every kernel launched behind another; the run itself launched its first kernel on an
/// idle machine.
double cycles_of(const Json& metrics, const LayerLimit& limit) {
    if (metrics.contains("warm_cycles")) return metrics.at("warm_cycles");
    const double cycles = metrics.contains("cycles_of_all_kernels")
                              ? metrics.at("cycles_of_all_kernels").get<double>()
                              : metrics.at("cycles").get<double>();
    return cycles - limit.idle_launch_cycles;
}

LayerLimit limit_of(const fs::path& folder, const Json& kernels, std::uint32_t sms) {
    try {
        return layer_limit(kernels, sms);
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("{}: {}", (folder / "result.json").string(), error.what()));
    }
}

/// Adds the run in `folder` to the time of a layer; the first run determines the limit.
void add_run(const fs::path& folder, std::uint32_t sms, const MachinePeaks& peaks,
             NetworkLayerTime& time) {
    const Json result = read_result(folder);
    const Json& kernels = result.at("kernels");
    const LayerLimit limit = limit_of(folder, kernels, sms);
    double squares = 0;
    double l2_bytes = 0;
    double dram_bytes = 0;
    for (const Json& kernel : kernels) {
        const double width =
            kernel.contains("sample") ? kernel["sample"].at("half_width_cycles").get<double>() : 0;
        squares += width * width;
        l2_bytes += done_by(kernel, kL2Unit, peaks.l2_bytes);
        dram_bytes += done_by(kernel, kDramUnit, peaks.dram_bytes);
        time.on_lanes = time.on_lanes || done_by(kernel, kFp32Unit, peaks.fp32_flop) > 0;
    }
    const bool checked = result.at("verification").at("checked");
    if (time.by_seed.empty()) {
        time.kernel = limit.kernel;
        time.bound_by = limit.text;
        time.launch_cycles = limit.launch_cycles;
        time.checked = checked;
    }
    time.checked = time.checked && checked;
    // Running means over the seeds.
    const auto before = static_cast<double>(time.by_seed.size());
    const auto include = [before](double& mean, double next) {
        mean += (next - mean) / (before + 1);
    };
    include(time.l2_bytes, l2_bytes);
    include(time.dram_bytes, dram_bytes);
    include(time.sample_width, std::sqrt(squares));
    time.by_seed.push_back(cycles_of(result.at("metrics"), limit));
}

std::string zeros_cell(double fraction) {
    return fraction < 0 ? "-" : number_cell(100 * fraction);
}

double width_of(const Estimate& estimate) {
    return estimate.half_width.value_or(0);
}

/// A number with its interval, both divided by `unit`.
std::string interval_cell(const Estimate& estimate, int decimals, double unit = 1) {
    std::string cell = number_cell(estimate.mean / unit, decimals);
    if (estimate.half_width) {
        cell += " +- " + number_cell(*estimate.half_width / unit, decimals);
    }
    return cell;
}

}  // namespace

NetworkResults::NetworkResults(const NetworkStudy& study) : study_(study) {
    for (const NetworkLayer& layer : study.layers()) {
        if (!layer.refused.empty()) continue;
        layers_.push_back(&layer);
        std::vector<NetworkLayerTime> times;
        for (std::size_t v = 0; v < layer.runs.size(); ++v) {
            const std::optional<std::size_t>& run = layer.runs[v];
            if (!run) {
                times.push_back(times.at(0));
                times.back().own = false;
                continue;
            }
            NetworkLayerTime time;
            for (std::size_t i = 0; i < study.runs_each(); ++i) {
                add_run(study.out() / study.runs()[*run + i].folder, study.sms(v), study.peaks(v),
                        time);
            }
            time.own = true;
            sample_widths_[*run] = time.sample_width;
            times.push_back(std::move(time));
        }
        times_.push_back(std::move(times));
    }
}

std::size_t NetworkResults::run_of(std::size_t layer, std::size_t variant) const {
    const auto& runs = layers_[layer]->runs;
    return runs[variant].value_or(runs[0].value_or(0));
}

/// Combines errors by the root of the sum of squares: those of different samples are independent of
/// each other and of the seeds.
Estimate NetworkResults::over_seeds(const OfSeed& number, const Slopes& slopes) const {
    std::vector<double> numbers;
    for (std::size_t seed = 0; seed < study_.runs_each(); ++seed) numbers.push_back(number(seed));
    Estimate estimate = *estimate_of(numbers);
    double squares = 0;
    for (const auto& [run, slope] : slopes) squares += std::pow(slope * sample_widths_.at(run), 2);
    if (squares > 0) estimate.half_width = std::hypot(width_of(estimate), std::sqrt(squares));
    return estimate;
}

double NetworkResults::cycles_of_seed(std::size_t layer, std::size_t variant, std::size_t seed,
                                      Launches launches) const {
    const NetworkLayerTime& time = times_[layer][variant];
    const double cycles = time.by_seed[seed];
    if (launches == Launches::kOwn) return cycles;
    return cycles - time.launch_cycles + times_[layer][0].launch_cycles;
}

double NetworkResults::mean_cycles(std::size_t layer, std::size_t variant,
                                   Launches launches) const {
    double sum = 0;
    const std::size_t seeds = times_[layer][variant].by_seed.size();
    for (std::size_t seed = 0; seed < seeds; ++seed) {
        sum += cycles_of_seed(layer, variant, seed, launches);
    }
    return sum / static_cast<double>(seeds);
}

Estimate NetworkResults::cycles(std::size_t layer, std::size_t variant) const {
    return over_seeds([&](std::size_t seed) { return times_[layer][variant].by_seed[seed]; },
                      {{run_of(layer, variant), 1}});
}

Estimate NetworkResults::speedup(std::size_t layer, std::size_t variant, Launches launches) const {
    const double alone = mean_cycles(layer, 0);
    const double with = mean_cycles(layer, variant, launches);
    Slopes slopes;
    slopes[run_of(layer, 0)] += 1 / with;
    slopes[run_of(layer, variant)] -= alone / with / with;
    return over_seeds(
        [&](std::size_t seed) {
            return times_[layer][0].by_seed[seed] / cycles_of_seed(layer, variant, seed, launches);
        },
        slopes);
}

double NetworkResults::sum_of_seed(const std::vector<std::size_t>& variants, std::size_t seed,
                                   Launches launches) const {
    double sum = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        sum += cycles_of_seed(i, variants[i], seed, launches);
    }
    return sum;
}

Estimate NetworkResults::sum(const std::vector<std::size_t>& variants) const {
    Slopes slopes;
    for (std::size_t i = 0; i < times_.size(); ++i) slopes[run_of(i, variants[i])] += 1;
    return over_seeds([&](std::size_t seed) { return sum_of_seed(variants, seed, Launches::kOwn); },
                      slopes);
}

Estimate NetworkResults::ratio(const std::vector<std::size_t>& variants, Launches launches) const {
    const std::vector<std::size_t> alone(times_.size(), 0);
    double time_alone = 0;
    double time_with = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        time_alone += mean_cycles(i, 0);
        time_with += mean_cycles(i, variants[i], launches);
    }
    Slopes slopes;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        slopes[run_of(i, 0)] += 1 / time_with;
        slopes[run_of(i, variants[i])] -= time_alone / time_with / time_with;
    }
    return over_seeds(
        [&](std::size_t seed) {
            return sum_of_seed(alone, seed, Launches::kOwn) / sum_of_seed(variants, seed, launches);
        },
        slopes);
}

std::vector<std::size_t> NetworkResults::faster_variants(std::size_t variant,
                                                         Launches launches) const {
    std::vector<std::size_t> variants(times_.size(), 0);
    for (std::size_t i = 0; i < times_.size(); ++i) {
        if (mean_cycles(i, variant, launches) < mean_cycles(i, 0)) variants[i] = variant;
    }
    return variants;
}

Estimate NetworkResults::total_cycles(std::size_t variant) const {
    return sum(std::vector<std::size_t>(times_.size(), variant));
}

Estimate NetworkResults::best_cycles(std::size_t variant) const {
    return sum(faster_variants(variant, Launches::kOwn));
}

Estimate NetworkResults::total_speedup(std::size_t variant, Launches launches) const {
    return ratio(std::vector<std::size_t>(times_.size(), variant), launches);
}

Estimate NetworkResults::best_speedup(std::size_t variant, Launches launches) const {
    return ratio(faster_variants(variant, launches), launches);
}

double NetworkResults::launch_percent(std::size_t variant) const {
    double launches = 0;
    double all = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        launches += times_[i][variant].launch_cycles;
        all += mean_cycles(i, variant);
    }
    return all == 0 ? 0 : 100 * launches / all;
}

std::size_t NetworkResults::own_layers(std::size_t variant) const {
    return static_cast<std::size_t>(std::count_if(
        times_.begin(), times_.end(), [&](const auto& times) { return times[variant].own; }));
}

std::size_t NetworkResults::checked_layers(std::size_t variant) const {
    return static_cast<std::size_t>(std::count_if(
        times_.begin(), times_.end(), [&](const auto& times) { return times[variant].checked; }));
}

std::string NetworkResults::table() const {
    std::vector<std::string> header = {"layer",      "operator",    "shape",     "type",
                                       "limited by", "time [us]",   "share [%]", "launches [%]",
                                       "MFLOP",      "zeros A [%]", "B [%]"};
    for (std::size_t v = 1; v < study_.variants().size(); ++v) {
        header.push_back(study_.variants()[v].name + " [x]");
    }
    TextTable table(header);
    table.set_text_columns(5);
    const double total = total_cycles(0).mean;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const NetworkLayer& layer = *layers_[i];
        const std::string& bound_by = times_[i][0].bound_by;
        const Estimate alone = cycles(i, 0);
        std::vector<std::string> cells = {
            layer.name,
            layer.operation,
            layer.shape,
            layer.type,
            std::string(limit_name(bound_by)),
            interval_cell(alone, 1, study_.core_clock_mhz()),
            number_cell(100 * alone.mean / total),
            number_cell(100 * times_[i][0].launch_cycles / alone.mean),
            number_cell(layer.flop / 1e6),
            zeros_cell(layer.zeros_a),
            zeros_cell(layer.zeros_b)};
        for (std::size_t v = 1; v < study_.variants().size(); ++v) {
            cells.push_back(times_[i][v].own ? interval_cell(speedup(i, v), 2) : "-");
        }
        table.add(std::move(cells));
    }
    return table.str(0) + "\n" + totals();
}

std::string NetworkResults::totals() const {
    TextTable table({"machine", "layers of its own", "time [us]", "launches [%]", "speedup [x]",
                     "same launches [x]", "with the faster kernel of each [us]", "speedup [x]",
                     "same launches [x]", "values checked"});
    const auto speedup_cell = [](std::size_t variant, const Estimate& estimate) {
        return variant == 0 ? number_cell(1, 3) : interval_cell(estimate, 3);
    };
    const double mhz = study_.core_clock_mhz();
    for (std::size_t v = 0; v < study_.variants().size(); ++v) {
        table.add({study_.variants()[v].name, std::to_string(own_layers(v)),
                   interval_cell(total_cycles(v), 1, mhz), number_cell(launch_percent(v)),
                   speedup_cell(v, total_speedup(v)),
                   speedup_cell(v, total_speedup(v, Launches::kAlone)),
                   interval_cell(best_cycles(v), 1, mhz), speedup_cell(v, best_speedup(v)),
                   speedup_cell(v, best_speedup(v, Launches::kAlone)),
                   fmt::format("{} of {}", checked_layers(v), times_.size())});
    }
    std::string text = table.str(0);
    for (const std::string& note : study_.of_no_use()) text += "\n" + note + "\n";
    return text;
}

std::string NetworkResults::csv() const {
    std::string text =
        "layer,node,operator,shape,flop,bytes,zeros_a,zeros_b,variant,own,cycles,half_width,kernel,"
        "bound_by,checked,speedup,speedup_half_width,l2_bytes,dram_bytes,launch_cycles,"
        "speedup_same_launches,type\n";
    const auto optional = [](double value) {
        return value < 0 ? std::string() : fmt::format("{}", value);
    };
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const NetworkLayer& layer = *layers_[i];
        for (std::size_t v = 0; v < study_.variants().size(); ++v) {
            const NetworkLayerTime& time = times_[i][v];
            const Estimate taken = cycles(i, v);
            const Estimate gain = speedup(i, v);
            text += fmt::format(
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.0f},{:.0f},{:.0f},{},{}\n",
                csv_text(layer.name), csv_text(layer.node), csv_text(layer.operation),
                csv_text(layer.shape), layer.flop, layer.bytes, optional(layer.zeros_a),
                optional(layer.zeros_b), csv_text(study_.variants()[v].name), time.own, taken.mean,
                width_of(taken), csv_text(time.kernel), csv_text(time.bound_by), time.checked,
                gain.mean, width_of(gain), time.l2_bytes, time.dram_bytes, time.launch_cycles,
                speedup(i, v, Launches::kAlone).mean, csv_text(layer.type));
        }
    }
    return text;
}

Json NetworkResults::json_of_variant(std::size_t v) const {
    const NetworkVariant& variant = study_.variants()[v];
    Json json = {{"name", variant.name}, {"configs", variant.configs}, {"sets", variant.sets}};
    const auto add = [&json](const std::string& name, const Estimate& estimate) {
        json[name] = estimate.mean;
        if (estimate.half_width) json[name + "_half_width"] = *estimate.half_width;
    };
    add("cycles", total_cycles(v));
    add("cycles_with_faster_kernels", best_cycles(v));
    add("speedup", total_speedup(v));
    add("speedup_with_faster_kernels", best_speedup(v));
    add("speedup_same_launches", total_speedup(v, Launches::kAlone));
    add("speedup_with_faster_kernels_same_launches", best_speedup(v, Launches::kAlone));
    json["launch_percent"] = launch_percent(v);
    json["layers_of_its_own"] = own_layers(v);
    json["layers_checked"] = checked_layers(v);
    return json;
}

Json NetworkResults::json_of_layer(std::size_t i) const {
    const NetworkLayer& layer = *layers_[i];
    Json json = {{"name", layer.name},          {"node", layer.node},
                 {"operator", layer.operation}, {"is_product", layer.is_product},
                 {"shape", layer.shape},        {"flop", layer.flop},
                 {"bytes", layer.bytes},        {"type", layer.type}};
    if (layer.zeros_a >= 0) json["zeros_a"] = layer.zeros_a;
    if (layer.zeros_b >= 0) json["zeros_b"] = layer.zeros_b;
    for (std::size_t v = 0; v < study_.variants().size(); ++v) {
        const NetworkLayerTime& time = times_[i][v];
        const Estimate taken = cycles(i, v);
        const Estimate gain = speedup(i, v);
        Json of_variant = {
            {"variant", study_.variants()[v].name}, {"own", time.own}, {"cycles", taken.mean}};
        if (taken.half_width) of_variant["cycles_half_width"] = *taken.half_width;
        of_variant["speedup"] = gain.mean;
        if (gain.half_width) of_variant["speedup_half_width"] = *gain.half_width;
        const Estimate same = speedup(i, v, Launches::kAlone);
        of_variant["speedup_same_launches"] = same.mean;
        if (same.half_width) of_variant["speedup_same_launches_half_width"] = *same.half_width;
        of_variant["launch_cycles"] = time.launch_cycles;
        of_variant["kernel"] = time.kernel;
        of_variant["bound_by"] = time.bound_by;
        of_variant["l2_bytes"] = std::round(time.l2_bytes);
        of_variant["dram_bytes"] = std::round(time.dram_bytes);
        of_variant["checked"] = time.checked;
        for (std::size_t seed = 0; seed < study_.runs_each(); ++seed) {
            of_variant["runs"].push_back(study_.runs()[run_of(i, v) + seed].folder.string());
        }
        if (!layer.reasons[v].empty()) of_variant["why_not"] = layer.reasons[v];
        json["times"].push_back(std::move(of_variant));
    }
    return json;
}

/// Skipped nodes with their share of the network's FLOP.
Json NetworkResults::json_of_refused() const {
    double flop = 0;
    for (const NetworkLayer& layer : study_.layers()) flop += layer.flop;
    Json json = Json::array();
    for (const NetworkLayer& layer : study_.layers()) {
        if (layer.refused.empty()) continue;
        json.push_back({{"node", layer.node},
                        {"operator", layer.operation},
                        {"flop", layer.flop},
                        {"percent_of_flop", flop == 0 ? 0 : 100 * layer.flop / flop},
                        {"reason", layer.refused}});
    }
    return json;
}

Json NetworkResults::json(const std::string& command) const {
    const BuildInfo& build = build_info();
    Json json;
    json["schema_version"] = kNetworkSchemaVersion;
    json["tool"] = {
        {"name", "tessera"}, {"version", build.version}, {"git_revision", build.git_revision}};
    json["network"] = study_.name();
    json["command"] = command;
    json["core_clock_mhz"] = study_.core_clock_mhz();
    if (!study_.seeds().empty()) json["seeds"] = study_.seeds();
    json["sampled"] = std::any_of(sample_widths_.begin(), sample_widths_.end(),
                                  [](const auto& width) { return width.second > 0; });
    const MachinePeaks& peaks = study_.peaks(0);
    const bool on_lanes = std::any_of(times_.begin(), times_.end(),
                                      [](const auto& times) { return times[0].on_lanes; });
    json["peaks"] = {{"compute", on_lanes ? kFp32Unit : "tensor cores"},
                     {"flop_per_cycle", on_lanes ? peaks.fp32_flop : peaks.tensor_flop},
                     {"l2_bytes_per_cycle", peaks.l2_bytes},
                     {"dram_bytes_per_cycle", peaks.dram_bytes}};
    for (std::size_t v = 0; v < study_.variants().size(); ++v) {
        json["variants"].push_back(json_of_variant(v));
    }
    if (const auto notes = study_.of_no_use(); !notes.empty()) json["of_no_use"] = notes;
    for (std::size_t i = 0; i < layers_.size(); ++i) json["layers"].push_back(json_of_layer(i));
    if (Json refused = json_of_refused(); !refused.empty()) {
        json["not_simulated"] = std::move(refused);
    }
    return json;
}

}  // namespace tessera

#include "sc_models/study/network_results.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_models/run/run_files.h"
#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

NetworkLayerTime time_of(const fs::path& folder, double launch_difference) {
    const auto result = read_result(folder);
    const auto& metrics = result.at("metrics");
    const auto& kernels = result.at("kernels");
    NetworkLayerTime time;
    // Tables of offsets come before the kernel that computes, parts of sums are added behind it.
    const auto main =
        std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
            return a.at("cycles").template get<double>() < b.at("cycles").template get<double>();
        });
    time.kernel = main->at("name");
    time.bound_by = main->value("bound_by", "");
    time.half_width = metrics.value("cycles_half_width", 0.0);
    time.checked = result.at("verification").at("checked");
    if (metrics.contains("warm_cycles")) {
        time.cycles = metrics.at("warm_cycles");
        return time;
    }
    time.cycles = metrics.contains("cycles_of_all_kernels")
                      ? metrics.at("cycles_of_all_kernels").get<double>()
                      : metrics.at("cycles").get<double>();
    // Alone, its first kernel was launched on an idle machine.
    time.cycles += launch_difference;
    return time;
}

std::string zeros_cell(double fraction) {
    return fraction < 0 ? "-" : number_cell(100 * fraction);
}

}  // namespace

NetworkResults::NetworkResults(const NetworkStudy& study) : study_(study) {
    for (const NetworkLayer& layer : study.layers()) {
        if (!layer.refused.empty()) continue;
        layers_.push_back(&layer);
        std::vector<NetworkLayerTime> times;
        for (std::size_t v = 0; v < layer.runs.size(); ++v) {
            const std::optional<std::size_t>& run = layer.runs[v];
            times.push_back(
                run ? time_of(study.out() / study.runs()[*run].folder, study.launch_difference(v))
                    : times.at(0));
            times.back().own = run.has_value();
        }
        times_.push_back(std::move(times));
    }
}

double NetworkResults::total_cycles(std::size_t variant) const {
    double sum = 0;
    for (const auto& times : times_) sum += times[variant].cycles;
    return sum;
}

double NetworkResults::best_cycles(std::size_t variant) const {
    double sum = 0;
    for (const auto& times : times_) sum += std::min(times[0].cycles, times[variant].cycles);
    return sum;
}

/// Errors of different kernels have nothing to do with each other.
double NetworkResults::total_half_width(std::size_t variant) const {
    double squares = 0;
    for (const auto& times : times_) {
        squares += times[variant].half_width * times[variant].half_width;
    }
    return std::sqrt(squares);
}

std::string NetworkResults::table() const {
    std::vector<std::string> header = {"layer",      "operator",    "shape",
                                       "limited by", "time [us]",   "share [%]",
                                       "MFLOP",      "zeros A [%]", "B [%]"};
    for (std::size_t v = 1; v < study_.variants().size(); ++v) {
        header.push_back(study_.variants()[v].name + " [x]");
    }
    TextTable table(header);
    table.set_text_columns(4);
    const double total = total_cycles(0);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const NetworkLayer& layer = *layers_[i];
        const NetworkLayerTime& alone = times_[i][0];
        std::vector<std::string> cells = {layer.name,
                                          layer.operation,
                                          layer.shape,
                                          alone.bound_by.substr(0, alone.bound_by.find(':')),
                                          number_cell(alone.cycles / study_.core_clock_mhz()),
                                          number_cell(100 * alone.cycles / total),
                                          number_cell(layer.flop / 1e6),
                                          zeros_cell(layer.zeros_a),
                                          zeros_cell(layer.zeros_b)};
        for (std::size_t v = 1; v < study_.variants().size(); ++v) {
            const NetworkLayerTime& with = times_[i][v];
            cells.push_back(with.own ? number_cell(alone.cycles / with.cycles, 2) : "-");
        }
        table.add(std::move(cells));
    }
    return table.str(0) + "\n" + totals();
}

std::string NetworkResults::totals() const {
    TextTable table({"machine", "layers of its own", "time [us]", "speedup [x]",
                     "with the faster kernel of each [us]", "speedup [x]", "values checked"});
    for (std::size_t v = 0; v < study_.variants().size(); ++v) {
        std::size_t own = 0;
        std::size_t checked = 0;
        for (const auto& times : times_) {
            own += times[v].own ? 1 : 0;
            checked += times[v].checked ? 1 : 0;
        }
        const double total = total_cycles(v);
        const double width = total_half_width(v);
        const std::string interval =
            width > 0 ? fmt::format(" +- {:.1f}", width / study_.core_clock_mhz()) : std::string();
        table.add({study_.variants()[v].name, std::to_string(own),
                   number_cell(total / study_.core_clock_mhz()) + interval,
                   number_cell(total_cycles(0) / total, 3),
                   number_cell(best_cycles(v) / study_.core_clock_mhz()),
                   number_cell(total_cycles(0) / best_cycles(v), 3),
                   fmt::format("{} of {}", checked, times_.size())});
    }
    return table.str(0);
}

std::string NetworkResults::csv() const {
    std::string text =
        "layer,node,operator,shape,flop,bytes,zeros_a,zeros_b,variant,own,cycles,half_width,kernel,"
        "bound_by,checked\n";
    const auto optional = [](double value) {
        return value < 0 ? std::string() : fmt::format("{}", value);
    };
    const auto quoted = [](const std::string& cell) {
        std::string inner;
        for (const char c : cell) inner += c == '"' ? std::string("\"\"") : std::string(1, c);
        return "\"" + inner + "\"";
    };
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const NetworkLayer& layer = *layers_[i];
        for (std::size_t v = 0; v < study_.variants().size(); ++v) {
            const NetworkLayerTime& time = times_[i][v];
            text +=
                fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", layer.name,
                            quoted(layer.node), layer.operation, quoted(layer.shape), layer.flop,
                            layer.bytes, optional(layer.zeros_a), optional(layer.zeros_b),
                            study_.variants()[v].name, time.own, time.cycles, time.half_width,
                            time.kernel, quoted(time.bound_by), time.checked);
        }
    }
    return text;
}

nlohmann::ordered_json NetworkResults::json() const {
    nlohmann::ordered_json json;
    json["network"] = study_.name();
    json["core_clock_mhz"] = study_.core_clock_mhz();
    for (std::size_t v = 0; v < study_.variants().size(); ++v) {
        const NetworkVariant& variant = study_.variants()[v];
        json["variants"].push_back({{"name", variant.name},
                                    {"configs", variant.configs},
                                    {"sets", variant.sets},
                                    {"cycles", total_cycles(v)},
                                    {"half_width", total_half_width(v)},
                                    {"cycles_with_faster_kernels", best_cycles(v)}});
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const NetworkLayer& layer = *layers_[i];
        nlohmann::ordered_json of_layer = {{"name", layer.name},          {"node", layer.node},
                                           {"operator", layer.operation}, {"shape", layer.shape},
                                           {"flop", layer.flop},          {"bytes", layer.bytes}};
        if (layer.zeros_a >= 0) of_layer["zeros_a"] = layer.zeros_a;
        if (layer.zeros_b >= 0) of_layer["zeros_b"] = layer.zeros_b;
        for (std::size_t v = 0; v < study_.variants().size(); ++v) {
            const NetworkLayerTime& time = times_[i][v];
            of_layer["times"].push_back({{"variant", study_.variants()[v].name},
                                         {"own", time.own},
                                         {"cycles", time.cycles},
                                         {"half_width", time.half_width},
                                         {"kernel", time.kernel},
                                         {"bound_by", time.bound_by},
                                         {"checked", time.checked}});
        }
        json["layers"].push_back(std::move(of_layer));
    }
    for (const NetworkLayer& layer : study_.layers()) {
        if (!layer.refused.empty()) json["not_simulated"].push_back(layer.refused);
    }
    return json;
}

}  // namespace tessera

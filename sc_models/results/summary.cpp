#include "sc_models/results/summary.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>

#include "sc_models/common/csv.h"
#include "sc_models/common/error.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/results/stored_studies.h"
#include "sc_models/run/run_files.h"

namespace tessera {
namespace {

/// Metrics with a column `..._change_percent` against the baseline.
constexpr std::array<std::string_view, 8> kCompared = {
    "l1_services",       "l2_services", "dram_services",     "dram_sectors",
    "ldst_stall_cycles", "energy_uj",   "energy_on_chip_uj", "energy_storage_uj"};

/// Metrics of a run, and the cycles of the kernels other than the matrix product.
nlohmann::ordered_json values_of(const nlohmann::ordered_json& result) {
    nlohmann::ordered_json values = result.at("metrics");
    std::uint64_t all = 0;
    for (const auto& kernel : result.at("kernels")) all += kernel.at("cycles").get<std::uint64_t>();
    values["im2col_cycles"] = all - values.at("cycles").get<std::uint64_t>();
    values["total_cycles"] = all;
    if (values.contains("warm_cycles")) values["total_cycles"] = values["warm_cycles"];
    return values;
}

std::optional<double> number(const nlohmann::ordered_json& values, std::string_view column) {
    const auto found = values.find(std::string(column));
    if (found == values.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

/// CSV cell of a value: integers unchanged, other numbers with 4 decimals.
std::string csv_cell(const nlohmann::ordered_json& values, const std::string& column) {
    const auto found = values.find(column);
    if (found == values.end()) return "";
    if (found->is_number_float()) return fmt::format("{:.4f}", found->get<double>());
    if (found->is_string()) return csv_text(found->get<std::string>());
    return found->dump();
}

/// Core clock of a variant divided by that of its baseline.
double clock_ratio(const SummaryVariant* variant) {
    return variant == nullptr ? 1 : core_clock_ratio(variant->changes);
}

std::string network_of(const std::string& layer) {
    return layer.substr(0, layer.find('.'));
}

}  // namespace

const std::vector<std::string_view>& summary_columns() {
    static const std::vector<std::string_view> kColumns = [] {
        std::vector<std::string_view> columns = {
            "cycles",       "speedup_percent",       "im2col_cycles",
            "total_cycles", "total_speedup_percent", "hit_rate_percent"};
        for (const HitClassText& kind : kHitClassText) columns.push_back(kind.metric);
        for (const char* column : {"bypass_percent",
                                   "loads_of_a",
                                   "lhb_services",
                                   "l1_services",
                                   "l1_services_change_percent",
                                   "l2_services",
                                   "l2_services_change_percent",
                                   "dram_services",
                                   "dram_services_change_percent",
                                   "dram_sectors",
                                   "dram_sectors_change_percent",
                                   "ldst_stall_cycles",
                                   "ldst_stall_cycles_change_percent",
                                   "energy_uj",
                                   "energy_uj_change_percent",
                                   "energy_on_chip_uj",
                                   "energy_on_chip_uj_change_percent",
                                   "energy_storage_uj",
                                   "energy_storage_uj_change_percent",
                                   "l1_miss_rate_percent",
                                   "l1_miss_rate_with_pending_percent",
                                   "l2_miss_rate_percent",
                                   "l2_miss_rate_with_pending_percent",
                                   "tensor_utilisation_percent",
                                   "warp_instructions",
                                   "mmas"}) {
            columns.emplace_back(column);
        }
        return columns;
    }();
    return kColumns;
}

std::optional<double> percent_change(double base, double value) {
    if (base == 0) return value == 0 ? std::optional<double>(0.0) : std::nullopt;
    return 100.0 * (value / base - 1.0);
}

Summary Summary::of_runs(const SweepPlan& plan, const std::filesystem::path& folder) {
    Summary summary;
    summary.name_ = plan.experiment;
    summary.title_ = plan.title;
    summary.sets_ = plan.sets;
    summary.planned_ = plan.runs.size();
    std::map<std::pair<std::string, std::string>, std::string> configs;  // by layer and variant
    for (const PlannedRun& run : plan.runs) {
        summary.seeds_[{run.layer, run.variant}].insert(run.seed);
        const auto read = good_result(folder, run);
        if (!read) {
            summary.of_others_ += has_result_of_another(folder, run) ? 1 : 0;
            continue;
        }
        const auto& result = *read;
        summary.rows_.push_back(
            {run.layer, run.variant, run.baseline, run.seed, run.hash, values_of(result)});
        for (const auto& [key, value] : run.point) {
            if (key != "seed")
                summary.rows_.back().values[key] = value;  // the seed has its own
                                                           // column
        }
        const std::string& config =
            configs.try_emplace({run.layer, run.variant}, result.at("config")).first->second;
        if (!summary.config_.empty()) continue;
        summary.config_ = config;
        summary.tool_ =
            fmt::format("tessera {} ({})", result.at("tool").at("version").get<std::string>(),
                        result.at("tool").at("git_revision").get<std::string>());
    }
    for (const SummaryRow& row : summary.rows_) {
        auto variant = std::find_if(summary.variants_.begin(), summary.variants_.end(),
                                    [&row](const auto& one) { return one.name == row.variant; });
        if (variant == summary.variants_.end()) {
            variant = summary.variants_.insert(variant, {row.variant, row.baseline, {}});
        }
        // Settings of a layer apply to the baseline as well, so any layer with both will do.
        const auto base = configs.find({row.layer, row.baseline});
        if (variant->is_baseline() || !variant->changes.empty() || base == configs.end()) continue;
        variant->changes = config_differences(base->second, configs.at({row.layer, row.variant}));
    }
    summary.finish();
    return summary;
}

void Summary::finish() {
    std::map<std::tuple<std::string, std::string, std::uint64_t>, const SummaryRow*> by_key;
    for (SummaryRow& row : rows_) by_key[{row.layer, row.variant, row.seed}] = &row;
    for (SummaryRow& row : rows_) {
        if (std::find(layers_.begin(), layers_.end(), row.layer) == layers_.end()) {
            layers_.push_back(row.layer);
        }
        const auto found = by_key.find({row.layer, row.baseline, row.seed});
        if (found == by_key.end()) continue;
        const nlohmann::ordered_json& base = found->second->values;
        const auto compare = [&](std::string_view metric, const std::string& column, auto change) {
            const auto before = number(base, metric);
            const auto after = number(row.values, metric);
            if (!before || !after) return;
            if (const auto percent = change(*before, *after)) row.values[column] = *percent;
        };
        const double clock = clock_ratio(variant(row.variant));
        const auto speedup = [clock](double before, double after) {
            return percent_change(after, before * clock);
        };
        const bool lowers = number(row.values, "im2col_cycles").value_or(0) > 0;
        const bool base_lowers = number(base, "im2col_cycles").value_or(0) > 0;
        whole_runs_ = whole_runs_ || lowers != base_lowers || base.contains("warm_cycles");
        compare("cycles", "speedup_percent", speedup);
        compare("total_cycles", "total_speedup_percent", speedup);
        for (const std::string_view metric : kCompared) {
            compare(metric, std::string(metric) + "_change_percent", percent_change);
        }
    }
}

bool Summary::has_several_seeds(const SummaryRow& row) const {
    return seeds_.at({row.layer, row.variant}).size() > 1;
}

std::vector<std::uint64_t> Summary::whole_seeds() const {
    const bool any = std::any_of(rows_.begin(), rows_.end(),
                                 [this](const auto& row) { return has_several_seeds(row); });
    std::map<std::uint64_t, std::size_t> runs;
    for (const SummaryRow& row : rows_) {
        if (!any || has_several_seeds(row)) ++runs[row.seed];
    }
    std::size_t most = 0;
    for (const auto& [seed, count] : runs) most = std::max(most, count);
    std::vector<std::uint64_t> whole;
    for (const auto& [seed, count] : runs) {
        if (count == most) whole.push_back(seed);
    }
    return whole;
}

Summary Summary::of_seed(std::uint64_t seed) const {
    Summary part = *this;
    auto& rows = part.rows_;
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const SummaryRow& row) {
                                  return row.seed != seed && has_several_seeds(row);
                              }),
               rows.end());
    return part;
}

std::string Summary::csv() const {
    std::vector<std::string> columns(summary_columns().begin(), summary_columns().end());
    for (const SummaryRow& row : rows_) {
        for (const auto& [key, value] : row.values.items()) {
            if (std::find(columns.begin(), columns.end(), key) == columns.end()) {
                columns.push_back(key);
            }
        }
    }
    std::string text = "layer,variant,baseline,seed,config_hash";
    for (const std::string& column : columns) text += "," + csv_text(column);
    text += "\n";
    for (const SummaryRow& row : rows_) {
        text += fmt::format("{},{},{},{},{}", csv_text(row.layer), csv_text(row.variant),
                            csv_text(row.baseline), row.seed, csv_text(row.config_hash));
        for (const std::string& column : columns) text += "," + csv_cell(row.values, column);
        text += "\n";
    }
    return text;
}

nlohmann::ordered_json Summary::json() const {
    nlohmann::ordered_json j;
    j["schema_version"] = kSummarySchemaVersion;
    j["experiment"] = name_;
    j["title"] = title_;
    j["set"] = sets_;
    j["tool"] = tool_;
    j["planned_runs"] = planned_;
    j["variants"] = nlohmann::ordered_json::array();
    for (const SummaryVariant& variant : variants_) {
        nlohmann::ordered_json v;
        v["name"] = variant.name;
        v["baseline"] = variant.baseline;
        v["changes"] = nlohmann::ordered_json::object();
        for (const ConfigDifference& change : variant.changes) {
            v["changes"][change.key] = change.text();
        }
        nlohmann::ordered_json means = nlohmann::ordered_json::object();
        for (const std::string_view column : summary_columns()) {
            if (const auto m = mean(variant.name, column)) means[std::string(column)] = *m;
        }
        v["mean"] = std::move(means);
        if (!variant.is_baseline()) {
            for (const auto& [key, column] :
                 {std::pair("network_time_change_percent", "cycles"),
                  std::pair("network_total_time_change_percent", "total_cycles")}) {
                if (const auto change = network_change(variant.name, column)) v[key] = *change;
            }
        }
        j["variants"].push_back(std::move(v));
    }
    j["rows"] = nlohmann::ordered_json::array();
    for (const SummaryRow& row : rows_) {
        j["rows"].push_back({{"layer", row.layer},
                             {"variant", row.variant},
                             {"baseline", row.baseline},
                             {"seed", row.seed},
                             {"config_hash", row.config_hash},
                             {"values", row.values}});
    }
    j["config"] = config_;
    return j;
}

Summary Summary::read(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "summary.json";
    if (!std::filesystem::exists(file)) return of_runs(read_sweep_plan(folder), folder);
    const auto j = read_stored(file, summary_file());
    Summary summary;
    summary.name_ = j.at("experiment");
    summary.title_ = j.at("title");
    summary.sets_ = j.at("set").get<std::vector<std::string>>();
    summary.tool_ = j.at("tool");
    summary.config_ = j.at("config");
    for (const auto& v : j.at("variants")) {
        SummaryVariant variant{v.at("name"), v.at("baseline"), {}};
        for (const auto& [key, text] : v.at("changes").items()) {
            variant.changes.push_back(*ConfigDifference::of_text(key, text));
        }
        summary.variants_.push_back(std::move(variant));
    }
    for (const auto& row : j.at("rows")) {
        summary.rows_.push_back({row.at("layer"), row.at("variant"), row.at("baseline"),
                                 row.at("seed"), row.at("config_hash"), row.at("values")});
        const SummaryRow& read = summary.rows_.back();
        summary.seeds_[{read.layer, read.variant}].insert(read.seed);
    }
    summary.planned_ = j.value("planned_runs", summary.rows_.size());
    summary.finish();
    return summary;
}

const SummaryVariant* Summary::variant(std::string_view name) const {
    for (const SummaryVariant& variant : variants_) {
        if (variant.name == name) return &variant;
    }
    return nullptr;
}

std::optional<double> Summary::value(const std::string& layer, std::string_view variant,
                                     std::string_view column) const {
    double sum = 0;
    std::size_t count = 0;
    for (const SummaryRow& row : rows_) {
        if (row.layer != layer || row.variant != variant) continue;
        const auto found = number(row.values, column);
        if (!found) continue;
        sum += *found;
        ++count;
    }
    return count == 0 ? std::nullopt : std::optional<double>(sum / static_cast<double>(count));
}

std::optional<double> Summary::mean(std::string_view variant, std::string_view column) const {
    double sum = 0;
    std::size_t count = 0;
    for (const std::string& layer : layers_) {
        if (const auto found = value(layer, variant, column)) {
            sum += *found;
            ++count;
        }
    }
    return count == 0 ? std::nullopt : std::optional<double>(sum / static_cast<double>(count));
}

std::optional<double> Summary::change_over(const std::vector<std::string>& layers,
                                           std::string_view variant_name,
                                           std::string_view column) const {
    const SummaryVariant* of = variant(variant_name);
    if (of == nullptr) return std::nullopt;
    double before = 0;
    double after = 0;
    bool any = false;
    for (const std::string& layer : layers) {
        const auto b = value(layer, of->baseline, column);
        const auto a = value(layer, variant_name, column);
        if (!a || !b) continue;
        before += *b;
        after += *a;
        any = true;
    }
    const bool is_time = column == "cycles" || column == "total_cycles";
    if (is_time) before *= clock_ratio(of);
    return any ? percent_change(before, after) : std::nullopt;
}

std::optional<double> Summary::total_change(std::string_view variant,
                                            std::string_view column) const {
    return change_over(layers_, variant, column);
}

std::vector<std::string> Summary::networks() const {
    std::vector<std::string> found;
    for (const std::string& layer : layers_) {
        if (std::find(found.begin(), found.end(), network_of(layer)) == found.end()) {
            found.push_back(network_of(layer));
        }
    }
    return found;
}

std::optional<double> Summary::network_change(std::string_view variant,
                                              std::string_view column) const {
    double sum = 0;
    std::size_t count = 0;
    for (const std::string& network : networks()) {
        std::vector<std::string> members;
        for (const std::string& layer : layers_) {
            if (network_of(layer) == network) members.push_back(layer);
        }
        if (const auto change = change_over(members, variant, column)) {
            sum += *change;
            ++count;
        }
    }
    return count == 0 ? std::nullopt : std::optional<double>(sum / static_cast<double>(count));
}

}  // namespace tessera

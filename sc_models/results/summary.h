// Summary of a sweep's results as one table, with derived figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/results/config_differences.h"
#include "sc_models/results/sweep_plan.h"

namespace tessera {

inline constexpr int kSummarySchemaVersion = 1;

/// One run: a row of summary.csv.
struct SummaryRow {
    std::string layer, variant, baseline;
    std::uint64_t seed = 0;
    std::string config_hash;
    nlohmann::ordered_json values;  ///< numbers by column; columns that do not apply are absent
};

/// A column of tables: a variant, its baseline and their differences.
struct SummaryVariant {
    std::string name, baseline;
    std::vector<ConfigDifference> changes;  ///< settings that differ from the baseline

    [[nodiscard]] bool is_baseline() const { return name == baseline; }
};

/// All rows of a sweep. Means are arithmetic over layers, as in the Duplo paper; seeds of one layer
/// are averaged first. The content depends only on the results, not on the time or order of the
/// runs.
class Summary {
public:
    /// Reads the results of the planned runs below `folder`; skips runs without a good result.
    static Summary of_runs(const SweepPlan& plan, const std::filesystem::path& folder);
    /// Reads a summary.json or, for an unfinished sweep, the existing results of its plan. Throws
    /// ConfigError if the folder has neither, or for another schema.
    static Summary read(const std::filesystem::path& folder);

    /// Seeds for which all planned runs exist, or for which the most do, in ascending order. Layer
    /// and variant pairs with a single seed do not count, unless there are no others.
    [[nodiscard]] std::vector<std::uint64_t> whole_seeds() const;
    /// Runs of one seed, with those of layer and variant pairs that have a single seed.
    [[nodiscard]] Summary of_seed(std::uint64_t seed) const;

    [[nodiscard]] std::string csv() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& title() const { return title_; }
    /// --set arguments of the sweep's command line.
    [[nodiscard]] const std::vector<std::string>& sets() const { return sets_; }
    [[nodiscard]] const std::vector<SummaryRow>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<std::string>& layers() const { return layers_; }
    [[nodiscard]] const std::vector<SummaryVariant>& variants() const { return variants_; }
    [[nodiscard]] const SummaryVariant* variant(std::string_view name) const;
    /// Effective configuration of the first run, as YAML.
    [[nodiscard]] const std::string& config() const { return config_; }
    [[nodiscard]] const std::string& tool() const { return tool_; }

    /// Number of planned runs without a good result: failed or not started.
    [[nodiscard]] std::size_t missing() const { return planned_ - rows_.size(); }
    [[nodiscard]] std::size_t planned() const { return planned_; }

    /// Number of results in a run's place that belong to another configuration; they are skipped.
    [[nodiscard]] std::size_t of_others() const { return of_others_; }

    /// Column of times and speedups: `cycles` of the matrix product by default; `total_cycles` of
    /// all kernels if a variant and its baseline differ in further kernels, or if runs repeat on
    /// warm caches.
    [[nodiscard]] const char* time_column() const {
        return whole_runs_ ? "total_cycles" : "cycles";
    }
    [[nodiscard]] const char* speedup_column() const {
        return whole_runs_ ? "total_speedup_percent" : "speedup_percent";
    }
    [[nodiscard]] bool times_all_kernels() const { return whole_runs_; }
    /// The timed kernels in words: "the matrix product" or "all kernels".
    [[nodiscard]] const char* timed() const {
        return whole_runs_ ? "all kernels" : "the matrix product";
    }

    /// Mean over the seeds; empty if the layer was not run or the column does not apply.
    [[nodiscard]] std::optional<double> value(const std::string& layer, std::string_view variant,
                                              std::string_view column) const;
    /// Mean over the layers that have a value.
    [[nodiscard]] std::optional<double> mean(std::string_view variant,
                                             std::string_view column) const;
    /// Change of the sum over all layers against the variant's baseline, in percent; for cycles,
    /// the change of the time.
    [[nodiscard]] std::optional<double> total_change(std::string_view variant,
                                                     std::string_view column) const;
    /// Mean over networks of each network's change (its value is the sum over its layers).
    [[nodiscard]] std::optional<double> network_change(std::string_view variant,
                                                       std::string_view column) const;
    /// Distinct parts of layer names before the dot, in the order of the layers.
    [[nodiscard]] std::vector<std::string> networks() const;

private:
    /// Whether the layer has several seeds in this variant.
    [[nodiscard]] bool has_several_seeds(const SummaryRow& row) const;
    /// Computes derived columns and sorts the rows. Precondition: all rows are present.
    void finish();
    [[nodiscard]] std::optional<double> change_over(const std::vector<std::string>& layers,
                                                    std::string_view variant,
                                                    std::string_view column) const;

    std::string name_, title_, config_, tool_;
    std::vector<std::string> sets_;
    std::vector<SummaryRow> rows_;
    /// Planned seeds by layer and variant, with or without results.
    std::map<std::pair<std::string, std::string>, std::set<std::uint64_t>> seeds_;
    std::vector<std::string> layers_;
    std::vector<SummaryVariant> variants_;
    std::size_t planned_ = 0, of_others_ = 0;
    bool whole_runs_ = false;  ///< time_column() covers all kernels
};

/// Columns of summary.csv after layer, variant, baseline, seed and config_hash; further metrics of
/// a run follow in its order.
[[nodiscard]] const std::vector<std::string_view>& summary_columns();

/// Excess of `value` over `base` in percent; empty if base is zero and value is not.
[[nodiscard]] std::optional<double> percent_change(double base, double value);

}  // namespace tessera

// The results of a sweep as one table, and what follows from it.
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

#include "sc_models/study/config_differences.h"
#include "sc_models/study/sweep_plan.h"

namespace tessera {

inline constexpr int kSummarySchemaVersion = 1;

/// One run: a row of summary.csv.
struct SummaryRow {
    std::string layer, variant, baseline;
    std::uint64_t seed = 0;
    std::string config_hash;
    nlohmann::ordered_json
        values;  ///< number by column; a column that means nothing here is absent
};

/// A column of tables: what is compared, with what, and how they differ.
struct SummaryVariant {
    std::string name, baseline;
    std::vector<ConfigDifference> changes;  ///< what it sets differently from its baseline

    [[nodiscard]] bool is_baseline() const { return name == baseline; }
};

/// All rows of a sweep. Means are arithmetic over layers, as in the Duplo paper; seeds of one layer
/// are averaged first. Depends on results alone, not on when or how they were made.
class Summary {
public:
    /// Reads the results of the planned runs below `folder`; runs without a good one are left out.
    static Summary of_runs(const SweepPlan& plan, const std::filesystem::path& folder);
    /// Reads a summary.json, or, of a sweep that has not come to its end, the results that are
    /// there of those it planned. Throws ConfigError if the folder has neither, or of another
    /// schema.
    static Summary read(const std::filesystem::path& folder);

    /// The seeds of which every run is there that is there of any, in their order. Variants of a
    /// layer that are run with a single seed do not count, unless there are no others.
    [[nodiscard]] std::vector<std::uint64_t> whole_seeds() const;
    /// The runs of one seed, and those of variants of a layer that are run with a single one.
    [[nodiscard]] Summary of_seed(std::uint64_t seed) const;

    [[nodiscard]] std::string csv() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& title() const { return title_; }
    /// The --set of the sweep's command line.
    [[nodiscard]] const std::vector<std::string>& sets() const { return sets_; }
    [[nodiscard]] const std::vector<SummaryRow>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<std::string>& layers() const { return layers_; }
    [[nodiscard]] const std::vector<SummaryVariant>& variants() const { return variants_; }
    [[nodiscard]] const SummaryVariant* variant(std::string_view name) const;
    /// Effective configuration of the first run, as YAML.
    [[nodiscard]] const std::string& config() const { return config_; }
    [[nodiscard]] const std::string& tool() const { return tool_; }

    /// Runs that were planned and left no good result: failed, or the sweep did not get to them.
    [[nodiscard]] std::size_t missing() const { return planned_ - rows_.size(); }
    [[nodiscard]] std::size_t planned() const { return planned_; }

    /// Results that lie where a run's should, and are of another configuration; they are left out.
    [[nodiscard]] std::size_t of_others() const { return of_others_; }

    /// What times and speedups are of: `cycles`, those of the matrix product, unless a variant has
    /// kernels besides that its baseline does without or the other way round, or runs are repeated
    /// on warm caches; it is `total_cycles` then, those of all kernels.
    [[nodiscard]] const char* time_column() const {
        return whole_runs_ ? "total_cycles" : "cycles";
    }
    [[nodiscard]] const char* speedup_column() const {
        return whole_runs_ ? "total_speedup_percent" : "speedup_percent";
    }
    [[nodiscard]] bool times_all_kernels() const { return whole_runs_; }
    /// The same in words: "the matrix product" or "all kernels".
    [[nodiscard]] const char* timed() const {
        return whole_runs_ ? "all kernels" : "the matrix product";
    }

    /// Mean over the seeds; nothing if the layer was not run or the column means nothing.
    [[nodiscard]] std::optional<double> value(const std::string& layer, std::string_view variant,
                                              std::string_view column) const;
    /// Mean over the layers that have a value.
    [[nodiscard]] std::optional<double> mean(std::string_view variant,
                                             std::string_view column) const;
    /// Change in percent of the sum over all layers against that of the variant's baseline; of
    /// cycles, that of the time they take.
    [[nodiscard]] std::optional<double> total_change(std::string_view variant,
                                                     std::string_view column) const;
    /// The same for each network on its own, then their mean (a network's time is the sum of its
    /// layers').
    [[nodiscard]] std::optional<double> network_change(std::string_view variant,
                                                       std::string_view column) const;
    /// The part of a layer's name before the dot, in the order of the layers.
    [[nodiscard]] std::vector<std::string> networks() const;

private:
    /// Whether the layer is run with several seeds in this variant.
    [[nodiscard]] bool has_several_seeds(const SummaryRow& row) const;
    /// Derived columns and order, once all rows are there.
    void finish();
    [[nodiscard]] std::optional<double> change_over(const std::vector<std::string>& layers,
                                                    std::string_view variant,
                                                    std::string_view column) const;

    std::string name_, title_, config_, tool_;
    std::vector<std::string> sets_;
    std::vector<SummaryRow> rows_;
    /// By layer and variant, those that are planned, whether they are there or not.
    std::map<std::pair<std::string, std::string>, std::set<std::uint64_t>> seeds_;
    std::vector<std::string> layers_;
    std::vector<SummaryVariant> variants_;
    std::size_t planned_ = 0, of_others_ = 0;
    bool whole_runs_ = false;  ///< time_column() is that of all kernels
};

/// Columns of summary.csv after layer, variant, baseline, seed and config_hash; a run's metrics
/// that are not among them follow in its order.
[[nodiscard]] const std::vector<std::string_view>& summary_columns();

/// The percent by which `value` is above `base`; nothing if base is zero and value is not.
[[nodiscard]] std::optional<double> percent_change(double base, double value);

}  // namespace tessera

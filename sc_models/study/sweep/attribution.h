// Attribution of a time difference between two runs to the settings that differ, by runs of
// intermediate machines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/results/config_differences.h"
#include "sc_models/study/experiment.h"
#include "sc_models/study/sweep/sweep.h"

namespace tessera {

/// Core cycles of all kernels of a result.
[[nodiscard]] double total_cycles(const nlohmann::ordered_json& result);

/// A signed change of time; "-" if it is unset.
[[nodiscard]] std::string time_cell(const std::optional<double>& time);

/// Intermediate machine: one of the two runs, with the other's value of a single setting.
struct IntermediateMachine {
    PlannedRun run;
    std::optional<double> time;  ///< of all kernels, in Attribution::unit()
    std::string refused;         ///< why the run does not exist: a configuration rule or a failure
};

/// Effect of one setting on the time, alone and on top of all others.
struct AttributedSetting {
    ConfigDifference setting;
    IntermediateMachine alone;     ///< A with B's value
    IntermediateMachine set_back;  ///< B with A's value
    std::optional<double> in_a;    ///< time that it adds to A alone
    std::optional<double> in_b;    ///< time that it adds on top of all others

    /// Interaction: the part of the effect that appears only together with other settings.
    [[nodiscard]] std::optional<double> with_others() const;
};

/// Two runs and all machines that are one setting away from either. Settings of `logging`, which
/// have no effect, are excluded. If only one setting differs, it explains the whole difference and
/// no run is planned.
class Attribution {
public:
    /// Plans the runs below `out`. Throws ConfigError if the runs are from another program or have
    /// different workloads, or if more than `limit` settings differ.
    Attribution(nlohmann::ordered_json a, nlohmann::ordered_json b,
                const std::filesystem::path& out, std::size_t limit);

    /// Runs to make: no rule refuses them, and they take other steps than A and B.
    [[nodiscard]] std::vector<PlannedRun> to_run() const;
    /// Writes the configurations of A and B, the base of the planned runs, below `out`.
    void write_ends(const std::filesystem::path& out) const;
    /// Reads the results of the runs and sorts the settings by effect, largest first.
    void read(const std::filesystem::path& out, const SweepOutcome& outcome);

    [[nodiscard]] const std::vector<AttributedSetting>& settings() const { return settings_; }
    /// Unit of times: "cycles", or "ns" where the core clock differs.
    [[nodiscard]] const char* unit() const { return in_cycles_ ? "cycles" : "ns"; }
    /// Time of B minus time of A.
    [[nodiscard]] double difference() const { return time_b_ - time_a_; }
    /// Sum of the settings' effects on A alone; empty if one of them has no run.
    [[nodiscard]] std::optional<double> sum_alone() const;
    /// Sentences on the setting with the largest effect and on the interaction. Precondition: at
    /// least two settings.
    [[nodiscard]] std::string verdict() const;
    /// One line for each machine without a run.
    [[nodiscard]] std::vector<std::string> refusals() const;
    /// Table, followed by verdict() and refusals().
    [[nodiscard]] std::string text() const;
    /// The table and the refusals for `tessera compare --json`; an effect without a run is null.
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    /// Time of all kernels of a result.
    [[nodiscard]] double time_of(const nlohmann::ordered_json& result) const;
    [[nodiscard]] IntermediateMachine machine(const std::string& config, const char* end,
                                              const std::string& key, const std::string& value,
                                              const std::filesystem::path& out) const;

    nlohmann::ordered_json a_, b_;
    std::filesystem::path folder_;  ///< of this pair of runs, below `out`
    bool in_cycles_ = true;
    double time_a_ = 0, time_b_ = 0;
    std::string acting_a_, acting_b_;
    std::vector<AttributedSetting> settings_;
};

}  // namespace tessera

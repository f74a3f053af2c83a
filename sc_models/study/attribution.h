// Which of the settings that two runs differ in changed the time: runs of the machines in
// between.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/config_differences.h"
#include "sc_models/study/experiment.h"
#include "sc_models/study/sweep.h"

namespace tessera {

/// Core cycles of all kernels of a result.
[[nodiscard]] double total_cycles(const nlohmann::ordered_json& result);

/// A change of time, with its sign; "-" if it is not known.
[[nodiscard]] std::string time_cell(const std::optional<double>& time);

/// A machine between two runs: one of them, with the other's value of a single setting.
struct MachineBetween {
    PlannedRun run;
    std::optional<double> time;  ///< of all its kernels, in Attribution::unit()
    std::string refused;  ///< why there is no such run: a rule of configuration, or how it ended
};

/// What one setting does to the time, without and with the others.
struct AttributedSetting {
    ConfigDifference setting;
    MachineBetween alone;        ///< A with B's value
    MachineBetween set_back;     ///< B with A's value
    std::optional<double> in_a;  ///< time that it adds to A
    std::optional<double> in_b;  ///< time that B owes to it

    /// What it does only together with the others.
    [[nodiscard]] std::optional<double> with_others() const;
};

/// Two runs and all machines that are one setting away from either. Settings of `logging`, which
/// change nothing, are not among them; of two runs that differ in one setting, that is all.
class Attribution {
public:
    /// Plans the runs below `out`. Throws ConfigError if the runs are not of this program or of
    /// different workloads, or if more than `limit` settings differ.
    Attribution(nlohmann::ordered_json a, nlohmann::ordered_json b,
                const std::filesystem::path& out, std::size_t limit);

    /// Those that have to be made: no rule refuses them, and they do not take the steps of A or B.
    [[nodiscard]] std::vector<PlannedRun> to_run() const;
    /// Writes the configurations of A and B, over which the runs are made, below `out`.
    void write_ends(const std::filesystem::path& out) const;
    /// Reads what the runs came to, and sorts the settings by what they do, the largest first.
    void read(const std::filesystem::path& out, const SweepOutcome& outcome);

    [[nodiscard]] const std::vector<AttributedSetting>& settings() const { return settings_; }
    /// What times are in: "cycles", or, where the core clock differs, "ns".
    [[nodiscard]] const char* unit() const { return in_cycles_ ? "cycles" : "ns"; }
    /// Time of B less that of A.
    [[nodiscard]] double difference() const { return time_b_ - time_a_; }
    /// What the settings alone do to A, added up; nothing if one of them has no run.
    [[nodiscard]] std::optional<double> sum_alone() const;
    /// Which setting did most, and what none does alone, in words; of two settings or more.
    [[nodiscard]] std::string verdict() const;
    /// A line for each machine that could not be made.
    [[nodiscard]] std::vector<std::string> refusals() const;
    /// A table, then the words and the refusals.
    [[nodiscard]] std::string text() const;

private:
    /// Time of all kernels of a result.
    [[nodiscard]] double time_of(const nlohmann::ordered_json& result) const;
    [[nodiscard]] MachineBetween machine(const std::string& config, const char* end,
                                         const std::string& key, const std::string& value,
                                         const std::filesystem::path& out) const;

    nlohmann::ordered_json a_, b_;
    std::filesystem::path folder_;  ///< of this pair, below `out`
    bool in_cycles_ = true;
    double time_a_ = 0, time_b_ = 0;
    std::string acting_a_, acting_b_;
    std::vector<AttributedSetting> settings_;
};

}  // namespace tessera

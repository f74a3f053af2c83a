// Plan of a sweep, stored in its folder as sweep.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"

namespace tessera {

/// Contents of a sweep's plan.
struct SweepPlan {
    std::string experiment, title;  ///< from the experiment's file
    std::vector<std::string> sets;  ///< --set arguments of the command line
    std::vector<PlannedRun> runs;   ///< after reading: only the fields that identify a run and its
                                    ///< folder
};

/// Writes the plan into the sweep's folder. Throws ConfigError.
void write_sweep_plan(const std::filesystem::path& folder, const SweepPlan& plan);

/// Reads the plan. Throws ConfigError if there is none, or as read_stored() does.
[[nodiscard]] SweepPlan read_sweep_plan(const std::filesystem::path& folder);

/// Good result of a run of the plan in the sweep's folder; empty if there is none, or one of
/// another configuration. Throws ConfigError if it is damaged.
[[nodiscard]] std::optional<nlohmann::ordered_json> good_result(const std::filesystem::path& folder,
                                                                const PlannedRun& run);

/// Whether the run's place holds a result of another configuration.
[[nodiscard]] bool has_result_of_another(const std::filesystem::path& folder,
                                         const PlannedRun& run);

}  // namespace tessera

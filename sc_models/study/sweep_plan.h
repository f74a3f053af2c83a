// The plan of a sweep, which its folder keeps: sweep.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"

namespace tessera {

/// What a sweep is to run.
struct SweepPlan {
    std::string experiment, title;  ///< as the experiment's file has them
    std::vector<std::string> sets;  ///< --set of its command line
    std::vector<PlannedRun> runs;   ///< read back, each has what names and places it
};

/// Writes it into the folder of the sweep. Throws ConfigError.
void write_sweep_plan(const std::filesystem::path& folder, const SweepPlan& plan);

/// Reads it back. Throws ConfigError if there is none, or as read_stored() does.
[[nodiscard]] SweepPlan read_sweep_plan(const std::filesystem::path& folder);

/// The good result that a run of the plan has left in the sweep's folder; nothing if there is none,
/// or one of another configuration. Throws ConfigError for one that is damaged.
[[nodiscard]] std::optional<nlohmann::ordered_json> good_result(const std::filesystem::path& folder,
                                                                const PlannedRun& run);

/// Whether there is one of another configuration in its place.
[[nodiscard]] bool has_result_of_another(const std::filesystem::path& folder,
                                         const PlannedRun& run);

}  // namespace tessera

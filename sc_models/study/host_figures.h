// What the runs of a sweep cost the host.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sc_models/study/experiment.h"

namespace tessera {

/// host.json of a run; no object if the run failed or has the results of another one.
[[nodiscard]] nlohmann::ordered_json read_host(const PlannedRun& run,
                                               const std::filesystem::path& folder);

/// One line: the work of all runs and the range of their simulation rates; empty if none is known.
[[nodiscard]] std::string rate_text(const std::vector<PlannedRun>& runs,
                                    const std::filesystem::path& folder);

/// What each run cost the host (seconds, memory, simulation rate), as CSV. Kept apart from the
/// summary because it differs from time to time.
[[nodiscard]] std::string host_csv(const std::vector<PlannedRun>& runs,
                                   const std::filesystem::path& folder);

}  // namespace tessera

// Host cost of the runs of a sweep.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sc_models/study/experiment.h"

namespace tessera {

/// host.json of a run; no object if the run failed, or took its results from another run or from
/// the store.
[[nodiscard]] nlohmann::ordered_json read_host(const PlannedRun& run,
                                               const std::filesystem::path& folder);
/// Keys that a run left unread, whether it was simulated or stored; nothing if host.json is missing
/// or another run of the study has the result.
[[nodiscard]] std::optional<std::vector<std::string>> read_unread_keys(
    const PlannedRun& run, const std::filesystem::path& folder);

/// One line with the number of results that come from the store; empty if none does.
[[nodiscard]] std::string stored_text(const std::vector<PlannedRun>& runs,
                                      const std::filesystem::path& folder);

/// One line with the instructions of all runs and the range of their simulation rates; empty if
/// none is known.
[[nodiscard]] std::string rate_text(const std::vector<PlannedRun>& runs,
                                    const std::filesystem::path& folder);

/// Host cost of each run (seconds, memory, simulation rate) as CSV. The summary excludes it because
/// it differs between repetitions.
[[nodiscard]] std::string host_csv(const std::vector<PlannedRun>& runs,
                                   const std::filesystem::path& folder);

}  // namespace tessera

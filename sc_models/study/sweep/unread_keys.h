// Check for keys that a user set for all runs of a study and that none of them read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"

namespace tessera {

/// Runs of a study accept unread keys (--allow-unused) and list them in host.json, because other
/// runs may read them. Throws a ConfigError for the first of `sets` (key=value) that no run with it
/// read. Runs without a host.json are ignored.
void refuse_unread(const std::vector<std::string>& sets, const std::vector<PlannedRun>& runs,
                   const std::filesystem::path& folder);

}  // namespace tessera

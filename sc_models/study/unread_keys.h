// Keys that a user set for all runs of a study, and that none of them read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"

namespace tessera {

/// Where some runs read a key and others have no use for it, they let it pass (--allow-unused) and
/// their host.json says so. Throws a ConfigError for the first of `sets` (key=value) that every run
/// with it let pass. Runs of which nothing is known have read it.
void refuse_unread(const std::vector<std::string>& sets, const std::vector<PlannedRun>& runs,
                   const std::filesystem::path& folder);

}  // namespace tessera

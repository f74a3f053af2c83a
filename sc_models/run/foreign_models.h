// Parts of a run that were made for another machine than the one that runs them.
#pragma once

#include <string>
#include <vector>

#include "sc_models/config/config.h"

namespace tessera {

/// Returns a sentence for each kernel family, choice rule or price table of the run that was made
/// for a machine with other tensor cores: Volta's kernels and prices where HMMA.884 has no rate.
/// Marks no key as used.
[[nodiscard]] std::vector<std::string> foreign_models(const Config& config);

}  // namespace tessera

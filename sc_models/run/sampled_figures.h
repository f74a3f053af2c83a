// Which figures of a machine are shown over time.
#pragma once

#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"

namespace tessera {

/// Instructions a cycle, hits, misses and traffic of caches and DRAM, and what the mechanisms do:
/// those that the machine has counters for. `statistics` must outlive them.
[[nodiscard]] std::vector<SampledFigure> sampled_figures(const Config& config,
                                                         const StatGroup& statistics);

}  // namespace tessera

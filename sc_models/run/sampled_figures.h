// Figures of a machine recorded over time.
#pragma once

#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"

namespace tessera {

/// Instructions per cycle, hits, misses and traffic of caches and DRAM, and activity of the
/// mechanisms, as far as the machine has the counters. `statistics` must outlive the figures.
[[nodiscard]] std::vector<SampledFigure> sampled_figures(const Config& config,
                                                         const StatGroup& statistics);

}  // namespace tessera

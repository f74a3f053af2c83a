// Key figures of a run with opportunistic computing.
#pragma once

#include <nlohmann/json.hpp>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Adds the metrics that docs/output.md lists for direct convolutions; `cycles` is the duration of
/// the kernel.
void add_opportunistic_metrics(const Config& config, const Workload& workload,
                               const StatGroup& statistics, Cycle cycles,
                               nlohmann::ordered_json& metrics);

}  // namespace tessera

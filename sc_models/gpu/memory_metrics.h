// Key figures of the memory system.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sc_models/common/statistics.h"

namespace tessera {

/// Adds who supplied the sectors that SMs wanted (Duplo Figure 11) and the miss rates of L1 and L2,
/// from statistics of the whole machine. Sectors on their way count as supplied by that level, or,
/// in the rates "with pending", as misses. Levels that a foreign memory
/// stands in place of are left out.
void add_memory_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics);

}  // namespace tessera

// Key figures of the memory system.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sc_models/common/statistics.h"

namespace tessera {

/// Adds the levels that supplied the sectors read by SMs (Duplo Figure 11) and the miss rates of L1
/// and L2, from statistics of the whole machine. Pending sectors count as supplied by their level
/// or, in the rates "with pending", as misses. Levels replaced by a foreign memory are left out.
void add_memory_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics);

}  // namespace tessera

// Configuration of a load/store unit.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Selection among several sub-cores with memory instructions for the free LDST unit.
enum class LdstArbitration {
    kGreedyThenOldest,  ///< the warp served last, else the oldest warp of the SM
    kRoundRobin         ///< the sub-cores in rotation
};

/// Load/store unit of an SM, without its detection unit.
struct LdstConfig {
    LdstArbitration arbitration = LdstArbitration::kGreedyThenOldest;
    std::uint32_t sectors_per_cycle =
        4;  ///< requests of at most one sector that the unit issues per cycle
    std::uint32_t octet_l1_accesses = 1;  ///< 1: both octet copies of a row share one L1 access

    void bind(ConfigVisitor& v);
};

}  // namespace tessera

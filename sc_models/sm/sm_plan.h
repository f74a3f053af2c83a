// Configuration of a streaming multiprocessor.
#pragma once

#include <cstdint>

#include "sc_models/config/ldst_config.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/config/sm_config.h"

namespace tessera {

/// Configurations of an SM and of its blocks; they must outlive it.
struct SmPlan {
    const SmConfig& sm;
    const LdstConfig& ldst;
    const L1Config& l1;
    const TlbConfig& tlb;
    std::uint32_t l2_line_bytes;
    std::uint32_t quantum_cycles;  ///< used only where the SM is loosely timed
    bool values;
    std::uint32_t sms = 1;  ///< number of SMs in the machine
};

}  // namespace tessera

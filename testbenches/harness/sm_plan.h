// Plan of the only SM of a machine.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/sm/sm_plan.h"

namespace tessera::testbench {

/// Returns the plan of one SM with the settings of `config`, which must outlive it.
inline SmPlan plan_of(const Config& config) {
    return {config.sm,    config.ldst,          config.l1,
            config.tlb,   config.l2.line_bytes, config.gpu.quantum_cycles,
            config.values};
}

}  // namespace tessera::testbench

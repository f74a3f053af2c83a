// Simulation until no event is left, which Ctrl-C ends.
#pragma once

#include <systemc>

#include "sc_models/common/interrupt.h"

namespace tessera::testbench {

/// Runs the simulation until it has no more events; throws Interrupted after Ctrl-C.
inline void run_until_idle() {
    const sc_core::sc_time part(100, sc_core::SC_US);
    do {
        sc_core::sc_start(part, sc_core::SC_EXIT_ON_STARVATION);
        stop_if_interrupted();
    } while (sc_core::sc_pending_activity());
}

}  // namespace tessera::testbench

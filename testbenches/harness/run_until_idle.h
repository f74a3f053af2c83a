// Simulation until no event is left, which Ctrl-C ends.
#pragma once

#include <systemc>

#include "sc_models/common/interrupt.h"

namespace tessera::testbench {

/// Runs the simulation until it has no more events; throws Interrupted after Ctrl-C.
inline void run_until_idle() {
    const sc_core::sc_time part(100, sc_core::SC_US);
    while (sc_core::sc_pending_activity()) {
        // A part that ends before the next event would leave the time where it is.
        const sc_core::sc_time left = sc_core::sc_max_time() - sc_core::sc_time_stamp();
        const sc_core::sc_time next = sc_core::sc_time_to_pending_activity();
        sc_core::sc_start(next < left - part ? next + part : left, sc_core::SC_EXIT_ON_STARVATION);
        stop_if_interrupted();
    }
}

}  // namespace tessera::testbench

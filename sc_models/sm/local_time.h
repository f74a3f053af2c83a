// Local time of an SM.
#pragma once

#include <algorithm>
#include <systemc>

#include "sc_models/common/clock.h"

namespace tessera {

/// Cycle an SM has reached. Loosely timed, an SM runs ahead of SystemC's time by less than a
/// quantum before it yields (temporal decoupling, TLM-2.0 LRM 4.1.2); its transactions arrive at
/// its local time.
class LocalTime {
public:
    explicit LocalTime(const ClockDomain& clock) : clock_(clock) {}

    [[nodiscard]] Cycle now() const { return now_; }
    void set(Cycle now) { now_ = now; }
    /// Returns the delay from SystemC's present to `cycle`; zero if the present has passed it while
    /// a target below waited in b_transport.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) const {
        const sc_core::sc_time& present = clock_.present();
        return std::max(clock_.span(cycle), present) - present;
    }

private:
    const ClockDomain& clock_;
    Cycle now_ = 0;
};

}  // namespace tessera

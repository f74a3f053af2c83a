// Annotated delays of loosely-timed calls, in cycles.
#pragma once

#include <algorithm>
#include <systemc>

#include "sc_models/common/clock.h"

namespace tessera {

/// Converts between the delay of a b_transport call and core cycles. A call carries the time at
/// which it arrives at the target, and returns the time at which it is done, both as delays from
/// the one SystemC time at which the whole chain of calls runs.
class LtTime {
public:
    explicit LtTime(const ClockDomain& clock) : clock_(clock) {}

    /// Starts a call: looks at the simulation time once. Returns the cycle at which the call
    /// arrives.
    Cycle arrive(const sc_core::sc_time& delay) {
        const std::uint64_t stamp = sc_core::sc_time_stamp().value();
        if (stamp != stamp_) {
            stamp_ = stamp;
            now_ = clock_.cycle_at(sc_core::sc_time::from_value(stamp));
        }
        return clock_.cycle_at(sc_core::sc_time::from_value(stamp + delay.value()));
    }
    /// The present cycle, as of the last `arrive`: no call can arrive earlier from now on.
    [[nodiscard]] Cycle now() const { return now_; }
    /// The delay that leads to `cycle`, which is not before the present.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) const {
        return sc_core::sc_time::from_value(clock_.span(std::max(cycle, now_)).value() - stamp_);
    }
    /// The cycle to which `delay` leads.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) const {
        return clock_.cycle_at(sc_core::sc_time::from_value(stamp_ + delay.value()));
    }

private:
    ClockDomain clock_;
    std::uint64_t stamp_ = 0;  ///< simulation time that now_ belongs to
    Cycle now_ = 0;
};

}  // namespace tessera

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
    explicit LtTime(const ClockDomain& clock) : period_(clock.span(1).value()) {}

    /// Starts a call: looks at the simulation time once. Returns the cycle at which the call
    /// arrives.
    Cycle arrive(const sc_core::sc_time& delay) {
        const std::uint64_t stamp = sc_core::sc_time_stamp().value();
        if (stamp != stamp_) {
            stamp_ = stamp;
            now_ = cycle_at(stamp);
        }
        return cycle_after(delay);
    }
    /// The present cycle, as of the last `arrive`: no call can arrive earlier from now on.
    [[nodiscard]] Cycle now() const { return now_; }
    /// The delay that leads to `cycle`, or to the present if that is later.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) const {
        return time_of(std::max(cycle, now_) * period_ - stamp_);
    }
    /// The cycle to which `delay` leads.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) const {
        return cycle_at(stamp_ + delay.value());
    }

private:
    /// As ClockDomain::cycle_at, without making an sc_time of the number first.
    [[nodiscard]] Cycle cycle_at(std::uint64_t value) const {
        return (value + period_ - 1) / period_;
    }

    std::uint64_t period_;     ///< in units of the time resolution
    std::uint64_t stamp_ = 0;  ///< simulation time that now_ belongs to
    Cycle now_ = 0;
};

}  // namespace tessera

// Annotated delays of loosely-timed calls, in cycles.
#pragma once

#include <algorithm>
#include <systemc>

#include "sc_models/common/clock.h"

namespace tessera {

/// Converts between the delay of a b_transport call and core cycles. A call carries the time at
/// which it arrives at the target, and returns the time at which it is done, both as delays from
/// SystemC's present. No block of ours waits, so a whole chain of calls runs at one SystemC time;
/// somebody else's target at its end may, and then time has gone on when its call comes back.
class LtTime {
public:
    explicit LtTime(const ClockDomain& clock) : clock_(clock) {}

    /// Starts a call: looks at the simulation time once. Returns the cycle at which the call
    /// arrives.
    Cycle arrive(const sc_core::sc_time& delay) {
        look();
        return cycle_after(delay);
    }
    /// Looks at the simulation time.
    void look() {
        const std::uint64_t stamp = clock_.present().value();
        if (stamp == stamp_) return;
        stamp_ = stamp;
        now_ = clock_.cycle_at(time_of(stamp));
    }
    /// The same in a call that arrives at `arrival`, where time may have gone on since `called`, a
    /// time of present(): returns when the call arrives now.
    Cycle look_again(Cycle arrival, std::uint64_t called) {
        look();
        return stamp_ == called ? arrival : arrival + clock_.cycle_at(time_of(stamp_ - called));
    }
    /// The simulation time.
    [[nodiscard]] std::uint64_t present() const { return clock_.present().value(); }
    /// A call below has come back with `delay`. Looks at the simulation time again, for a target
    /// may wait in b_transport; returns the cycle to which the delay leads.
    Cycle back(const sc_core::sc_time& delay) { return arrive(delay); }
    /// The present cycle, as of the last look at the time: no call can arrive earlier from now on.
    [[nodiscard]] Cycle now() const { return now_; }
    /// The delay that leads to `cycle`, or to the present if that is later.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) const {
        return time_of(clock_.span(std::max(cycle, now_)).value() - stamp_);
    }
    /// The cycle to which `delay` leads.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) const {
        return clock_.cycle_at(time_of(stamp_ + delay.value()));
    }

private:
    ClockDomain clock_;
    std::uint64_t stamp_ = 0;  ///< simulation time that now_ belongs to
    Cycle now_ = 0;
};

/// Lets one b_transport at a time into a block that calls below in the midst of its own work. A
/// target below may wait there, and another initiator's call come meanwhile: it waits for its turn.
class CallGate {
public:
    /// Holds the gate for as long as it lives.
    class Pass {
    public:
        explicit Pass(CallGate& gate) : gate_(gate) {
            while (gate_.taken_) {
                gate_.awaited_ = true;
                sc_core::wait(gate_.free_);
            }
            gate_.taken_ = true;
        }
        ~Pass() {
            gate_.taken_ = false;
            if (!gate_.awaited_) return;
            gate_.awaited_ = false;
            gate_.free_.notify();
        }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        CallGate& gate_;
    };

private:
    bool taken_ = false, awaited_ = false;
    sc_core::sc_event free_;
};

}  // namespace tessera

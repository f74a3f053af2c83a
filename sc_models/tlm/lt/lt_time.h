// Conversion of annotated delays of loosely-timed calls to cycles.
#pragma once

#include <algorithm>
#include <systemc>

#include "sc_models/common/clock.h"

namespace tessera {

/// Converts between the delay of a b_transport call and core cycles. A call carries its arrival at
/// the target and returns its completion, both as delays from SystemC's present. Blocks of this
/// library never wait, so a chain of calls runs at one SystemC time; an external target at its end
/// may wait, and time has then advanced when the call returns.
class LtTime {
public:
    explicit LtTime(const ClockDomain& clock) : clock_(clock) {}

    /// Begins a call: samples the simulation time and returns the arrival cycle of the call.
    Cycle arrive(const sc_core::sc_time& delay) {
        sample();
        return cycle_after(delay);
    }
    /// Samples the simulation time.
    void sample() {
        const std::uint64_t stamp = clock_.present().value();
        if (stamp == stamp_) return;
        stamp_ = stamp;
        now_ = clock_.cycle_at(time_of(stamp));
    }
    /// Samples the simulation time within a call that arrives at `arrival`, where time may have
    /// advanced since `called`, a value of present(); returns the updated arrival.
    Cycle sample_again(Cycle arrival, std::uint64_t called) {
        sample();
        return stamp_ == called ? arrival : arrival + clock_.cycle_at(time_of(stamp_ - called));
    }
    /// Returns the simulation time.
    [[nodiscard]] std::uint64_t present() const { return clock_.present().value(); }
    /// Ends a call below that returned `delay`: samples the simulation time, as a target may wait
    /// in b_transport, and returns the cycle of present plus delay.
    Cycle back(const sc_core::sc_time& delay) { return arrive(delay); }
    /// Returns the present cycle as last sampled; no call can arrive earlier from now on.
    [[nodiscard]] Cycle now() const { return now_; }
    /// Returns the delay to `cycle`, or to the present if that is later.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) const {
        return time_of(clock_.span(std::max(cycle, now_)).value() - stamp_);
    }
    /// Returns the cycle of the present plus `delay`.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) const {
        return clock_.cycle_at(time_of(stamp_ + delay.value()));
    }

private:
    ClockDomain clock_;
    std::uint64_t stamp_ = 0;  ///< simulation time of now_
    Cycle now_ = 0;
};

/// Mutual exclusion of b_transport calls in a block that calls below in the middle of its own work.
/// A target below may wait there, and a call of another initiator that arrives meanwhile waits for
/// the gate.
class CallGate {
public:
    /// Holds the gate during its lifetime.
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

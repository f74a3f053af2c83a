// The clock of approximately-timed blocks, which ticks only when one of them has something to do.
#pragma once

#include <systemc>

#include "sc_models/common/clock.h"
#include "sc_models/common/cycle_wheel.h"

namespace tessera {

class CycleAlarm;

/// A block whose process runs in the cycles it asks its CycleAlarm for.
class Clocked {
public:
    /// All that can happen in the present cycle; may be called again in the same one, when
    /// something new has come.
    virtual void evaluate() = 0;

protected:
    ~Clocked() = default;
};

/// One SystemC process for all blocks of a clock domain. An event of the kernel costs more than
/// what most blocks do in a cycle; here a cycle has one, however many blocks run in it, one after
/// the other in the order in which they asked. A block that asks for the present cycle runs in it
/// once more.
class CycleTicker : public sc_core::sc_module {
public:
    CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock);
    CycleTicker(const CycleTicker&) = delete;
    CycleTicker& operator=(const CycleTicker&) = delete;

    [[nodiscard]] const ClockDomain& clock() const { return clock_; }
    /// The present cycle (the next one, if SystemC's time lies between two).
    [[nodiscard]] Cycle now() {
        if (!ticking_) look_at_time();
        return now_;
    }
    /// The cycle to which an annotated delay leads.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) {
        if (delay.value() == 0) return now();
        return clock_.cycle_after(delay);
    }
    /// The delay that leads to `cycle`, or to the present one if that is later.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) {
        const Cycle present = now();
        return time_of(clock_.span(cycle > present ? cycle : present).value() - stamp_);
    }

    SC_HAS_PROCESS(CycleTicker);

private:
    friend class CycleAlarm;
    void tick();
    void look_at_time();
    void schedule(Cycle at, CycleAlarm& alarm) {
        const Cycle present = now();
        const Cycle cycle = at > present ? at : present;
        alarms_.push(present, cycle, &alarm);
        if (!ticking_ && cycle < notified_) notify(cycle);
    }
    void notify(Cycle cycle);
    static void warm_host(const CycleAlarm* alarm);

    ClockDomain clock_;
    std::uint64_t stamp_ = 0;  ///< simulation time that now_ belongs to
    Cycle now_ = 0;
    bool ticking_ = false;
    Cycle notified_ = kNever;  ///< when the process will run
    CycleWheel<CycleAlarm*> alarms_;
    sc_core::sc_event event_;
};

/// When a block runs next. A block asks, each time it has run and whenever something comes in, for
/// the next cycle in which it may have something to do; the earliest counts.
class CycleAlarm {
public:
    CycleAlarm(CycleTicker& ticker, Clocked& block) : ticker_(ticker), block_(block) {}
    CycleAlarm(const CycleAlarm&) = delete;
    CycleAlarm& operator=(const CycleAlarm&) = delete;

    [[nodiscard]] Cycle now() { return ticker_.now(); }
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) {
        return ticker_.cycle_after(delay);
    }
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) { return ticker_.delay_to(cycle); }

    /// The block runs at `cycle`, or in the present one if that has come; kNever: not for this.
    void at(Cycle cycle) {
        if (cycle >= next_) return;
        next_ = cycle;
        ticker_.schedule(cycle, *this);
    }

private:
    friend class CycleTicker;
    CycleTicker& ticker_;
    Clocked& block_;
    Cycle next_ = kNever;
};

}  // namespace tessera

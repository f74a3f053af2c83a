// The clock of approximately-timed blocks, which ticks only when one of them has something to do.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/cycle_wheel.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/tlm/island.h"

namespace tessera {

class CycleAlarm;
class IslandCrew;

/// A block that runs in the cycles it asks its CycleAlarm for.
class Clocked {
public:
    /// All that can happen in the present cycle; may be called again in the same one, when
    /// something new has come.
    virtual void evaluate() = 0;
    /// Calls blocks that are not of its island; once after it has asked for it (CycleAlarm::leave).
    virtual void exchange() {}

protected:
    ~Clocked() = default;
};

/// One SystemC process for all blocks of a clock domain. An event of the kernel costs more than
/// what most blocks do in a cycle; here a cycle has one, however many blocks run in it.
///
/// A cycle is made of rounds, until no block is due in it. In a round run first the blocks that are
/// of no island, one after the other in the order in which they asked; then the islands, side by
/// side if there is a crew; then it is told to observers what they have done; and then, in the
/// order of their numbers, the islands say what they have to say to others. A block that asks for
/// the present cycle runs in it once more.
class CycleTicker : public sc_core::sc_module {
public:
    CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock);
    CycleTicker(const CycleTicker&) = delete;
    CycleTicker& operator=(const CycleTicker&) = delete;

    /// Has the islands run by `crew`, which must outlive all runs; null: one after the other.
    void employ(IslandCrew* crew) { crew_ = crew; }
    /// Has the crew begin with the islands that are made from now on only when those made before
    /// have run in the round, as they do on one thread.
    void run_apart() { apart_ = islands_.size(); }
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
    friend class Island;
    void tick();
    void look_at_time();
    /// Returns the island's number.
    std::uint32_t add(Island& island);
    void run_islands();
    void find_due_islands();
    void wait_for_islands_before(const Island& island) const;
    void schedule(Cycle at, CycleAlarm& alarm) {
        const Cycle present = now();
        const Cycle cycle = at > present ? at : present;
        alarms_.push(present, cycle, &alarm);
        if (!ticking_ && cycle < notified_) notify(cycle);
    }
    /// Looks at the island when it is due.
    void schedule(Island& island) {
        const Cycle present = now();
        const Cycle cycle = island.next_ > present ? island.next_ : present;
        if (cycle >= island.registered_) return;
        island.registered_ = cycle;
        calls_.push(present, cycle, &island);
        if (!ticking_ && cycle < notified_) notify(cycle);
    }
    void notify(Cycle cycle);

    ClockDomain clock_;
    std::uint64_t stamp_ = 0;  ///< simulation time that now_ belongs to
    Cycle now_ = 0;
    bool ticking_ = false;
    Cycle notified_ = kNever;         ///< when the process will run
    CycleWheel<CycleAlarm*> alarms_;  ///< of blocks that are of no island
    CycleWheel<Island*> calls_;
    std::vector<Island*> islands_;         ///< by number
    std::vector<std::uint64_t> due_bits_;  ///< by number, those of the round
    std::vector<Island*> due_;             ///< the same in order
    std::size_t apart_ = 0;                ///< the first island that is run apart; 0: none
    IslandCrew* crew_ = nullptr;
    sc_core::sc_event event_;
};

/// Whose cycles a block runs in: those of a ticker, by itself or in an island.
struct ClockPlace {
    CycleTicker& ticker;
    Island* island;

    ClockPlace(CycleTicker& of, Island* in = nullptr)  // NOLINT(google-explicit-constructor)
        : ticker(of), island(in) {}
};

/// When a block runs next. A block asks, each time it has run and whenever something comes in, for
/// the next cycle in which it may have something to do; the earliest counts.
class CycleAlarm {
public:
    CycleAlarm(const ClockPlace& place, Clocked& block)
        : ticker_(place.ticker), block_(block), island_(place.island) {
        if (island_ != nullptr) place_ = island_->join(*this);
    }
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
        if (island_ != nullptr) {
            island_->ask(place_, cycle);
        } else {
            ticker_.schedule(cycle, *this);
        }
    }
    /// The block has something to say to blocks that are not of its island: its exchange() is
    /// called when all islands have run, or, if it is of none, when it has run itself.
    void leave() {
        if (island_ != nullptr) {
            island_->leave(place_);
        } else {
            leaves_ = true;
        }
    }

private:
    friend class CycleTicker;
    friend class Island;
    void run() {
        next_ = kNever;
        block_.evaluate();
    }
    void exchange() { block_.exchange(); }
    void warm_host() const {
        constexpr std::size_t kLooked = 6 * kHostLine;  // at in a turn
        warm_host_lines(this, reinterpret_cast<const char*>(this) + kLooked);
    }

    CycleTicker& ticker_;
    Clocked& block_;
    Island* const island_;
    std::uint32_t place_ = 0;  ///< in the island
    bool leaves_ = false;      ///< without an island
    Cycle next_ = kNever;
};

}  // namespace tessera

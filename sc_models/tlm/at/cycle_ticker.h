// Clock of approximately-timed blocks, which ticks only when a block is due.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/cycle_wheel.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/tlm/at/island.h"

namespace tessera {

class CycleAlarm;
class IslandCrew;

/// Interface of a block that runs in the cycles requested from its CycleAlarm.
class Clocked {
public:
    /// Does all the work of the present cycle; may be called again in the same cycle when new input
    /// has arrived.
    virtual void evaluate() = 0;
    /// Calls blocks outside its island; runs once after each request (CycleAlarm::leave).
    virtual void exchange() {}

protected:
    ~Clocked() = default;
};

/// One SystemC process for all blocks of a clock domain. A kernel event costs more than the work of
/// most blocks in a cycle; here a cycle takes one event, however many blocks run in it.
///
/// A cycle consists of rounds, until no block is due in it. A round runs first the blocks outside
/// islands, one after the other in the order of their requests; then the islands, in parallel if
/// there is a crew. It then passes on the islands' notifications to observers and calls exchange()
/// of the islands in the order of their numbers. A block that requests the present cycle runs in it
/// once more.
class CycleTicker : public sc_core::sc_module {
public:
    CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock);
    CycleTicker(const CycleTicker&) = delete;
    CycleTicker& operator=(const CycleTicker&) = delete;

    /// Sets the crew that runs the islands, which must outlive all runs; null: one after the other.
    void employ(IslandCrew* crew) { crew_ = crew; }
    /// Separates the islands made from now on from those made before: the crew starts them only
    /// when the latter have run in the round, as on one thread.
    void run_apart() { apart_ = islands_.size(); }
    [[nodiscard]] const ClockDomain& clock() const { return clock_; }
    /// Returns the present cycle (the next one, if SystemC's time lies between two).
    [[nodiscard]] Cycle now() {
        if (!ticking_) look_at_time();
        return now_;
    }
    /// Returns the cycle of the present time plus `delay`.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) {
        if (delay.value() == 0) return now();
        return clock_.cycle_after(delay);
    }
    /// Returns the delay to `cycle`, or to the present cycle if that is later.
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
    /// Registers an island; returns its number.
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
    /// Schedules a check of the island for its next due cycle.
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
    std::uint64_t stamp_ = 0;  ///< simulation time of now_
    Cycle now_ = 0;
    bool ticking_ = false;
    Cycle notified_ = kNever;         ///< next run of the process
    CycleWheel<CycleAlarm*> alarms_;  ///< alarms of blocks outside islands
    CycleWheel<Island*> calls_;
    std::vector<Island*> islands_;         ///< indexed by number
    std::vector<std::uint64_t> due_bits_;  ///< islands due in the round, one bit each
    std::vector<Island*> due_;             ///< the same islands in ascending order
    std::size_t apart_ = 0;                ///< first island that runs apart; 0: none
    IslandCrew* crew_ = nullptr;
    sc_core::sc_event event_;
};

/// Clock of a block: a ticker, and the island the block belongs to; null: none.
struct ClockPlace {
    CycleTicker& ticker;
    Island* island;

    ClockPlace(CycleTicker& of, Island* in = nullptr)  // NOLINT(google-explicit-constructor)
        : ticker(of), island(in) {}
};

/// Next run of a block. A block requests, each time it has run and whenever input arrives, the next
/// cycle in which it may have work; the earliest request counts.
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

    /// Requests a run at `cycle`, or in the present cycle if that is later; kNever: no request.
    void at(Cycle cycle) {
        if (cycle >= next_) return;
        next_ = cycle;
        if (island_ != nullptr) {
            island_->ask(place_, cycle);
        } else {
            ticker_.schedule(cycle, *this);
        }
    }
    /// Requests exchange(), in which the block may call blocks outside its island: after all
    /// islands have run or, without an island, after the block has run.
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
        constexpr std::size_t kLooked = 6 * kHostLine;  // bytes accessed in a run
        warm_host_lines(this, reinterpret_cast<const char*>(this) + kLooked);
    }

    CycleTicker& ticker_;
    Clocked& block_;
    Island* const island_;
    std::uint32_t place_ = 0;  ///< index in the island
    bool leaves_ = false;      ///< exchange() requested; without an island
    Cycle next_ = kNever;
};

}  // namespace tessera

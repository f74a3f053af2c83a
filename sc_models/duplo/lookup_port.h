// Timing of the detection pipe: the ID generator followed by the load history buffer.
#pragma once

#include <cstdint>
#include <deque>

#include "sc_models/common/types.h"

namespace tessera {

/// Timing model of the detection unit as a pipe (rtl/id_generator, rtl/load_history_buffer). It
/// accepts `per_cycle` units a cycle, in order. At its end a unit reaches the load history buffer
/// (LHB), which executes `per_cycle` operations a cycle: lookups, the insertion after a miss, and
/// the release of a register that died. The answer comes kHistoryCycles after the lookup; the
/// insertion is ready in the cycle after the answer. A ready insertion precedes a lookup: the unit
/// at the end then waits, and the whole pipe stalls and accepts none.
///
/// For each unit: `open_at`, `enter`, one `operate` for each of its immediate operations, `leave`.
/// Calls come in the order of entry; cycles are those of the SM.
class LookupPort {
public:
    static constexpr Cycle kHistoryCycles = 2;  ///< lookup to answer (Duplo V-D, and the RTL)

    /// `latency_cycles`: from entry to answer of a unit without stalls.
    LookupPort(std::uint32_t per_cycle, std::uint32_t latency_cycles)
        : places_{per_cycle},
          history_(latency_cycles < kHistoryCycles ? latency_cycles : kHistoryCycles),
          depth_(latency_cycles - history_) {}

    /// Returns the first cycle at or after `now` at which the pipe accepts a unit.
    [[nodiscard]] Cycle open_at(Cycle now) const;
    /// Enters a unit at `at`, a result of open_at().
    void enter(Cycle at);
    /// Advances to `now` for operations without a unit.
    void skip_to(Cycle now) {
        if (now > arrival_) arrival_ = now;
    }
    /// Executes the LHB's next operation, for the unit that entered last; returns its cycle. Calls
    /// `insert` with the cycle of each insertion that precedes it.
    template <class Insert>
    Cycle operate(Insert&& insert) {
        left_ = execute(arrival_, insert);
        return left_;
    }
    /// Executes an operation for the unit that left last, behind its departure and the insertions
    /// of units before it; returns its cycle. No unit leaves before it. `insert` as in operate().
    template <class Insert>
    Cycle operate_behind(Insert&& insert) {
        released_ = execute(left_ + 1, insert);
        return released_;
    }
    /// Adds the insertion of a lookup that missed in cycle `at`.
    void add_insertion(Cycle at) { insertions_.push_back(at + history_ + 1); }
    /// Executes all pending insertions; `insert` as in operate().
    template <class Insert>
    void settle(Insert&& insert) {
        while (!insertions_.empty()) {
            const Cycle at = places_.next(insertions_.front());
            insertions_.pop_front();
            places_.take(at);
            insert(at);
        }
    }
    struct Departure {
        Cycle at;    ///< its last operation or, without one, its arrival at the end of the pipe
        Cycle late;  ///< delay by stalls
    };
    /// Ends the unit that entered last, after all its operations.
    Departure leave();

private:
    /// Executes an operation in the first slot from `earliest` on that no ready insertion takes.
    template <class Insert>
    Cycle execute(Cycle earliest, Insert&& insert) {
        while (!insertions_.empty()) {
            const Cycle first = places_.next(insertions_.front());
            if (first > places_.next(earliest)) break;
            insertions_.pop_front();
            places_.take(first);
            insert(first);
        }
        const Cycle at = places_.next(earliest);
        places_.take(at);
        return at;
    }
    /// Slots of a port that accepts `per_cycle` items a cycle, in order.
    struct Places {
        std::uint32_t per_cycle;
        Cycle cycle = 0;
        std::uint32_t taken = 0;

        [[nodiscard]] Cycle next(Cycle earliest) const {
            const Cycle free = taken < per_cycle ? cycle : cycle + 1;
            return earliest > free ? earliest : free;
        }
        void take(Cycle at) {
            taken = at > cycle ? 1 : taken + 1;
            cycle = at;
        }
    };
    [[nodiscard]] Cycle next_place(Cycle earliest) const;

    Places places_;                 ///< slots of the LHB's operations
    Places entries_{places_};       ///< slots of entering units
    const Cycle history_;           ///< lookup to answer
    const Cycle depth_;             ///< entry to lookup
    Cycle arrival_ = 0;             ///< arrival of the last unit at the LHB
    Cycle unheld_ = 0;              ///< the same without stalls
    Cycle left_ = 0;                ///< its last operation
    Cycle released_ = 0;            ///< the last operation behind a departure
    std::deque<Cycle> insertions_;  ///< ready cycles of pending insertions, ascending
    std::deque<Cycle> stands_;      ///< stalled cycles of the pipe, ascending
};

}  // namespace tessera

// When units pass the detection pipe: the ID generator and, behind it, the load history buffer.
#pragma once

#include <cstdint>
#include <deque>

#include "sc_models/common/types.h"

namespace tessera {

/// The detection unit as a pipe (rtl/id_generator, rtl/load_history_buffer), its times only. It
/// takes `per_cycle` units a cycle, in order. A unit reaches the load history buffer (LHB) at its
/// end, which takes `per_cycle` operations a cycle: look-ups, the insertion that follows a miss,
/// the release of a register that has died. The answer comes kHistoryCycles after the look-up, the
/// insertion at the earliest in the cycle behind the answer. An insertion that is ready goes before
/// a look-up. The unit at the end then waits, and the whole pipe stands and takes none.
///
/// For each unit: `open_at`, `enter`, an `operate` for each operation it makes at once, `leave`.
/// Calls come in the order in which units enter; cycles are those of the SM.
class LookupPort {
public:
    static constexpr Cycle kHistoryCycles = 2;  ///< look-up to answer (Duplo V-D, the RTL's, too)

    /// `latency_cycles`: from entry to answer of a unit that nobody holds up.
    LookupPort(std::uint32_t per_cycle, std::uint32_t latency_cycles)
        : places_{per_cycle},
          history_(latency_cycles < kHistoryCycles ? latency_cycles : kHistoryCycles),
          depth_(latency_cycles - history_) {}

    /// The first cycle at or after `now` at which the pipe takes a unit.
    [[nodiscard]] Cycle open_at(Cycle now) const;
    /// A unit enters at `at`, as open_at says.
    void enter(Cycle at);
    /// Operations come without a unit, at or after `now`.
    void skip_to(Cycle now) {
        if (now > arrival_) arrival_ = now;
    }
    /// The LHB's next operation, for the unit that entered last; returns its cycle. For each
    /// insertion that goes before it `insert` is called with the cycle of that.
    template <class Insert>
    Cycle operate(Insert&& insert) {
        while (!insertions_.empty()) {
            const Cycle first = places_.next(insertions_.front());
            if (first > places_.next(arrival_)) break;
            insertions_.pop_front();
            places_.take(first);
            insert(first);
        }
        left_ = places_.next(arrival_);
        places_.take(left_);
        return left_;
    }
    /// The look-up of cycle `at` has missed: there will be an insertion.
    void add_insertion(Cycle at) { insertions_.push_back(at + history_ + 1); }
    /// All insertions go next; `insert` as above.
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
        Cycle at;    ///< of its last operation, or without one as it comes to the end of the pipe
        Cycle late;  ///< by how much it was held up
    };
    /// All operations of the unit that entered last have been said.
    Departure leave();

private:
    /// Places of a port that takes so much a cycle, in order.
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

    Places places_;                 ///< of the LHB's operations
    Places entries_{places_};       ///< of units that enter
    const Cycle history_;           ///< look-up to answer
    const Cycle depth_;             ///< entry to look-up
    Cycle arrival_ = 0;             ///< of the unit that entered last, at the LHB
    Cycle unheld_ = 0;              ///< the same, if nobody had held it up
    Cycle left_ = 0;                ///< its last operation
    std::deque<Cycle> insertions_;  ///< not made yet: when each is ready, ascending
    std::deque<Cycle> stands_;      ///< cycles in which the pipe stands, ascending
};

}  // namespace tessera

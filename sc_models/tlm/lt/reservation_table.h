// Reservation table of one shared resource: a port, link, bank or bus.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Reservation table of a resource that serves a fixed number of requests ("slots") a cycle, or one
/// every few cycles. Loosely-timed callers reserve out of time order, so the table fills gaps
/// instead of keeping one "free at" cycle: a later call for an earlier cycle still gets a slot that
/// is free.
///
/// Slot s lasts from cycle floor(s*cycles/slots) on. A request inside a free slot starts at once,
/// so an idle resource adds no cycle whatever its rate; k requests that ask for one cycle are
/// spread at the rate.
///
/// Storage is a ring of bits, one a slot, with a second level that marks full words, so a search
/// skips 4096 taken slots a step. The window starts at the slot of the latest `advance`; a request
/// before it is served as if it were for the window's start. The ring grows when a reservation lies
/// beyond it.
class ReservationTable {
public:
    /// `slots` slots every `cycles` cycles; throws std::logic_error if either is zero.
    ReservationTable(std::uint64_t slots, std::uint64_t cycles);
    /// Makes the table of a link of `bytes_per_cycle` with requests of `bytes_per_slot`.
    [[nodiscard]] static ReservationTable for_link(std::uint32_t bytes_per_cycle,
                                                   std::uint32_t bytes_per_slot) {
        return {bytes_per_cycle, bytes_per_slot};
    }

    /// Takes the first free slot that does not end before `earliest`; returns the cycle at which
    /// service starts.
    Cycle reserve(Cycle earliest) { return start_of(take(first_slot(earliest)), earliest); }
    /// Makes `count` (at least 1) reservations, each for the start cycle of the one before it;
    /// returns the start cycle of the last one.
    Cycle reserve_in_turn(Cycle earliest, std::uint32_t count) {
        if (count == 1) return reserve(earliest);
        const std::uint64_t slot = first_slot(earliest);
        const std::uint64_t index = slot >> 6U;
        if (index - first_word_ <= mask_) {
            std::uint64_t& bits = word(index);
            const std::uint64_t open = ~bits & kAllOnes << (slot & 63U);
            const auto first = static_cast<std::uint32_t>(__builtin_ctzll(open | kLastSlot));
            if (first + count < 64) {
                const std::uint64_t run = ((std::uint64_t{1} << count) - 1) << first;
                if ((open & run) == run && (bits | run) != kAllOnes) {
                    bits |= run;
                    return start_of((slot & ~std::uint64_t{63}) + first + count - 1, earliest);
                }
            }
        }
        return reserve_run(earliest, count);
    }
    /// Returns the result of reserve() without a reservation.
    [[nodiscard]] Cycle first_free(Cycle earliest) const;
    static constexpr std::uint32_t kMostFree = 64;
    /// Returns whether `cycles` (1 to kMostFree) cycles from `first` on are free and all in the
    /// window. Unit rate (one request a cycle) only.
    [[nodiscard]] bool is_free(Cycle first, std::uint32_t cycles) {
        const std::uint64_t index = first >> 6U;
        const std::uint64_t last = (first + cycles - 1) >> 6U;
        if (index < first_word_ || last - first_word_ > mask_) return false;
        const std::uint64_t run = kAllOnes >> (64 - cycles);
        const std::uint64_t shift = first & 63U;
        if ((word(index) & (run << shift)) != 0) return false;
        return last == index || (word(last) & (run >> (64 - shift))) == 0;
    }
    /// Takes cycles for which is_free() returned true.
    void take_free(Cycle first, std::uint32_t cycles) {
        const std::uint64_t index = first >> 6U;
        const std::uint64_t last = (first + cycles - 1) >> 6U;
        const std::uint64_t run = kAllOnes >> (64 - cycles);
        const std::uint64_t shift = first & 63U;
        add(index, run << shift);
        if (last != index) add(last, run >> (64 - shift));
    }
    /// Moves the window to `now`: no later request is for an earlier cycle. Never moves back.
    void advance(Cycle now) {
        const std::uint64_t word = (unit_rate_ ? now : slot_of(now)) >> 6U;
        if (word > first_word_) slide(word);
    }

private:
    static constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
    static constexpr std::uint64_t kLastSlot = std::uint64_t{1} << 63U;  ///< last slot of a word
    [[nodiscard]] std::uint64_t slot_of(Cycle cycle) const {
        return cycle * slots_.value() / cycles_;
    }
    /// Returns the first slot in the window that does not end before `earliest`.
    [[nodiscard]] std::uint64_t first_slot(Cycle earliest) const {
        const std::uint64_t requested = unit_rate_ ? earliest : slot_of(earliest);
        return requested < first_word_ << 6U ? first_word_ << 6U : requested;
    }
    /// Returns the cycle at which a request that arrived at `earliest` is served in `slot`.
    [[nodiscard]] Cycle start_of(std::uint64_t slot, Cycle earliest) const {
        if (unit_rate_) return slot;
        const Cycle start = slot * cycles_.value() / slots_;
        return start > earliest ? start : earliest;
    }
    [[nodiscard]] std::uint64_t& word(std::uint64_t index) { return words_[index & mask_]; }
    [[nodiscard]] std::uint64_t word(std::uint64_t index) const { return words_[index & mask_]; }
    void add(std::uint64_t index, std::uint64_t slots) {
        std::uint64_t& bits = word(index);
        bits |= slots;
        if (bits == kAllOnes) mark_full(index);
    }
    std::uint64_t take(std::uint64_t slot) {
        const std::uint64_t index = slot >> 6U;
        if (index - first_word_ <= mask_) {
            std::uint64_t& bits = word(index);
            const std::uint64_t open = ~bits & kAllOnes << (slot & 63U);
            const std::uint64_t bit = open & -open;
            if (open != 0 && (bits | bit) != kAllOnes) {
                bits |= bit;
                return (slot & ~std::uint64_t{63}) |
                       static_cast<std::uint64_t>(__builtin_ctzll(open));
            }
        }
        return search(slot);
    }
    std::uint64_t search(std::uint64_t slot);
    Cycle reserve_run(Cycle earliest, std::uint32_t count);
    void slide(std::uint64_t word);
    void grow(std::uint64_t last_word);
    [[nodiscard]] std::uint64_t next_open_word(std::uint64_t index) const;
    void mark_full(std::uint64_t index);

    // Fields that most reservations access, kept together.
    bool unit_rate_;                    ///< one slot a cycle: no conversion
    std::uint64_t first_word_ = 0;      ///< absolute index of the window's first word
    std::uint64_t mask_;                ///< size of the ring less one
    std::vector<std::uint64_t> words_;  ///< bit = slot taken; ring, power-of-two size
    Divisor slots_, cycles_;            ///< reduced
    std::vector<std::uint64_t> full_;   ///< bit = word full; ring over the same indices
};

}  // namespace tessera

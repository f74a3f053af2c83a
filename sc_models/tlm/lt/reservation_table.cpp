#include "sc_models/tlm/lt/reservation_table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tessera {

namespace {

constexpr std::size_t kInitialWords = 64;  // one word of the second level

/// Returns `of` divided by the greatest common divisor of `of` and `with`.
std::uint64_t reduced(std::uint64_t of, std::uint64_t with) {
    if (of == 0 || with == 0) throw std::logic_error("ReservationTable: rate of zero");
    return of / std::gcd(of, with);
}

}  // namespace

ReservationTable::ReservationTable(std::uint64_t slots, std::uint64_t cycles)
    : unit_rate_(slots == cycles),
      mask_(kInitialWords - 1),
      words_(kInitialWords),
      slots_(reduced(slots, cycles)),
      cycles_(reduced(cycles, slots)),
      full_(kInitialWords / 64) {}

/// Takes the first free slot from `slot` on (slow path).
std::uint64_t ReservationTable::search(std::uint64_t slot) {
    std::uint64_t index = slot >> 6U;
    if (index - first_word_ > mask_) grow(index);
    std::uint64_t open = ~word(index) & (kAllOnes << (slot & 63U));
    if (open == 0) {
        index = next_open_word(index + 1);
        if (index - first_word_ > mask_) grow(index);
        open = ~word(index);
    }
    const auto bit = static_cast<std::uint64_t>(__builtin_ctzll(open));
    std::uint64_t& bits = word(index);
    bits |= std::uint64_t{1} << bit;
    if (bits == kAllOnes) mark_full(index);
    return index * 64 + bit;
}

Cycle ReservationTable::first_free(Cycle earliest) const {
    const std::uint64_t slot = first_slot(earliest);
    const std::uint64_t end = first_word_ + words_.size();
    std::uint64_t index = slot >> 6U;
    if (index >= end) return start_of(slot, earliest);
    std::uint64_t open = ~word(index) & (kAllOnes << (slot & 63U));
    if (open == 0) {
        index = next_open_word(index + 1);
        open = index >= end ? kAllOnes : ~word(index);
    }
    return start_of(index * 64 + static_cast<std::uint64_t>(__builtin_ctzll(open)), earliest);
}

/// Takes `count` slots in one pass; no slot before the one just taken is free for the next.
Cycle ReservationTable::reserve_run(Cycle earliest, std::uint32_t count) {
    std::uint64_t slot = first_slot(earliest);
    std::uint64_t index = slot >> 6U;
    if (index - first_word_ > mask_) grow(index);
    std::uint64_t open = ~word(index) & (kAllOnes << (slot & 63U));
    while (true) {
        std::uint64_t taken = 0;
        for (; open != 0 && count != 0; --count) {
            const std::uint64_t lowest = open & -open;
            taken |= lowest;
            open ^= lowest;
        }
        if (taken != 0) {
            add(index, taken);
            slot = index * 64 + 63 - static_cast<std::uint64_t>(__builtin_clzll(taken));
        }
        if (count == 0) return start_of(slot, earliest);
        index = next_open_word(index + 1);
        if (index - first_word_ > mask_) grow(index);
        open = ~word(index);
    }
}

/// Returns the first word at or after `index` that is not full; may be the first beyond the ring.
std::uint64_t ReservationTable::next_open_word(std::uint64_t index) const {
    const std::uint64_t end = first_word_ + words_.size();
    while (index < end) {
        const std::uint64_t at = index & mask_;
        const std::uint64_t open = ~full_[at >> 6U] & (kAllOnes << (at & 63U));
        if (open != 0) {
            const std::uint64_t found =
                index - (at & 63U) + static_cast<std::uint64_t>(__builtin_ctzll(open));
            return std::min(found, end);
        }
        index += 64 - (at & 63U);
    }
    return end;
}

void ReservationTable::mark_full(std::uint64_t index) {
    const std::uint64_t at = index & mask_;
    full_[at >> 6U] |= std::uint64_t{1} << (at & 63U);
}

void ReservationTable::slide(std::uint64_t first) {
    if (first - first_word_ > mask_) {
        std::fill(words_.begin(), words_.end(), 0);
        std::fill(full_.begin(), full_.end(), 0);
    } else {
        for (std::uint64_t i = first_word_; i < first; ++i) {
            const std::uint64_t at = i & mask_;
            words_[at] = 0;
            full_[at >> 6U] &= ~(std::uint64_t{1} << (at & 63U));
        }
    }
    first_word_ = first;
}

/// Enlarges the ring until it holds absolute word `last_word`.
void ReservationTable::grow(std::uint64_t last_word) {
    std::size_t size = words_.size();
    while (last_word - first_word_ >= size) size *= 2;
    std::vector<std::uint64_t> old(size);
    old.swap(words_);
    mask_ = size - 1;
    full_.assign(size / 64, 0);
    for (std::uint64_t i = first_word_; i < first_word_ + old.size(); ++i) {
        word(i) = old[i & (old.size() - 1)];
        if (word(i) == kAllOnes) mark_full(i);
    }
}

}  // namespace tessera

// Timing wheel (calendar queue) of a cache's outstanding fills.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Miss registers of a loosely-timed cache, each with a value T, ordered by the cycle at which
/// their fills complete: a few hundred at a time, inserted in any order. A ring of buckets of
/// kCycles cycles, with one occupancy bit a bucket; the registers of a bucket form an ordered list.
/// The few fills beyond the ring, or before its beginning, are in a sorted overflow list. No
/// allocation once that list has reached its usual size.
template <class T>
class FillTimingWheel {
public:
    using Index = std::uint16_t;  ///< of a register
    static constexpr Index kNone = 0xFFFF;

    /// Makes registers 0 to `capacity` - 1; `capacity` is at most kNone.
    explicit FillTimingWheel(std::uint32_t capacity) : registers_(capacity) { heads_.fill(kNone); }

    /// Returns the value of a register, in the wheel or not.
    [[nodiscard]] T& operator[](Index index) { return registers_[index].value; }
    [[nodiscard]] const T& operator[](Index index) const { return registers_[index].value; }

    /// Inserts a register that is not in the wheel. `before(a, b)` breaks ties of `ready`: whether
    /// a leaves before b.
    template <class Before>
    void push(Index index, Cycle ready, const Before& before) {
        registers_[index].ready = ready;
        registers_[index].next = kNone;
        const std::uint64_t bucket = ready / kCycles;
        if (in_ring_ == 0) begin_ = bucket - std::min(bucket, kBuckets / 4);
        if (bucket - begin_ < kBuckets) {
            insert(index, bucket, before);
        } else {
            insert_overflow(index, before);
        }
        if (ready < earliest_ || (ready == earliest_ && before(index, first_))) {
            earliest_ = ready;
            first_ = index;
        }
    }
    /// Returns the completion of the earliest fill; kNever if there is none.
    [[nodiscard]] Cycle earliest() const { return earliest_; }
    /// Returns the register with the earliest fill.
    [[nodiscard]] Index first() const { return first_; }
    /// Removes and returns the earliest register; there must be one.
    template <class Before>
    Index pop(const Before& before) {
        const Index popped = first_;
        if (!overflow_.empty() && overflow_.back() == popped) {
            overflow_.pop_back();
        } else {
            begin_ = earliest_ / kCycles;  // no other register in the ring is earlier
            Index& head = heads_[begin_ % kBuckets];
            head = registers_[popped].next;
            if (head == kNone) occupied_[begin_ % kBuckets / 64] ^= bit_of(begin_);
            --in_ring_;
        }
        find_first(before);
        return popped;
    }
    /// Calls `visit` with the first register of each bucket up to `until`.
    template <class Visit>
    void visit_until(Cycle until, Visit&& visit) const {
        if (in_ring_ == 0) return;
        const std::uint64_t end = std::min(until / kCycles + 1, begin_ + kBuckets);
        for (std::uint64_t bucket = next_occupied(begin_); bucket < end;
             bucket = next_occupied(bucket + 1)) {
            visit(heads_[bucket % kBuckets]);
        }
    }

private:
    /// Aligned to stay within one host cache line.
    struct alignas(sizeof(T) <= 24 ? 32 : 64) Register {
        std::uint64_t ready : 48;
        std::uint64_t next : 16;  ///< next in the bucket
        T value;
        Register() : ready(0), next(kNone), value() {}
    };
    static constexpr Cycle kCycles = 4;
    static constexpr std::uint64_t kBuckets = 1024;
    static constexpr std::uint64_t kWords = kBuckets / 64;

    [[nodiscard]] static std::uint64_t bit_of(std::uint64_t bucket) {
        return std::uint64_t{1} << bucket % 64;
    }
    template <class Before>
    [[nodiscard]] bool precedes(Index a, Index b, const Before& before) const {
        const Cycle of_a = registers_[a].ready, of_b = registers_[b].ready;
        return of_a != of_b ? of_a < of_b : before(a, b);
    }
    template <class Before>
    void insert(Index index, std::uint64_t bucket, const Before& before) {
        Index& head = heads_[bucket % kBuckets];
        ++in_ring_;
        occupied_[bucket % kBuckets / 64] |= bit_of(bucket);
        if (head == kNone || precedes(index, head, before)) {
            registers_[index].next = head;
            head = index;
            return;
        }
        Index previous = head;
        while (registers_[previous].next != kNone &&
               precedes(registers_[previous].next, index, before)) {
            previous = registers_[previous].next;
        }
        registers_[index].next = registers_[previous].next;
        registers_[previous].next = index;
    }
    template <class Before>
    void insert_overflow(Index index, const Before& before) {
        const auto later = [&](Index a, Index b) { return precedes(b, a, before); };
        overflow_.insert(std::upper_bound(overflow_.begin(), overflow_.end(), index, later), index);
    }
    /// Returns the first occupied bucket from `bucket` on, within one revolution of the ring.
    [[nodiscard]] std::uint64_t next_occupied(std::uint64_t bucket) const {
        std::uint64_t word = bucket / 64;
        std::uint64_t bits = occupied_[word % kWords] & ~std::uint64_t{0} << bucket % 64;
        for (std::uint64_t searched = 0; bits == 0 && searched < kWords; ++searched) {
            bits = occupied_[++word % kWords];
        }
        return bits == 0 ? ~std::uint64_t{0}
                         : word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits));
    }
    template <class Before>
    void find_first(const Before& before) {
        first_ = in_ring_ == 0 ? kNone : heads_[next_occupied(begin_) % kBuckets];
        if (!overflow_.empty() && (first_ == kNone || precedes(overflow_.back(), first_, before))) {
            first_ = overflow_.back();
        }
        earliest_ = first_ == kNone ? kNever : registers_[first_].ready;
    }

    Cycle earliest_ = kNever;
    Index first_ = kNone;
    std::uint32_t in_ring_ = 0;
    std::uint64_t begin_ = 0;  ///< first bucket of the ring
    std::array<std::uint64_t, kWords> occupied_{};
    std::array<Index, kBuckets> heads_{};
    std::vector<Register> registers_;
    std::vector<Index> overflow_;  ///< overflow list, the earliest last
};

}  // namespace tessera

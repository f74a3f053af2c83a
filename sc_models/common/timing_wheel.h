// Timing wheel: a queue of values by due cycle.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Values ordered by due cycle; those of one cycle stay in insertion order. Implemented as a ring
/// of buckets, one per cycle, with one bit per bucket for the search of the next; the ring grows
/// when a value lies beyond it. A bucket is a list of nodes; freed nodes are reused at once and
/// stay in the host's nearest cache. No allocation in the steady state.
template <class T>
class TimingWheel {
public:
    /// `horizon`: usual distance of due cycles from the present.
    explicit TimingWheel(Cycle horizon) {
        std::size_t size = kWord;
        while (size <= horizon) size *= 2;
        resize(size);
    }

    /// Adds a value due at `at`. Precondition: `now`, the present cycle, is not after `at`.
    void push(Cycle now, Cycle at, T value) {
        if (count_ == 0) begin_ = now;
        while (at - begin_ > mask_) grow();
        insert(at, take_node(std::move(value)));
        ++count_;
        if (at < next_) next_ = at;
    }
    /// Cycle of the first value; kNever if empty.
    [[nodiscard]] Cycle next() const { return next_; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// Removes all values due at `now` or before and passes each to `due`, which may push more.
    template <class Due>
    void drain(Cycle now, Due&& due) {
        drain(now, std::forward<Due>(due), [](const T&) {});
    }
    /// Variant that passes each value to `prefetch` shortly before it passes it to `due`.
    template <class Due, class Prefetch>
    void drain(Cycle now, Due&& due, Prefetch&& prefetch) {
        while (next_ <= now) {
            begin_ = next_;
            std::uint32_t node = take_bucket();
            std::uint32_t ahead = node;
            for (std::uint32_t i = 0; i < kAhead && ahead != kNone; ++i)
                prefetch_node(ahead, prefetch);
            while (node != kNone) {
                if (ahead != kNone) prefetch_node(ahead, prefetch);
                T value = std::move(nodes_[node].value);
                const std::uint32_t behind = nodes_[node].next;
                nodes_[node].next = free_;
                free_ = node;
                node = behind;
                due(value);
            }
        }
    }

private:
    static constexpr std::size_t kWord = 64;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr std::uint32_t kAhead = 3;

    struct Bucket {
        std::uint32_t first, last;  ///< nodes; undefined if the bucket's bit is clear
        std::uint32_t size;
    };
    struct Node {
        T value;
        std::uint32_t next;
    };

    template <class Prefetch>
    void prefetch_node(std::uint32_t& node, Prefetch&& prefetch) {
        prefetch(nodes_[node].value);
        node = nodes_[node].next;
    }
    std::uint32_t take_node(T value) {
        const std::uint32_t node = free_;
        if (node == kNone) {
            nodes_.push_back({std::move(value), kNone});
            return static_cast<std::uint32_t>(nodes_.size() - 1);
        }
        free_ = nodes_[node].next;
        nodes_[node] = {std::move(value), kNone};
        return node;
    }
    void insert(Cycle at, std::uint32_t node) {
        const std::size_t index = at & mask_;
        Bucket& bucket = buckets_[index];
        std::uint64_t& occupied = occupied_[index / kWord];
        const std::uint64_t bit = std::uint64_t{1} << (index % kWord);
        if ((occupied & bit) == 0) {
            occupied |= bit;
            bucket.first = node;
            bucket.size = 0;
        } else {
            nodes_[bucket.last].next = node;
        }
        bucket.last = node;
        ++bucket.size;
    }
    /// Empties the bucket of begin_ and returns its first node.
    std::uint32_t take_bucket() {
        const std::size_t index = begin_ & mask_;
        occupied_[index / kWord] &= ~(std::uint64_t{1} << (index % kWord));
        count_ -= buckets_[index].size;
        next_ = search();
        return buckets_[index].first;
    }
    void resize(std::size_t size) {
        buckets_.assign(size, Bucket{kNone, kNone, 0});
        occupied_.assign(size / kWord, 0);
        mask_ = size - 1;
    }
    void grow() {
        const std::vector<Bucket> old = std::move(buckets_);
        const std::vector<std::uint64_t> occupied = std::move(occupied_);
        resize(2 * old.size());
        for (Cycle at = begin_; at < begin_ + old.size(); ++at) {
            const std::size_t index = at & (old.size() - 1);
            if ((occupied[index / kWord] >> (index % kWord) & 1U) == 0) continue;
            buckets_[at & mask_] = old[index];
            occupied_[(at & mask_) / kWord] |= std::uint64_t{1} << (at % kWord);
        }
    }
    /// First occupied cycle from begin_ on.
    [[nodiscard]] Cycle search() const {
        if (count_ == 0) return kNever;
        const std::size_t first = (begin_ & mask_) / kWord;
        std::uint64_t word = occupied_[first] & ~std::uint64_t{0} << (begin_ % kWord);
        for (std::size_t i = 0;; ++i) {
            if (word != 0) {
                return begin_ / kWord * kWord + i * kWord +
                       static_cast<Cycle>(__builtin_ctzll(word));
            }
            word = occupied_[(first + i + 1) & (occupied_.size() - 1)];
        }
    }

    std::vector<Bucket> buckets_;          ///< by cycle, modulo the number of buckets
    std::vector<std::uint64_t> occupied_;  ///< one bit per bucket
    std::size_t mask_ = 0;                 ///< number of buckets - 1
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNone;  ///< first free node
    std::size_t count_ = 0;
    Cycle begin_ = 0;  ///< no value is due before
    Cycle next_ = kNever;
};

}  // namespace tessera

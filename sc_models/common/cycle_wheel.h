// Queue of things that are due at a cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Values by the cycle they are due, of one cycle in the order in which they were put in. A ring of
/// buckets, one a cycle, with one bit a bucket to find the next; the ring grows when something is
/// due beyond it. No allocation once it has seen its usual load.
template <class T>
class CycleWheel {
public:
    /// `horizon` is how far ahead values usually are due.
    explicit CycleWheel(Cycle horizon) {
        std::size_t size = kWord;
        while (size <= horizon) size *= 2;
        resize(size);
    }

    /// Adds a value due at `at`; `now` is the present cycle, which is not after `at`.
    void push(Cycle now, Cycle at, T value) {
        if (count_ == 0) begin_ = now;
        while (at - begin_ >= buckets_.size()) grow();
        place(at, std::move(value));
        ++count_;
        if (at < next_) next_ = at;
    }
    /// When the first value is due; kNever if there is none.
    [[nodiscard]] Cycle next() const { return next_; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// Takes out all values due at `now` or before and hands each to `due`, which may push more.
    template <class Due>
    void drain(Cycle now, Due&& due) {
        while (next_ <= now) {
            begin_ = next_;
            std::vector<T>& bucket = buckets_[next_ & mask()];
            taken_.swap(bucket);
            occupied_[(next_ & mask()) / kWord] &= ~bit(next_);
            count_ -= taken_.size();
            next_ = search();
            for (std::size_t i = 0; i < taken_.size(); ++i) due(taken_[i]);
            taken_.clear();
        }
    }

private:
    static constexpr std::size_t kWord = 64;

    [[nodiscard]] std::size_t mask() const { return buckets_.size() - 1; }
    [[nodiscard]] std::uint64_t bit(Cycle at) const { return std::uint64_t{1} << (at % kWord); }
    void place(Cycle at, T value) {
        buckets_[at & mask()].push_back(std::move(value));
        occupied_[(at & mask()) / kWord] |= bit(at);
    }
    void resize(std::size_t size) {
        buckets_.resize(size);
        occupied_.assign(size / kWord, 0);
    }
    void grow() {
        std::vector<std::vector<T>> old;
        old.swap(buckets_);
        resize(2 * old.size());
        for (Cycle at = begin_; at < begin_ + old.size(); ++at) {
            for (T& value : old[at & (old.size() - 1)]) place(at, std::move(value));
        }
    }
    /// The first occupied cycle from begin_ on.
    [[nodiscard]] Cycle search() const {
        if (count_ == 0) return kNever;
        const std::size_t first = (begin_ & mask()) / kWord;
        std::uint64_t word = occupied_[first] & ~std::uint64_t{0} << (begin_ % kWord);
        for (std::size_t i = 0;; ++i) {
            if (word != 0) {
                return begin_ / kWord * kWord + i * kWord +
                       static_cast<Cycle>(__builtin_ctzll(word));
            }
            word = occupied_[(first + i + 1) & (occupied_.size() - 1)];
        }
    }

    std::vector<std::vector<T>> buckets_;  ///< by cycle, modulo their number
    std::vector<std::uint64_t> occupied_;  ///< one bit a bucket
    std::vector<T> taken_;                 ///< the bucket being drained
    std::size_t count_ = 0;
    Cycle begin_ = 0;  ///< nothing is due before
    Cycle next_ = kNever;
};

}  // namespace tessera

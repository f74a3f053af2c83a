// Occupancy of a bounded queue, for loosely-timed callers whose leave cycles are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Queue of `entries` whose requests leave in order: a ring of the leave cycles of the last
/// requests.
class FifoOccupancy {
public:
    explicit FifoOccupancy(std::uint32_t entries) : left_(entries) {}
    /// Returns the cycle at which a request that arrives at `at` finds room.
    [[nodiscard]] Cycle enter(Cycle at) const { return std::max(at, left_[oldest_]); }
    /// enter() behind `others` (fewer than entries) requests whose leave cycles are unknown yet.
    [[nodiscard]] Cycle enter_behind(std::size_t others, Cycle at) const {
        const std::size_t place = oldest_ + others;
        return std::max(at, left_[place < left_.size() ? place : place - left_.size()]);
    }
    [[nodiscard]] std::size_t entries() const { return left_.size(); }
    /// Sets the leave cycle of the request that entered last; not before its predecessor's.
    void leave(Cycle at) {
        left_[oldest_] = at;
        if (++oldest_ == left_.size()) oldest_ = 0;
    }

private:
    std::vector<Cycle> left_;
    std::size_t oldest_ = 0;
};

/// Occupancy of a queue whose requests may leave out of order: a new request takes the entry of the
/// one that leaves first. Leave cycles are sorted, earliest first; most requests leave after almost
/// all others.
class UnorderedOccupancy {
public:
    explicit UnorderedOccupancy(std::uint32_t entries) : left_(entries) {}
    [[nodiscard]] Cycle enter(Cycle at) const { return std::max(at, left_[first_]); }
    void leave(Cycle at) {
        Cycle* const left = left_.data();
        const std::size_t last = left_.size() - 1;
        std::size_t place = first_;  // entry of the first to leave, which becomes the last in order
        const std::size_t first = place == last ? 0 : place + 1;
        first_ = first;
        while (place != first) {
            const std::size_t before = place == 0 ? last : place - 1;
            const Cycle left_before = left[before];
            if (left_before <= at) break;
            left[place] = left_before;
            place = before;
        }
        left[place] = at;
    }

private:
    std::vector<Cycle> left_;  ///< ring, sorted from first_ on
    std::size_t first_ = 0;
};

}  // namespace tessera

// Occupancy of a bounded queue, for loosely-timed callers who know when their request will leave
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// A queue of `entries` whose requests leave in the order in which they came: a ring of the cycles
/// at which the last ones did.
class OrderedOccupancy {
public:
    explicit OrderedOccupancy(std::uint32_t entries) : left_(entries) {}
    /// When a request that comes at `at` finds room.
    [[nodiscard]] Cycle enter(Cycle at) const { return std::max(at, left_[oldest_]); }
    /// The same behind `others`, fewer than entries, of which it is not known yet when they leave.
    [[nodiscard]] Cycle enter_behind(std::size_t others, Cycle at) const {
        const std::size_t place = oldest_ + others;
        return std::max(at, left_[place < left_.size() ? place : place - left_.size()]);
    }
    [[nodiscard]] std::size_t entries() const { return left_.size(); }
    /// The request that entered last leaves at `at`, not before its predecessor.
    void leave(Cycle at) {
        left_[oldest_] = at;
        if (++oldest_ == left_.size()) oldest_ = 0;
    }

private:
    std::vector<Cycle> left_;
    std::size_t oldest_ = 0;
};

/// As OrderedOccupancy, but requests may overtake each other on their way out: a request takes the
/// place of whichever leaves first. Kept in order, earliest first: most leave after almost all
/// others.
class UnorderedOccupancy {
public:
    explicit UnorderedOccupancy(std::uint32_t entries) : left_(entries) {}
    [[nodiscard]] Cycle enter(Cycle at) const { return std::max(at, left_[first_]); }
    void leave(Cycle at) {
        Cycle* const left = left_.data();
        const std::size_t last = left_.size() - 1;
        std::size_t place = first_;  // of the first to leave, from now on the last in order
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
    std::vector<Cycle> left_;  ///< a ring, sorted from first_ on
    std::size_t first_ = 0;
};

}  // namespace tessera

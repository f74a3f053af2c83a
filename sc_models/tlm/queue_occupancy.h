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
/// place of whichever leaves first. A heap with the earliest place on top.
class UnorderedOccupancy {
public:
    explicit UnorderedOccupancy(std::uint32_t entries) : left_(entries) {}
    [[nodiscard]] Cycle enter(Cycle at) const { return std::max(at, left_.front()); }
    void leave(Cycle at) {
        std::size_t place = 0;
        for (std::size_t child = 1; child < left_.size(); child = 2 * place + 1) {
            if (child + 1 < left_.size()) child += left_[child + 1] < left_[child] ? 1 : 0;
            if (left_[child] >= at) break;
            left_[place] = left_[child];
            place = child;
        }
        left_[place] = at;
    }

private:
    std::vector<Cycle> left_;
};

}  // namespace tessera

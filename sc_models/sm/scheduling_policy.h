// Warp-scheduling policy of a sub-core.
#pragma once

#include <cstdint>

#include "sc_models/config/sm_config.h"

namespace tessera {

/// Order in which a warp scheduler serves the warps that can issue in the same cycle. A new policy
/// is a value of SchedulerPolicy and a case of rank().
///
/// Greedy-then-oldest (Rogers et al., MICRO 2012): the warp that issued last, then the oldest.
/// Loose round robin: the next slot behind the one that issued last.
class SchedulingPolicy {
public:
    /// Ranks lie in 0..kMaxRank.
    static constexpr std::uint32_t kMaxRank = 511;

    /// `slots`: warp slots of the scheduler, at most 256.
    SchedulingPolicy(SchedulerPolicy kind, std::uint32_t slots) : kind_(kind), slots_(slots) {}

    /// Returns the rank of the warp in `slot`; the lowest rank issues first. `age_order` counts the
    /// resident warps from the oldest one, 0, on. `last` is the slot that issued last; -1: none, or
    /// its warp has exited.
    [[nodiscard]] std::uint32_t rank(std::uint32_t slot, std::uint32_t age_order, int last) const {
        switch (kind_) {
            case SchedulerPolicy::kGreedyThenOldest:
                return static_cast<int>(slot) == last ? 0 : 1 + age_order;
            case SchedulerPolicy::kLooseRoundRobin: {
                const auto next = static_cast<std::uint32_t>(last + 1);
                return slot >= next ? slot - next : slot + slots_ - next;
            }
        }
        return kMaxRank;
    }

private:
    const SchedulerPolicy kind_;
    const std::uint32_t slots_;
};

}  // namespace tessera

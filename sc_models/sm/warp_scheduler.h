// Warp scheduler of a sub-core: selection, wake-up cycle and stall reason.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/sm/execution_unit.h"
#include "sc_models/sm/scheduling_policy.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {

/// Readiness of a warp's next instruction.
struct WarpReadiness {
    /// Cycle at which its operands are available; kNever: at a barrier, or not known yet.
    Cycle ready = kNever;
    StallReason wait = StallReason::kNoWarp;  ///< stall reason until `ready`
    ExecutionUnit unit = ExecutionUnit::kNone;
};

/// Scheduler of the warp slots of a sub-core (Duplo Table III: four in an SM), without SystemC.
/// Cycles are core cycles.
///
/// A warp can issue in a cycle if its operands are available and its unit is free. Of several the
/// SchedulingPolicy selects one. Memory instructions also need a grant of the SM's LDST unit, so
/// schedule() reports them apart. Callers keep the readiness of each slot and the first free cycle
/// of each unit up to date.
class WarpScheduler {
public:
    static constexpr int kNoSlot = -1;

    /// Result of schedule().
    struct Schedule {
        Cycle from = 0;           ///< argument of schedule()
        Cycle issue = kNever;     ///< first cycle at which a warp can issue without a grant
        int slot = kNoSlot;       ///< slot that the policy selects in that cycle
        Cycle memory = kNever;    ///< first cycle at which a memory instruction has its operands
        Cycle earliest = kNever;  ///< first cycle at which any instruction can issue, from 0 on
        StallReason reason = StallReason::kNoWarp;  ///< stall reason until the next issue
    };
    /// Memory instruction that a sub-core requests the LDST unit for.
    struct MemoryCandidate {
        std::uint32_t slot = 0;
        bool new_warp = true;   ///< its warp differs from the one that the unit served last
        std::uint64_t age = 0;  ///< position of its warp in launch order over the SM
    };

    WarpScheduler(SchedulerPolicy policy, std::uint32_t slots)
        : policy_(policy, slots),
          memory_policy_(SchedulerPolicy::kGreedyThenOldest, slots),
          readiness_(slots),
          ages_(slots) {
        resident_.reserve(slots);
    }

    /// Adds a slot behind the others that schedule() and select() ignore; returns its number.
    std::uint32_t add_background_slot() {
        readiness_.emplace_back();
        return static_cast<std::uint32_t>(readiness_.size() - 1);
    }

    /// Makes the warp in `slot` resident. Warps become resident in the order of `age`.
    void add(std::uint32_t slot, std::uint64_t age) {
        ages_[slot] = age;
        resident_.push_back(slot);
    }
    /// Removes the warp in `slot`, which has exited.
    void remove(std::uint32_t slot);
    /// Returns the slots of the resident warps, oldest first.
    [[nodiscard]] const std::vector<std::uint32_t>& resident() const { return resident_; }

    [[nodiscard]] const WarpReadiness& readiness(std::uint32_t slot) const {
        return readiness_[slot];
    }
    void set_readiness(std::uint32_t slot, const WarpReadiness& readiness) {
        readiness_[slot] = readiness;
    }
    /// Sets the stall reason of the warp in `slot`, whatever it waits for.
    void set_wait(std::uint32_t slot, StallReason reason) { readiness_[slot].wait = reason; }
    /// Blocks the warp in `slot`, for `reason`, until set_readiness().
    void block(std::uint32_t slot, StallReason reason) {
        readiness_[slot].ready = kNever;
        readiness_[slot].wait = reason;
    }
    /// Returns whether the warp in `slot` waits at a barrier.
    [[nodiscard]] bool at_barrier(std::uint32_t slot) const {
        return readiness_[slot].ready == kNever && readiness_[slot].wait == StallReason::kBarrier;
    }
    /// Returns whether the warp in `slot` waits for a result whose cycle is not known yet.
    [[nodiscard]] bool awaits_result(std::uint32_t slot) const {
        return readiness_[slot].ready == kNever && !at_barrier(slot);
    }
    /// Returns whether the warp in `slot` has a memory instruction with its operands at `now`.
    [[nodiscard]] bool memory_ready(std::uint32_t slot, Cycle now) const {
        return readiness_[slot].unit == ExecutionUnit::kLdst && readiness_[slot].ready <= now;
    }
    /// Returns whether the warp in `slot` has its operands and its unit at `now`.
    [[nodiscard]] bool can_issue(std::uint32_t slot, Cycle now) const {
        return readiness_[slot].ready <= now && free_at(readiness_[slot].unit) <= now;
    }

    /// Returns the first cycle at which `unit` takes an instruction.
    [[nodiscard]] Cycle free_at(ExecutionUnit unit) const {
        return free_at_[static_cast<std::size_t>(unit)];
    }
    /// Sets that cycle; kNever keeps the instructions of the unit from being selected.
    void set_free_at(ExecutionUnit unit, Cycle cycle) {
        free_at_[static_cast<std::size_t>(unit)] = cycle;
    }

    /// Returns the slot that issues at `now`; kNoSlot: none can.
    [[nodiscard]] int select(Cycle now) const {
        return first(policy_, last_issued_,
                     [&](std::uint32_t slot) { return can_issue(slot, now); });
    }
    /// Returns the memory instruction to request the LDST unit for at `now`. The order is that of
    /// the unit's arbiter whatever the policy: the warp served last, then the oldest.
    [[nodiscard]] std::optional<MemoryCandidate> memory_candidate(Cycle now) const {
        const int slot = first(memory_policy_, last_memory_,
                               [&](std::uint32_t s) { return memory_ready(s, now); });
        if (slot == kNoSlot) return std::nullopt;
        const auto index = static_cast<std::uint32_t>(slot);
        return MemoryCandidate{index, slot != last_memory_, ages_[index]};
    }
    /// Records that the warp in `slot` issued, or that the LDST unit served it.
    void set_last_issued(std::uint32_t slot) { last_issued_ = static_cast<int>(slot); }
    void set_last_memory(std::uint32_t slot) { last_memory_ = static_cast<int>(slot); }

    /// Finds the next issue at or after `from`, and the stall reason until then.
    const Schedule& schedule(Cycle from);
    /// Returns the result of the latest schedule().
    [[nodiscard]] const Schedule& scheduled() const { return schedule_; }

private:
    /// Returns the resident slot of the lowest rank for which `can_issue` holds; kNoSlot: none.
    template <class CanIssue>
    [[nodiscard]] int first(const SchedulingPolicy& policy, int last,
                            const CanIssue& can_issue) const {
        int first = kNoSlot;
        std::uint32_t lowest = SchedulingPolicy::kMaxRank + 1;
        for (std::uint32_t order = 0; order < resident_.size(); ++order) {
            const std::uint32_t slot = resident_[order];
            if (!can_issue(slot)) continue;
            const std::uint32_t rank = policy.rank(slot, order, last);
            if (rank >= lowest) continue;
            lowest = rank;
            first = static_cast<int>(slot);
        }
        return first;
    }
    /// Returns the stall reason when no warp has a known issue cycle: LDST busy if a warp is ready,
    /// otherwise the reason of the youngest warp that is not at a barrier.
    [[nodiscard]] StallReason unknown_wait() const;

    const SchedulingPolicy policy_, memory_policy_;
    std::vector<std::uint32_t> resident_;   ///< slots, oldest first
    std::vector<WarpReadiness> readiness_;  ///< indexed by slot
    std::array<Cycle, kExecutionUnits> free_at_{};
    Schedule schedule_;
    int last_issued_ = kNoSlot;
    int last_memory_ = kNoSlot;        ///< slot that the LDST unit served last
    std::vector<std::uint64_t> ages_;  ///< indexed by slot
};

}  // namespace tessera

#include "sc_models/sm/warp_scheduler.h"

namespace tessera {
namespace {

StallReason busy_reason(ExecutionUnit unit) {
    switch (unit) {
        case ExecutionUnit::kNone:
            return StallReason::kIssued;
        case ExecutionUnit::kTensor:
            return StallReason::kTensorBusy;
        case ExecutionUnit::kLdst:
            return StallReason::kLdstBusy;
        default:
            return StallReason::kAluBusy;
    }
}

}  // namespace

void WarpScheduler::remove(std::uint32_t slot) {
    resident_.erase(std::find(resident_.begin(), resident_.end(), slot));
    if (last_issued_ == static_cast<int>(slot)) last_issued_ = kNoSlot;
    if (last_memory_ == static_cast<int>(slot)) last_memory_ = kNoSlot;
}

StallReason WarpScheduler::unknown_wait() const {
    StallReason reason = resident_.empty() ? StallReason::kNoWarp : StallReason::kBarrier;
    for (const std::uint32_t slot : resident_) {
        if (readiness_[slot].ready != kNever) return StallReason::kLdstBusy;
        if (!at_barrier(slot)) reason = readiness_[slot].wait;
    }
    return reason;
}

const WarpScheduler::Schedule& WarpScheduler::schedule(Cycle from) {
    Cycle earliest = kNever;  // over all instructions, for the stall reason
    Cycle memory = kNever;
    const WarpReadiness* first = nullptr;
    // Cycle, rank and position of the first instruction that needs no grant are packed into one
    // number, because a chain of comparisons would mispredict on the host.
    constexpr std::uint32_t kPositionBits = 8;
    constexpr std::uint32_t kRankBits = 9;
    static_assert(SchedulingPolicy::kMaxRank < 1U << kRankBits);
    constexpr std::uint32_t kCycleShift = kPositionBits + kRankBits;
    constexpr Cycle kFar = Cycle{1} << (63 - kCycleShift);
    constexpr std::uint64_t kNone = kFar << kCycleShift;
    std::uint64_t next_issue = kNone;
    for (std::uint32_t i = 0; i < resident_.size(); ++i) {
        const std::uint32_t slot = resident_[i];
        const WarpReadiness& next = readiness_[slot];
        const bool needs_grant = next.unit == ExecutionUnit::kLdst;
        const Cycle at = std::max(next.ready, free_at(next.unit));
        memory = std::min(memory, needs_grant ? next.ready : kNever);
        const Cycle issue = std::min(needs_grant ? kFar : std::max(at, from), kFar);
        const std::uint64_t rank = policy_.rank(slot, i, last_issued_);
        next_issue = std::min(next_issue, issue << kCycleShift | rank << kPositionBits | i);
        first = at < earliest ? &next : first;
        earliest = std::min(earliest, at);
    }
    schedule_.from = from;
    schedule_.issue = kNever;
    if (next_issue < kNone) {
        schedule_.issue = next_issue >> kCycleShift;
        schedule_.slot = static_cast<int>(resident_[next_issue & ((1U << kPositionBits) - 1)]);
    }
    schedule_.memory = memory;
    schedule_.earliest = earliest;
    schedule_.reason = first == nullptr                      ? unknown_wait()
                       : free_at(first->unit) > first->ready ? busy_reason(first->unit)
                                                             : first->wait;
    return schedule_;
}

}  // namespace tessera

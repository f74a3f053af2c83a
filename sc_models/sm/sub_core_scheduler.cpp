#include <algorithm>

#include "sc_models/sm/sub_core.h"

// Warp scheduler of a sub-core: selection, wake-up cycle and stall reasons.

namespace tessera {
namespace {

StallReason busy_reason(std::size_t unit) {
    constexpr StallReason kReasons[] = {StallReason::kIssued,     StallReason::kAluBusy,
                                        StallReason::kAluBusy,    StallReason::kAluBusy,
                                        StallReason::kAluBusy,    StallReason::kAluBusy,
                                        StallReason::kTensorBusy, StallReason::kLdstBusy};
    return kReasons[unit];
}

}  // namespace

SubCore::Unit SubCore::unit_of(const WarpInstruction& instruction) {
    if (is_memory(instruction.opcode)) return Unit::kLdst;
    if (instruction.opcode == Opcode::kMma || instruction.opcode == Opcode::kSparseMma ||
        instruction.opcode == Opcode::kSparseFlush) {
        return Unit::kTensor;
    }
    if (instruction.opcode == Opcode::kAlu) return Unit::kAlu;
    if (instruction.opcode == Opcode::kFloats) return Unit::kFp32;
    if (instruction.opcode != Opcode::kOperation) return Unit::kNone;
    constexpr std::array<Unit, kOperations> kUnitOf = {Unit::kAlu,    Unit::kFp32,   Unit::kFp32,
                                                       Unit::kFp64,   Unit::kSfu,    Unit::kTensor,
                                                       Unit::kTensor, Unit::kBranch, Unit::kAlu};
    return kUnitOf[static_cast<std::size_t>(instruction.operation)];
}

int SubCore::select(Cycle now, bool ldst_granted) {
    free_at(Unit::kLdst) = ldst_granted ? ldst_.free_at() : kNever;
    const auto can_issue = [&](std::uint32_t slot) {
        const Next& next = next_[slot];
        return next.ready <= now && free_at(next.unit) <= now;
    };
    if (assistant_holds_port()) {
        return assistant_ready(now, ldst_granted) ? static_cast<int>(place_.warp_slots) : -1;
    }
    const int slot = select_warp(can_issue);
    if (slot >= 0 || !has_assistant_ || !assistant_ready(now, ldst_granted)) return slot;
    return static_cast<int>(place_.warp_slots);
}

template <class CanIssue>
int SubCore::select_warp(const CanIssue& can_issue) const {
    if (greedy_) {
        if (last_issued_ >= 0 && warps_[static_cast<std::size_t>(last_issued_)].program &&
            can_issue(static_cast<std::uint32_t>(last_issued_))) {
            return last_issued_;
        }
        for (const std::uint32_t slot : oldest_) {
            if (can_issue(slot)) return static_cast<int>(slot);
        }
        return -1;
    }
    // Loose round-robin: the first ready warp behind the one that issued last.
    for (std::uint32_t step = 1; step <= place_.warp_slots; ++step) {
        const auto slot =
            static_cast<std::uint32_t>(last_issued_ + static_cast<int>(step)) % place_.warp_slots;
        if (warps_[slot].program && can_issue(slot)) return static_cast<int>(slot);
    }
    return -1;
}

void SubCore::find_ready(std::uint32_t slot, Cycle from) {
    const Warp& warp = warps_[slot];
    const RegisterScoreboard& scoreboard = warp.scoreboard;
    const WarpInstruction& instruction = *warp.head;
    Next& next = next_[slot];
    if (ahead_ != nullptr) from_[slot] = from;
    next.ready = from;
    next.wait = StallReason::kAluResult;
    const auto wait_until = [&](Cycle cycle, Producer producer) {
        if (cycle <= next.ready) return;
        next.ready = cycle;
        next.wait = producer == Producer::kMemory   ? StallReason::kMemory
                    : producer == Producer::kTensor ? StallReason::kTensorResult
                                                    : StallReason::kAluResult;
    };
    const auto wait_for = [&](std::uint32_t reg) {
        wait_until(scoreboard.written(reg), scoreboard.producer(reg));
    };
    for (const std::uint8_t source : sources_of(instruction)) {
        if (source != kNoRegister) wait_for(source);
    }
    if (instruction.dst != kNoRegister) {
        wait_for(instruction.dst);
        wait_until(scoreboard.read_until(instruction.dst), Producer::kTensor);
        // Sums are read whole but may be loaded by several accesses, which may overtake one
        // another.
        const std::uint32_t end =
            std::min(instruction.dst + accumulators_of(instruction.opcode), scoreboard.registers());
        for (std::uint32_t r = instruction.dst + kAccessRegisters; r < end; r += kAccessRegisters) {
            wait_for(r);
        }
    }
    if (instruction.opcode == Opcode::kFloats || instruction.opcode == Opcode::kOperation) {
        const std::uint32_t sources = instruction.opcode == Opcode::kFloats
                                          ? float_sources_of(instruction)
                                          : function_sources_of(instruction);
        for (std::uint32_t i = 1; i < sources; ++i) wait_for(instruction.src_a + i);
    }
    // An exit or fence waits for all outstanding results of the warp.
    if (instruction.opcode == Opcode::kExit || instruction.opcode == Opcode::kFence) {
        for (std::uint32_t r = 0; r < scoreboard.registers(); ++r) wait_for(r);
    }
    next.unit = unit_of(instruction);
}

StallReason SubCore::unknown_wait() const {
    StallReason reason = resident_ == 0 ? StallReason::kNoWarp : StallReason::kBarrier;
    for (const std::uint32_t slot : oldest_) {
        if (next_[slot].ready != kNever) return StallReason::kLdstBusy;
        if (!at_barrier(slot)) reason = next_[slot].wait;
    }
    return reason;
}

void SubCore::schedule_beside_ldst(Cycle from) {
    Cycle earliest = kNever;  // over all instructions, for the stall reason
    Cycle memory = kNever;
    const Next* first = nullptr;
    // Finds the first instruction that needs no grant, by cycle, rank and age. The three are packed
    // into one number, because a chain of comparisons would mispredict on the host.
    constexpr Cycle kFar = Cycle{1} << 47U;
    constexpr std::uint64_t kNobody = kFar << 16U;
    std::uint64_t next_issue = kNobody;
    for (std::size_t i = 0; i < oldest_.size(); ++i) {
        const std::uint32_t slot = oldest_[i];
        const Next& next = next_[slot];
        const bool needs_grant = next.unit == Unit::kLdst;
        const Cycle at = std::max(next.ready, free_at(next.unit));
        memory = std::min(memory, needs_grant ? next.ready : kNever);
        const Cycle issue = std::min(needs_grant ? kFar : std::max(at, from), kFar);
        const std::uint64_t order = issue << 16U | std::uint64_t{rank_of(slot)} << 8U | i;
        next_issue = std::min(next_issue, order);
        first = at < earliest ? &next : first;
        earliest = std::min(earliest, at);
    }
    Cycle wake = kNever;
    if (next_issue < kNobody) {
        wake = next_issue >> 16U;
        next_slot_ = static_cast<int>(oldest_[next_issue & 0xFFU]);
    }
    scheduled_from_ = from;
    earliest_ = earliest;
    pending_reason_ = first == nullptr ? unknown_wait()
                      : free_at(first->unit) > first->ready
                          ? busy_reason(static_cast<std::size_t>(first->unit))
                          : first->wait;
    if (has_assistant_) schedule_assistant(from, earliest, wake, memory);
    if (observers_.wave != nullptr) {
        observers_.wave->set(traces_.stall, accounted_until_,
                             static_cast<std::uint64_t>(pending_reason_));
    }
    ldst_.request(place_.sub_core, memory == kNever ? kNever : std::max(memory, from));
    place_.wake_at = wake == kNever ? kNever : std::max(wake, from);
}

}  // namespace tessera

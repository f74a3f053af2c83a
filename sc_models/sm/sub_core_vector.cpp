#include <algorithm>
#include <utility>

#include "sc_models/sm/sub_core.h"

// Vector operations of a sub-core's warps, and the assistant warp that computes delegated ones.

namespace tessera {

void SubCore::attach(VectorUnit& unit, bool runs_assistant) {
    vector_unit_ = &unit;
    has_assistant_ = runs_assistant && unit.has_assistant();
    if (!has_assistant_) return;
    warps_.emplace_back();
    buffers_.emplace_back();
    warps_.back().program = unit.assistant_program();
    scheduler_.add_background_slot();
}

void SubCore::wake_assistant() {
    port_.account_until(time_.now());
    schedule_from_now();
}

void SubCore::stop_assistant() {
    assistant_busy_ = false;
    warps_.back().program = vector_unit_->assistant_program();
    warps_.back().head = warps_.back().end = nullptr;
    scheduler_.block(position_.warp_slots, StallReason::kNoWarp);
    wake_assistant();
}

SubCore::Execution SubCore::issue_vector_op(std::uint32_t slot, std::uint32_t instructions,
                                            Cycle next_issue) {
    if (vector_unit_ == nullptr) return {instructions, next_issue};
    Warp& warp = warps_[slot];
    const VectorDecision decision =
        vector_unit_->decode(warp_id(slot), warp.program->vector_operation(), time_.now());
    if (decision.pending) {
        warp.undecided = next_issue;
        scheduler_.block(slot, StallReason::kAluResult);
        return {instructions, next_issue, false};
    }
    warp.program->resolve(decision.outcome);
    return {instructions, std::max(next_issue, decision.known)};
}

void SubCore::decide_vector_op(WarpId id, const VectorDecision& decision) {
    port_.account_until(time_.now());
    const std::uint32_t slot = id.value() - position_.first_warp;
    Warp& warp = warps_[slot];
    warp.program->resolve(decision.outcome);
    advance(slot, std::max(std::exchange(warp.undecided, 0), decision.known));
    schedule_from_now();
}

bool SubCore::assistant_ready(Cycle now, bool ldst_granted) {
    const std::uint32_t slot = position_.warp_slots;
    if (!assistant_busy_) {
        if (vector_unit_->assistant_needed(now) > now || !vector_unit_->start_assistant(now)) {
            return false;
        }
        assistant_busy_ = true;
        advance(slot, now);
    }
    if (!scheduler_.can_issue(slot, now)) return false;
    if (ldst_granted || assistant_holds_port() || to_arbiter->free_at() > now) return true;
    // A warp that may be granted the LDST unit in this cycle goes first.
    return !scheduler_.memory_candidate(now);
}

void SubCore::schedule_assistant(Cycle from, Cycle earliest, Cycle& wake, Cycle& memory) {
    if (assistant_holds_port()) wake = memory = kNever;
    if (!assistant_busy_) {
        const Cycle at = vector_unit_->assistant_needed(from);
        if (std::max(at, from) < earliest) wake = std::min(wake, at);
        return;
    }
    const WarpReadiness& next = scheduler_.readiness(position_.warp_slots);
    if (next.ready == kNever) return;
    if (next.unit == ExecutionUnit::kLdst) {
        memory = std::min(memory, next.ready);
    } else {
        wake = std::min(wake, std::max(next.ready, scheduler_.free_at(next.unit)));
    }
}

void SubCore::retire_assistant(std::uint32_t slot, const Execution& done, Cycle now,
                               std::uint32_t port_cycles) {
    vector_unit_->on_assistant_issue(now, port_cycles);
    if (done.continues) return advance(slot, done.next_issue);
    assistant_busy_ = false;
    scheduler_.block(slot, StallReason::kNoWarp);
    vector_unit_->finish_assistant(now);
}

}  // namespace tessera

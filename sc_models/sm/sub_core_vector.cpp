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
    rooms_.emplace_back();
    warps_.back().program = unit.assistant_program();
    next_.push_back({kNever, StallReason::kNoWarp, Unit::kNone});
    from_.push_back(0);
}

void SubCore::wake_assistant() {
    settle(time_.now());
    schedule(std::max(time_.now(), port_free_));
}

void SubCore::stop_assistant() {
    assistant_busy_ = false;
    warps_.back().program = vector_unit_->assistant_program();
    warps_.back().head = warps_.back().end = nullptr;
    next_.back().ready = kNever;
    wake_assistant();
}

/// Lets the vector unit decide where the operation that begins is computed.
bool SubCore::issue_vector_op(std::uint32_t slot, Cycle& next_issue) {
    if (vector_unit_ == nullptr) return true;
    Warp& warp = warps_[slot];
    const VectorDecision decision =
        vector_unit_->decode(warp_id(slot), warp.program->vector_operation(), time_.now());
    if (decision.pending) {
        warp.undecided = next_issue;
        next_[slot].ready = kNever;
        next_[slot].wait = StallReason::kAluResult;
        return false;
    }
    warp.program->resolve(decision.outcome);
    next_issue = std::max(next_issue, decision.known);
    return true;
}

void SubCore::decide_vector_op(WarpId id, const VectorDecision& decision) {
    const Cycle now = time_.now();
    settle(now);
    const std::uint32_t slot = id.value() - place_.first_warp;
    Warp& warp = warps_[slot];
    warp.program->resolve(decision.outcome);
    advance(slot, std::max(std::exchange(warp.undecided, 0), decision.known));
    schedule(std::max(now, port_free_));
}

bool SubCore::assistant_ready(Cycle now, bool ldst_granted) {
    const std::uint32_t slot = place_.warp_slots;
    if (!assistant_busy_) {
        if (vector_unit_->assistant_wanted(now) > now || !vector_unit_->start_assistant(now)) {
            return false;
        }
        assistant_busy_ = true;
        advance(slot, now);
    }
    const Next& next = next_[slot];
    if (next.ready > now || free_at(next.unit) > now) return false;
    if (ldst_granted || assistant_holds_port() || ldst_.free_at() > now) return true;
    // A warp that may be granted the LDST unit in this cycle goes first.
    return std::none_of(oldest_.begin(), oldest_.end(),
                        [&](std::uint32_t warp) { return memory_ready(warp, now); });
}

void SubCore::schedule_assistant(Cycle from, Cycle earliest, Cycle& wake, Cycle& memory) {
    if (assistant_holds_port()) wake = memory = kNever;
    if (!assistant_busy_) {
        const Cycle at = vector_unit_->assistant_wanted(from);
        if (std::max(at, from) < earliest) wake = std::min(wake, at);
        return;
    }
    const Next& next = next_[place_.warp_slots];
    if (next.ready == kNever) return;
    if (next.unit == Unit::kLdst) {
        memory = std::min(memory, next.ready);
    } else {
        wake = std::min(wake, std::max(next.ready, free_at(next.unit)));
    }
}

}  // namespace tessera

#include <algorithm>
#include <limits>

#include "sc_models/sm/sub_core.h"

// Memory instructions of a sub-core and its interface to the LDST arbiter.

namespace tessera {

std::optional<LdstClient::Claim> SubCore::ldst_claim(Cycle now) const {
    if (port_free_ > now) return std::nullopt;
    if (last_memory_ >= 0 && !assistant_holds_port() &&
        memory_ready(static_cast<std::uint32_t>(last_memory_), now)) {
        return Claim{false, warps_[static_cast<std::size_t>(last_memory_)].age};
    }
    if (!assistant_holds_port()) {
        for (const std::uint32_t slot : oldest_) {
            if (memory_ready(slot, now)) return Claim{true, warps_[slot].age};
        }
    }
    if (has_assistant_ && memory_ready(place_.warp_slots, now)) {
        return Claim{true, std::numeric_limits<std::uint64_t>::max()};
    }
    return std::nullopt;
}

void SubCore::ldst_grant(Cycle now) {
    settle(now);
    const int slot = select(now, true);
    if (slot >= 0) issue(static_cast<std::uint32_t>(slot), now);
    schedule(std::max(now, port_free_));
}

void SubCore::issue_memory(std::uint32_t slot, const WarpInstruction& instruction, Cycle now) {
    const bool is_store =
        instruction.opcode == Opcode::kStoreGlobal || instruction.opcode == Opcode::kStoreShared ||
        (instruction.opcode == Opcode::kAtomicGlobal && instruction.dst == kNoRegister);
    Warp& warp = warps_[slot];
    if (!is_assistant(slot)) last_memory_ = static_cast<int>(slot);
    access_->lane_values = nullptr;
    if (vector_unit_ != nullptr && instruction.opcode == Opcode::kAtomicGlobal) {
        access_->lane_values = is_assistant(slot) ? vector_unit_->take_assistant_sums(now)
                                                  : vector_unit_->take_sums(warp_id(slot), now);
    }
    access_->instruction = &instruction;
    access_->warp = warp_id(slot);
    access_->sub_core = place_.sub_core;
    access_->cta_slot = warp.cta;
    Cycle answered = 0;
    if (calls_directly(to_ldst)) {
        answered = ldst_.access(*access_, arrival(now));
    } else {
        const std::uint32_t bytes = bytes_of(instruction);
        access_payload_.set_command(is_store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        access_payload_.set_address(instruction.address);
        access_payload_.set_data_ptr(reinterpret_cast<unsigned char*>(gathered_a_.data()));
        access_payload_.set_data_length(bytes);
        access_payload_.set_streaming_width(bytes);
        answered = send(to_ldst, access_payload_, now);
        if (!access_payload_.is_response_ok()) {
            SC_REPORT_FATAL(name(), "the LDST unit refused a memory instruction");
        }
    }
    const Cycle done = access_->deferred ? kNever : answered;
    if (is_store) {
        ++stores_;
        if (instruction.src_a != kNoRegister) warp.scoreboard.read(instruction.src_a, now + 1);
        if (!access_->deferred) listener_.on_store_accepted(done);
    } else {
        ++loads_;
        write(warp, instruction.dst, done, Producer::kMemory);
    }
}

void SubCore::ldst_done(WarpId warp, std::uint8_t reg) {
    const Cycle now = time_.now();
    const bool of_assistant = warp.value() == config_.max_warps;
    const std::uint32_t slot = of_assistant ? place_.warp_slots : warp.value() - place_.first_warp;
    if (reg != kNoRegister) warps_[slot].scoreboard.arrive(reg, now);
    const bool idle = (of_assistant && !assistant_busy_) || warps_[slot].undecided != 0;
    if (next_[slot].ready == kNever && !at_barrier(slot) && !idle) find_ready(slot, now);
    settle(now);
    schedule(std::max(now, port_free_));
}

void SubCore::ldst_answered(const Answer& answer) {
    if (answer.is_store) {
        listener_.on_store_accepted(answer.done);
    } else if (answer.reg != kNoRegister) {
        Warp& warp = warps_[answer.warp.value() - place_.first_warp];
        warp.scoreboard.arrive(answer.reg, answer.done);
        answered_ = true;
    }
}

void SubCore::ldst_settled() {
    if (!answered_) return;
    answered_ = false;
    for (const std::uint32_t slot : oldest_) {
        if (awaits_promise(slot)) find_ready(slot, from_[slot]);
    }
    schedule_beside_ldst(scheduled_from_);
}

bool SubCore::reason_hangs_on_promises() const {
    return earliest_ >= ahead_->bound() &&
           std::any_of(oldest_.begin(), oldest_.end(),
                       [this](std::uint32_t slot) { return awaits_promise(slot); });
}

}  // namespace tessera

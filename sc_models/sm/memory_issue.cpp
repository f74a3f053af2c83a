#include "sc_models/sm/memory_issue.h"

#include <algorithm>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

MemoryIssue::MemoryIssue(SubCoreId sub_core, UnitSocket& to_ldst, WarpListener& listener,
                         StatGroup& statistics)
    : sub_core_(sub_core),
      to_ldst_(to_ldst),
      listener_(listener),
      data_(kFragmentBytes),
      payload_(&fresh_payload()) {
    to_ldst.on_response([this](tlm::tlm_generic_payload& payload) { receive(payload); });
    statistics.counter("loads", loads_, "count", "load instructions issued");
    statistics.counter("stores", stores_, "count", "store instructions issued");
}

MemoryIssue::Pool::Payload& MemoryIssue::fresh_payload() {
    Pool::Payload& payload = pool_.acquire(tlm::TLM_READ_COMMAND, data_.data(), kFragmentBytes);
    payload.extension.sub_core = sub_core_;
    return payload;
}

void MemoryIssue::issue(const IssuedInstruction& issued, std::uint32_t cta,
                        const float* lane_values) {
    const WarpInstruction& instruction = issued.instruction;
    const bool is_store =
        instruction.opcode() == Opcode::kStoreGlobal ||
        instruction.opcode() == Opcode::kStoreShared ||
        (instruction.opcode() == Opcode::kAtomicGlobal && instruction.dst == kNoRegister);
    fill(issued, is_store);
    WarpAccess& access = payload_->extension;
    access.lane_values = lane_values;
    access.cta_slot = cta;
    const Cycle completed =
        to_ldst_.send(*payload_, issued.issued, "the LDST unit refused a memory instruction");
    if (completed == kNever) payload_ = &fresh_payload();
    const Cycle done = access.deferred ? kNever : completed;
    if (is_store) {
        ++stores_;
        if (instruction.src_a != kNoRegister) {
            issued.scoreboard.read(instruction.src_a, issued.issued + 1);
        }
        if (done != kNever) listener_.on_store_accepted(done);
    } else {
        ++loads_;
        issued.write(instruction.dst, done, RegisterScoreboard::Producer::kMemory);
    }
}

/// Fills in the payload of the next instruction.
void MemoryIssue::fill(const IssuedInstruction& issued, bool is_store) {
    const WarpInstruction& instruction = issued.instruction;
    // A payload has a byte at least, also if all lanes are predicated off.
    const std::uint32_t bytes = std::max(bytes_of(instruction), std::uint32_t{1});
    if (bytes > data_.size()) {
        data_.resize(bytes);
        payload_->set_data_ptr(data_.data());
    }
    payload_->set_command(is_store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_->set_address(instruction.address());
    payload_->set_data_length(bytes);
    payload_->set_streaming_width(bytes);
    WarpAccess& access = payload_->extension;
    access.instruction = &instruction;
    access.warp = issued.warp;
    access.destination = instruction.dst;
    access.stores = is_store;
}

/// Takes the response to an instruction that was not complete when it had been sent.
void MemoryIssue::receive(tlm::tlm_generic_payload& payload) {
    const WarpAccess& access = static_cast<Pool::Payload&>(payload).extension;
    listener_.on_memory_response(sub_core_, access.warp, access.destination, access.stores);
    payload.release();
}

}  // namespace tessera

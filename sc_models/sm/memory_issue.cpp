#include "sc_models/sm/memory_issue.h"

namespace tessera {

MemoryIssue::MemoryIssue(SubCoreId sub_core, UnitSocket& to_ldst, LdstUnit& ldst,
                         const RegisterFile& registers, WarpListener& listener,
                         StatGroup& statistics)
    : sub_core_(sub_core),
      to_ldst_(to_ldst),
      ldst_(ldst),
      registers_(registers),
      listener_(listener),
      access_(new WarpAccess) {
    payload_.set_extension(access_);
    statistics.counter("loads", loads_, "count", "load instructions issued");
    statistics.counter("stores", stores_, "count", "store instructions issued");
}

void MemoryIssue::issue(const IssuedInstruction& issued, std::uint32_t cta,
                        const float* lane_values) {
    const WarpInstruction& instruction = issued.instruction;
    const bool is_store =
        instruction.opcode == Opcode::kStoreGlobal || instruction.opcode == Opcode::kStoreShared ||
        (instruction.opcode == Opcode::kAtomicGlobal && instruction.dst == kNoRegister);
    access_->lane_values = lane_values;
    access_->instruction = &instruction;
    access_->warp = issued.warp;
    access_->sub_core = sub_core_;
    access_->cta_slot = cta;
    const Cycle completed = access(issued, is_store);
    const Cycle done = access_->deferred ? kNever : completed;
    if (is_store) {
        ++stores_;
        if (instruction.src_a != kNoRegister) {
            issued.scoreboard.read(instruction.src_a, issued.issued + 1);
        }
        if (!access_->deferred) listener_.on_store_accepted(done);
    } else {
        ++loads_;
        issued.write(instruction.dst, done, RegisterScoreboard::Producer::kMemory);
    }
}

/// Returns the completion cycle; without meaning if the access is deferred.
Cycle MemoryIssue::access(const IssuedInstruction& issued, bool is_store) {
    if (to_ldst_.leads_to_ours() && !registers_.holds_values()) {
        return ldst_.access(*access_, to_ldst_.arrival(issued.issued));
    }
    const std::uint32_t bytes = bytes_of(issued.instruction);
    payload_.set_command(is_store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_.set_address(issued.instruction.address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(data_.data()));
    payload_.set_data_length(bytes);
    payload_.set_streaming_width(bytes);
    return to_ldst_.send(payload_, issued.issued, "the LDST unit refused a memory instruction");
}

}  // namespace tessera

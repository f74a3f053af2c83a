#include "sc_models/trace/warp_trace.h"

namespace tessera {

void WarpTrace::Cursor::unshared(TraceInstruction& out) {
    out.what = &table_->instruction(static_cast<std::uint32_t>(integer()));
    out.active_mask = static_cast<std::uint32_t>(integer());
    out.lanes = nullptr;
    if (out.what->memory_width == 0 || out.active_mask == 0) return;
    const std::uint64_t code = integer();
    if (code != 0) {
        out.lanes = &table_->pattern(static_cast<std::uint32_t>(code - 1));
        out.base = base();
        return;
    }
    LaneAddresses offsets{};
    Address offset = 0;
    for (std::uint32_t lane = first_lane(out.active_mask) + 1; lane < kThreadsPerWarp; ++lane) {
        if ((out.active_mask >> lane & 1) == 0) continue;
        offset += zigzag();
        offsets[lane] = offset;
    }
    if (!pattern_) pattern_ = std::make_unique<LanePattern>();
    *pattern_ = LanePattern::make(out.active_mask, out.what->access_bytes(), offsets);
    out.lanes = pattern_.get();
    out.base = base();
}

InstructionTable::Entry WarpEncoder::append(const InstructionLine& line, LanePattern& lanes) {
    const InstructionTable::Entry entry = table_.enter(line, lanes);
    const bool has_lanes = lanes.mask != 0;
    const Address base = has_lanes ? line.addresses[first_lane(lanes.mask)] : 0;
    if (entry.variant != InternTable<int>::kFull) {
        append(entry.variant);
        if (has_lanes) this->base(base);
        return entry;
    }
    reserve();
    integer(0);
    integer(entry.instruction);
    integer(line.active_mask);
    if (!has_lanes) return entry;
    if (entry.pattern != LanePattern::kUnshared) {
        integer(entry.pattern + std::uint64_t{1});
    } else {
        integer(0);
        Address before = 0;
        for (std::uint32_t lane = first_lane(lanes.mask) + 1; lane < kThreadsPerWarp; ++lane) {
            if ((lanes.mask >> lane & 1) == 0) continue;
            const auto offset = static_cast<Address>(lanes.offsets[lane]);
            zigzag(offset - before);
            before = offset;
        }
    }
    this->base(base);
    return entry;
}

}  // namespace tessera

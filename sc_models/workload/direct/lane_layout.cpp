#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {
LaneLayout::LaneLayout(std::uint32_t id, std::uint32_t lanes, const AccessGranularity& granularity)
    : id_(id),
      lanes_(lanes),
      granularity_(granularity),
      phases_(granularity.line_bytes / kFloatBytes),
      accesses_(kOperands * phases_) {}

const LaneAccess* LaneLayout::access(Operand operand, Address address) const {
    const std::size_t phase = address / kFloatBytes % phases_;
    MadeOnce& made = accesses_[static_cast<std::size_t>(operand) * phases_ + phase];
    std::call_once(made.once, [&] {
        made.access = std::make_unique<const LaneAccess>(
            operand == Operand::kOutput ? make_writes(address) : make_reads(operand, address));
    });
    return made.access.get();
}

LaneAccess LaneLayout::make_reads(Operand operand, Address address) const {
    LaneOffsets lanes;
    lanes.access_bytes = kFloatBytes;
    lanes.mask = lanes_ == kMaxLanes ? ~std::uint32_t{0} : (1U << lanes_) - 1;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) lanes.offset[lane] = offset(operand, lane);
    return coalesce_global(lanes, address, granularity_);
}

LaneAccess LaneLayout::make_writes(Address address) const {
    LaneAccess access;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const std::int64_t at = offset(Operand::kOutput, lane);
        const bool new_line = (address + static_cast<Address>(at)) % granularity_.line_bytes == 0;
        if (!access.pieces.empty() && !new_line &&
            access.pieces.back().offset + access.pieces.back().bytes == at) {
            access.pieces.back().bytes += kFloatBytes;
        } else {
            access.pieces.push_back({at, kFloatBytes});
        }
        access.bytes += kFloatBytes;
    }
    return access;
}

}  // namespace tessera

#include "sc_models/sm/flight_timeline.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

const char* access_name(const WarpInstruction& instruction) {
    switch (instruction.opcode()) {
        case Opcode::kLoadFragment:
            return instruction.role() == FragmentRole::kA ? "load A" : "load B";
        case Opcode::kStoreGlobal:
        case Opcode::kAtomicGlobal:
            return "store";
        case Opcode::kLoadShared:
        case Opcode::kStoreShared:
        case Opcode::kLoadPieces:
        case Opcode::kLoadGathered:
        case Opcode::kLoadMatrix:
            return "shared";
        case Opcode::kCopyAsync:
        case Opcode::kBulkCopy:
            return "copy";
        default:
            return "load";
    }
}

void FlightTimeline::record(const WarpInstruction& instruction, WarpId warp, Cycle served,
                            Cycle done) {
    if (done <= served) return;
    auto row = std::find_if(rows_.begin(), rows_.end(),
                            [served](const Row& candidate) { return candidate.free <= served; });
    if (row == rows_.end()) {
        if (rows_.size() == kMost) return;
        const auto track = timeline_->add_detail_track(
            fmt::format("SM {}", sm_.value()), fmt::format("in flight {}", rows_.size() + 1));
        if (track == TimelineRecorder::kNoTrack) {
            timeline_ = nullptr;
            return;
        }
        row = rows_.insert(rows_.end(), {track, 0});
    }
    row->free = done;
    timeline_->span(
        row->track, access_name(instruction), served, done,
        fmt::format(R"({{"warp":{},"address":"{:#x}"}})", warp.value(), instruction.address()));
}

}  // namespace tessera

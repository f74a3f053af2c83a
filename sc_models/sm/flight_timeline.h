// Timeline spans of the accesses of an LDST unit that wait for their data.
#pragma once

#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Name of an access in a timeline: "load A", "shared", "store".
[[nodiscard]] const char* access_name(const WarpInstruction& instruction);

/// Records one span for each access, from the end of its service until its data arrives. Rows are
/// added while accesses overlap, up to kMost; accesses beyond that are not recorded. Used by units
/// for which the arrival is unknown when they serve an access.
class FlightTimeline {
public:
    static constexpr std::size_t kMost = 24;  ///< chosen: the rows that stay legible on a page

    /// Records to `timeline`, if it is not null and records details; it must outlive this object.
    void attach(TimelineRecorder* timeline, SmId sm) {
        timeline_ = timeline;
        sm_ = sm;
    }
    /// Records an access that was served until `served` and is complete at `done`.
    void over(const WarpInstruction& instruction, WarpId warp, Cycle served, Cycle done) {
        if (timeline_ != nullptr) record(instruction, warp, served, done);
    }

private:
    void record(const WarpInstruction& instruction, WarpId warp, Cycle served, Cycle done);

    struct Row {
        TimelineRecorder::Track track = TimelineRecorder::kNoTrack;
        Cycle free = 0;
    };
    TimelineRecorder* timeline_ = nullptr;
    SmId sm_;
    std::vector<Row> rows_;
};

}  // namespace tessera

// Accesses of an LDST unit that wait for their data, as spans of the timeline.
#pragma once

#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// What a timeline calls an access: "load A", "shared", "store".
[[nodiscard]] const char* access_name(const WarpInstruction& instruction);

/// A span for each access from the end of its service until its data is there, in rows that are
/// made as accesses are in flight at once, kMost at most; more find no row. For units that do not
/// know an arrival when they serve an access.
class FlightTimeline {
public:
    static constexpr std::size_t kMost = 24;  ///< chosen: what can be told apart on a page

    /// Records to `timeline`, which must outlive it, if there is one that wants details.
    void attach(TimelineRecorder* timeline, SmId sm) {
        timeline_ = timeline;
        sm_ = sm;
    }
    /// The access, served until `served`, is over at `done`.
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

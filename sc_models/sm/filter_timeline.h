// Look-ups of a load filter, as spans of the timeline.
#pragma once

#include "sc_models/common/observer.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// A span for each load that the filter was asked about, from its first look-up to its last, with
/// how many of its units hit.
class FilterTimeline {
public:
    /// Records to `timeline`, which must outlive it, if there is one that wants details.
    void attach(TimelineRecorder* timeline, SmId sm);

    void begin(WarpId warp) {
        if (track_ == TimelineRecorder::kNoTrack) return;
        end();
        warp_ = warp;
    }
    void note(Cycle at, AccessKind kind) {
        if (track_ != TimelineRecorder::kNoTrack) add(at, kind);
    }
    /// The load begun last has been looked up.
    void end();

private:
    void add(Cycle at, AccessKind kind);

    TimelineRecorder* timeline_ = nullptr;
    TimelineRecorder::Track track_ = TimelineRecorder::kNoTrack;
    WarpId warp_;
    Cycle first_ = 0, last_ = 0;  ///< look-ups of the load
    Cycle shown_until_ = 0;
    std::uint32_t units_ = 0, hits_ = 0;
};

}  // namespace tessera

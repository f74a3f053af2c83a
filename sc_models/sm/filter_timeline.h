// Timeline spans of the lookups of a load filter.
#pragma once

#include "sc_models/common/observer.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// Records one span for each filtered load, from its first lookup to its last, with the number of
/// its units that hit.
class FilterTimeline {
public:
    /// Records to `timeline`, if it is not null and records details; it must outlive this object.
    void attach(TimelineRecorder* timeline, SmId sm);

    void begin(WarpId warp) {
        if (track_ == TimelineRecorder::kNoTrack) return;
        end();
        warp_ = warp;
    }
    void note(Cycle at, AccessKind kind) {
        if (track_ != TimelineRecorder::kNoTrack) add(at, kind);
    }
    /// Ends the span of the load begun last.
    void end();

private:
    void add(Cycle at, AccessKind kind);

    TimelineRecorder* timeline_ = nullptr;
    TimelineRecorder::Track track_ = TimelineRecorder::kNoTrack;
    WarpId warp_;
    Cycle first_ = 0, last_ = 0;  ///< first and last lookup of the load
    Cycle shown_until_ = 0;
    std::uint32_t units_ = 0, hits_ = 0;
};

}  // namespace tessera

// Assignments of an SM to others, as spans of the timeline.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Rows "assignments N" of an SM: a span from the cycle at which an assignment is sent to the one
/// in which its acknowledgement arrives, or, if it was refused, in which the SM has carried it out
/// itself. Named after the executor; `args` hold its id, with which the executor's assistant warp
/// marks its own span of the work. Assignments overlap, so each takes the first row that is free.
class AssignmentTimeline {
public:
    /// Records to `timeline`, which must outlive it, if there is one.
    AssignmentTimeline(TimelineRecorder* timeline, SmId sm) : timeline_(timeline), sm_(sm) {}

    void sent(std::uint64_t id, SmId to, Cycle at);
    void refused(std::uint64_t id);
    void over(std::uint64_t id, Cycle at);

private:
    struct Row {
        TimelineRecorder::Track track;
        Cycle free;  ///< kNever: an assignment is under way
    };
    struct Flight {
        std::size_t row = 0;
        SmId to;
        Cycle sent = 0;
        bool refused = false;
    };

    TimelineRecorder* timeline_;
    SmId sm_;
    std::vector<Row> rows_;
    std::map<std::uint64_t, Flight> flights_;  ///< by id
};

}  // namespace tessera

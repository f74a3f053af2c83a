// Timeline spans of an SM's assignments to other SMs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Rows "assignments N" of an SM: a span from the cycle in which an assignment is sent to the one
/// in which its acknowledgement arrives, or, if it was refused, in which the SM has executed it
/// itself. The span is named after the executor; `args` hold its id, which also marks the span of
/// the executor's assistant warp. Assignments overlap, so each takes the first free row.
class AssignmentTimeline {
public:
    /// Records to `timeline`, which may be null and must outlive the object.
    AssignmentTimeline(TimelineRecorder* timeline, SmId sm) : timeline_(timeline), sm_(sm) {}

    void sent(std::uint64_t id, SmId to, Cycle at);
    void refused(std::uint64_t id);
    void over(std::uint64_t id, Cycle at);

private:
    struct Row {
        TimelineRecorder::Track track;
        Cycle free;  ///< kNever: an assignment is in flight
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

#include "sc_models/opportunistic/assignment_timeline.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

void AssignmentTimeline::sent(std::uint64_t id, SmId to, Cycle at) {
    if (timeline_ == nullptr) return;
    auto row = std::find_if(rows_.begin(), rows_.end(),
                            [at](const Row& candidate) { return candidate.free <= at; });
    if (row == rows_.end()) {
        const auto track = timeline_->add_track(fmt::format("SM {}", sm_.value()),
                                                fmt::format("assignments {}", rows_.size() + 1));
        row = rows_.insert(rows_.end(), {track, 0});
    }
    row->free = kNever;
    flights_[id] = {static_cast<std::size_t>(row - rows_.begin()), to, at, false};
}

void AssignmentTimeline::refused(std::uint64_t id) {
    if (timeline_ != nullptr) flights_.at(id).refused = true;
}

void AssignmentTimeline::over(std::uint64_t id, Cycle at) {
    if (timeline_ == nullptr) return;
    const Flight flight = flights_.at(id);
    flights_.erase(id);
    Row& row = rows_[flight.row];
    row.free = at;
    timeline_->span(row.track, fmt::format("to SM {}", flight.to.value()), flight.sent, at,
                    fmt::format(R"({{"id":{},"refused":{}}})", id, flight.refused));
}

}  // namespace tessera

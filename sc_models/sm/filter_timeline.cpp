#include "sc_models/sm/filter_timeline.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

void FilterTimeline::attach(TimelineRecorder* timeline, SmId sm) {
    if (timeline == nullptr) return;
    timeline_ = timeline;
    track_ = timeline->add_detail_track(fmt::format("SM {}", sm.value()), "load filter");
}

void FilterTimeline::add(Cycle at, AccessKind kind) {
    if (units_ == 0) first_ = at;
    last_ = std::max(units_ == 0 ? at : last_, at);
    ++units_;
    if (kind == AccessKind::kHit || kind == AccessKind::kZero) ++hits_;
}

void FilterTimeline::end() {
    if (units_ == 0) return;
    const char* name = hits_ == units_ ? "all hit" : hits_ == 0 ? "none hit" : "some hit";
    // The lookups of a load whose banks are free may overlap those of the load before it. Spans of
    // one track must not overlap, so this span begins after the previous one.
    const Cycle begin = std::max(first_, shown_until_);
    shown_until_ = std::max(last_, begin) + 1;
    timeline_->span(
        track_, name, begin, shown_until_,
        fmt::format(R"({{"warp":{},"hits":{},"units":{}}})", warp_.value(), hits_, units_));
    units_ = hits_ = 0;
}

}  // namespace tessera

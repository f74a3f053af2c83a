#include "sc_models/observe/page_timeline.h"

#include <algorithm>

#include "sc_models/observe/timeline_page.h"

namespace tessera {

PageTimeline::PageTimeline(const std::string& file, const CycleWindow& window,
                           std::string_view scope_patterns, const ClockDomain& clock)
    : TimelineFile(window, scope_patterns), clock_(clock), file_(file) {
    spans_.core_clock_mhz = clock.frequency_mhz();
}

TimelineRecorder::Track PageTimeline::new_track(std::string_view process, std::string_view thread) {
    return static_cast<Track>(spans_.add_row(process, thread));
}

void PageTimeline::start_kernel(std::string_view name, Cycle start) {
    TimelineFile::start_kernel(name, start);
    spans_.start_kernel(name, start);
    if (in_window(start)) samples_.start_kernel(start);
}

void PageTimeline::end_kernel(Cycle end) {
    spans_.end_kernel(end);
    // Counts after the end of the window would distort the last sample, so it is dropped then.
    if (in_window(end)) samples_.finish(end);
}

void PageTimeline::record_span(Track track, std::string_view name, Cycle begin, Cycle end,
                               std::string_view args) {
    spans_.add_span(track, name, begin, end, args);
}

void PageTimeline::tick() {
    if (in_window(clock_.now())) samples_.advance(clock_.now());
}

void PageTimeline::save() {
    spans_.finish(window().begin(), window().end());
    for (TimelineSpans::Series& series : samples_.series()) spans_.add_series(std::move(series));
    write_timeline_page(spans_, [this](std::string_view text) { file_.write(text); });
    file_.commit();
}

}  // namespace tessera

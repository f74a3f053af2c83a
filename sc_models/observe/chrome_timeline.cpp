#include "sc_models/observe/chrome_timeline.h"

#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

std::string quoted(std::string_view text) {
    return nlohmann::json(text).dump();
}

}  // namespace

ChromeTimeline::ChromeTimeline(const std::string& file, const CycleWindow& window,
                               std::string_view scope_patterns, const ClockDomain& clock)
    : TimelineFile(window, scope_patterns), file_(file) {
    file_.write(fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"time\":\"1 us is one core cycle\","
        "\"core_clock_mhz\":{}}},\n\"traceEvents\":[\n",
        clock.frequency_mhz()));
}

void ChromeTimeline::event(std::string_view text) {
    if (!first_event_) file_.write(",\n");
    first_event_ = false;
    file_.write(text);
}

TimelineRecorder::Track ChromeTimeline::new_track(std::string_view process,
                                                  std::string_view thread) {
    const auto number = static_cast<std::uint32_t>(processes_.size() + 1);
    const auto [known, added] = processes_.try_emplace(std::string(process), number);
    const TrackPlace place{known->second, static_cast<std::uint32_t>(tracks_.size() + 1)};
    tracks_.push_back(place);
    const auto describe = [&](std::string_view what, const std::string& args) {
        event(fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{{}}}}})", what,
                          place.process, place.thread, args));
    };
    if (added) {
        describe("process_name", "\"name\":" + quoted(process));
        describe("process_sort_index", fmt::format("\"sort_index\":{}", place.process));
    }
    describe("thread_name", "\"name\":" + quoted(thread));
    describe("thread_sort_index", fmt::format("\"sort_index\":{}", place.thread));
    return static_cast<Track>(tracks_.size() - 1);
}

void ChromeTimeline::record_span(Track track, std::string_view name, Cycle begin, Cycle end,
                                 std::string_view args) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_),
                   R"({{"name":{},"ph":"X","ts":{},"dur":{},"pid":{},"tid":{})", quoted(name),
                   begin, end - begin, tracks_[track].process, tracks_[track].thread);
    if (!args.empty()) line_.append(",\"args\":").append(args);
    line_ += '}';
    event(line_);
}

/// The first point of a flow begins it. A viewer orders the points by time.
void ChromeTimeline::record_flow(Track track, Cycle at, std::uint64_t id) {
    const bool begins = flows_.insert(id).second;
    event(fmt::format(
        R"({{"name":"access","cat":"access","ph":"{}","bp":"e","id":{},"ts":{},"pid":{},"tid":{}}})",
        begins ? 's' : 't', id, at, tracks_[track].process, tracks_[track].thread));
}

void ChromeTimeline::save() {
    file_.write("\n]}\n");
    file_.commit();
}

}  // namespace tessera

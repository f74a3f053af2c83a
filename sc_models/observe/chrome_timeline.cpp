#include "sc_models/observe/chrome_timeline.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"

namespace tessera {
namespace {

std::string quoted(std::string_view text) {
    return nlohmann::json(text).dump();
}

/// The scope a process stands for: "SM 0" is sm0.
std::string scope_of(std::string_view process) {
    std::string scope;
    for (const char c : process) {
        if (c != ' ') scope += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return scope;
}

}  // namespace

ChromeTimeline::ChromeTimeline(const std::string& file, const CycleWindow& window,
                               std::string_view scope_patterns, const ClockDomain& clock)
    : window_(window), filter_(ScopeFilter::of_top_level(scope_patterns)), file_(file) {
    file_.write(fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"time\":\"1 us is one core cycle\","
        "\"core_clock_mhz\":{}}},\n\"traceEvents\":[\n",
        clock.frequency_mhz()));
}

ChromeTimeline::~ChromeTimeline() {
    if (saved_ || !recorded_) return;
    try {
        finish();
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

void ChromeTimeline::event(std::string_view text) {
    if (!first_event_) file_.write(",\n");
    first_event_ = false;
    file_.write(text);
}

TimelineRecorder::Track ChromeTimeline::add_track(std::string_view process,
                                                  std::string_view thread) {
    if (!filter_.matches(scope_of(process))) return kNoTrack;
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

void ChromeTimeline::span(Track track, std::string_view name, Cycle begin, Cycle end,
                          std::string_view args) {
    latest_ = std::max(latest_, end);
    begin = std::max(begin, window_.begin());
    end = std::min(end, window_.end());
    if (track == kNoTrack || begin >= end) return;
    recorded_ = true;
    line_.clear();
    fmt::format_to(std::back_inserter(line_),
                   R"({{"name":{},"ph":"X","ts":{},"dur":{},"pid":{},"tid":{})", quoted(name),
                   begin, end - begin, tracks_[track].process, tracks_[track].thread);
    if (!args.empty()) line_.append(",\"args\":").append(args);
    line_ += '}';
    event(line_);
}

void ChromeTimeline::counter(Track track, std::string_view name, Cycle at, std::uint64_t value) {
    latest_ = std::max(latest_, at);
    if (track == kNoTrack || at < window_.begin() || at >= window_.end()) return;
    recorded_ = true;
    event(fmt::format(R"({{"name":{},"ph":"C","ts":{},"pid":{},"args":{{"value":{}}}}})",
                      quoted(name), at, tracks_[track].process, value));
}

void ChromeTimeline::finish() {
    saved_ = true;
    if (!recorded_) {
        throw ConfigError(window_.missed(latest_, "timeline"));
    }
    file_.write("\n]}\n");
    file_.commit();
}

}  // namespace tessera

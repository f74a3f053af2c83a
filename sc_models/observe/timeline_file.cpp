#include "sc_models/observe/timeline_file.h"

#include <algorithm>
#include <cctype>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"

namespace tessera {
namespace {

/// The scope of a process: "SM 0" is sm0.
std::string scope_of(std::string_view process) {
    std::string scope;
    for (const char c : process) {
        if (c != ' ') scope += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return scope;
}

}  // namespace

TimelineRecorder::Track TimelineFile::add_track(std::string_view process, std::string_view thread) {
    return filter_.matches(scope_of(process)) ? new_track(process, thread) : kNoTrack;
}

void TimelineFile::span(Track track, std::string_view name, Cycle begin, Cycle end,
                        std::string_view args) {
    latest_ = std::max(latest_, end);
    tick();
    begin = std::max(begin, window_.begin());
    end = std::min(end, window_.end());
    if (track == kNoTrack || begin >= end) return;
    recorded_ = true;
    record_span(track, name, begin, end, args);
}

void TimelineFile::finish() {
    saved_ = true;
    if (!recorded_) throw ConfigError(window_.missed(latest_, "timeline"));
    save();
}

void TimelineFile::save_what_there_is() noexcept {
    if (saved_ || !recorded_) return;
    try {
        finish();
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

}  // namespace tessera

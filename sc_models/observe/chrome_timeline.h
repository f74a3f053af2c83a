// Writer of timelines in Chrome's trace-event JSON, which Perfetto and chrome://tracing open.
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/observe/timeline_file.h"

namespace tessera {

/// Streams complete events ("X") to `file`, which `finish` moves into place.
///
/// One microsecond of the file is one core cycle, so that the viewer's ruler shows cycles: viewers
/// round to whole nanoseconds, so adjacent cycles of 0.833 ns would coincide and nested spans would
/// overlap. `otherData` of the file holds the clock for conversion.
class ChromeTimeline final : public TimelineFile {
public:
    /// Throws ConfigError if the file cannot be written.
    ChromeTimeline(const std::string& file, const CycleWindow& window,
                   std::string_view scope_patterns, const ClockDomain& clock);
    ~ChromeTimeline() override { save_what_there_is(); }
    ChromeTimeline(const ChromeTimeline&) = delete;
    ChromeTimeline& operator=(const ChromeTimeline&) = delete;

private:
    struct TrackPlace {
        std::uint32_t process, thread;
    };

    Track new_track(std::string_view process, std::string_view thread) override;
    void record_span(Track track, std::string_view name, Cycle begin, Cycle end,
                     std::string_view args) override;
    void record_flow(Track track, Cycle at, std::uint64_t id) override;
    void save() override;
    void event(std::string_view text);

    PartialFile file_;
    std::map<std::string, std::uint32_t, std::less<>> processes_;
    std::vector<TrackPlace> tracks_;
    std::string line_;                         ///< buffer of one event
    std::unordered_set<std::uint64_t> flows_;  ///< begun ones
    bool first_event_ = true;
};

}  // namespace tessera

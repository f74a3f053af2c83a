// Timelines: named spans in Chrome's trace-event JSON, which Perfetto and chrome://tracing open.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/observe/cycle_window.h"
#include "sc_models/observe/partial_file.h"
#include "sc_models/observe/scope_filter.h"

namespace tessera {

/// Streams complete events ("X") and counters ("C") to `file`, which `finish` moves into place.
/// Spans are cut to the window, and those outside it left out.
///
/// One microsecond of the file is one core cycle, so that the viewer's ruler shows cycles: viewers
/// count whole nanoseconds, in which a cycle of 0.833 ns cannot be told from its neighbours and
/// spans that nest would come to overlap. `otherData` of the file holds the clock to convert by.
class ChromeTimeline : public TimelineRecorder {
public:
    /// `scope_patterns` as for waveforms; the part before the first dot selects processes ("SM 0"
    /// by "sm0"). Throws ConfigError if the file cannot be written.
    ChromeTimeline(const std::string& file, const CycleWindow& window,
                   std::string_view scope_patterns, const ClockDomain& clock);
    ~ChromeTimeline() override;
    ChromeTimeline(const ChromeTimeline&) = delete;
    ChromeTimeline& operator=(const ChromeTimeline&) = delete;

    /// Rows are shown in the order they are added.
    Track add_track(std::string_view process, std::string_view thread) override;
    void span(Track track, std::string_view name, Cycle begin, Cycle end,
              std::string_view args) override;
    void counter(Track track, std::string_view name, Cycle at, std::uint64_t value) override;
    void start_kernel(std::string_view name, Cycle start) override {
        window_.start_kernel(name, start);
    }

    /// Call when the machine is complete. Throws ConfigError if the patterns select no process.
    void finish_elaboration() const { filter_.check("--wave-scope", true); }
    /// Ends the file and moves it into place. Throws ConfigError if nothing happened in the window,
    /// or the file could not be written. If it is never called (an exception), the destructor saves
    /// what there is.
    void finish();

private:
    struct TrackPlace {
        std::uint32_t process, thread;
    };

    void event(std::string_view text);

    PlacedWindow window_;
    ScopeFilter filter_;
    PartialFile file_;
    std::map<std::string, std::uint32_t, std::less<>> processes_;
    std::vector<TrackPlace> tracks_;
    std::string line_;  ///< buffer of one event
    bool first_event_ = true;
    bool recorded_ = false;
    bool saved_ = false;
    Cycle latest_ = 0;
};

}  // namespace tessera

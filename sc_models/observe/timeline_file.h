// Base class of timelines that are written to a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/observe/cycle_window.h"
#include "sc_models/observe/scope_filter.h"

namespace tessera {

/// Window, row selection and completion, common to all timeline formats. Spans are cut to the
/// window; spans outside it are dropped.
class TimelineFile : public TimelineRecorder, public RunListener {
public:
    /// Rows are shown in the order they are added.
    Track add_track(std::string_view process, std::string_view thread) final;
    void span(Track track, std::string_view name, Cycle begin, Cycle end,
              std::string_view args) final;
    /// Draws an arrow to the span of a track at core cycle `at` from the one before with this id.
    void flow(Track track, Cycle at, std::uint64_t id) {
        if (track != kNoTrack && at >= window_.begin() && at < window_.end()) {
            record_flow(track, at, id);
        }
    }
    void start_kernel(std::string_view name, Cycle start) override {
        window_.start_kernel(name, start);
    }

    /// Must be called when the machine is complete. Throws ConfigError if the patterns select no
    /// process.
    void finish_elaboration() const { filter_.check("--wave-scope", true); }
    /// Completes the file and moves it into place. Throws ConfigError if nothing happened in the
    /// window, or the file could not be written. If it is never called (an exception), the
    /// destructor of the derived class saves the spans so far.
    void finish();

protected:
    /// `scope_patterns` has the waveforms' syntax; the part before the first dot selects processes
    /// ("SM 0" by "sm0").
    TimelineFile(const CycleWindow& window, std::string_view scope_patterns)
        : window_(window), filter_(ScopeFilter::of_top_level(scope_patterns)) {}

    virtual Track new_track(std::string_view process, std::string_view thread) = 0;
    /// Records a span that lies in the window.
    virtual void record_span(Track track, std::string_view name, Cycle begin, Cycle end,
                             std::string_view args) = 0;
    virtual void record_flow(Track /*track*/, Cycle /*at*/, std::uint64_t /*id*/) {}
    virtual void save() = 0;
    /// Notifies the derived class of a span, in the window or not.
    virtual void tick() {}

    /// Saves the file from a destructor.
    void save_what_there_is() noexcept;
    [[nodiscard]] const PlacedWindow& window() const { return window_; }
    /// Latest end of all spans, in the window or not.
    [[nodiscard]] Cycle latest() const { return latest_; }

private:
    PlacedWindow window_;
    ScopeFilter filter_;
    bool recorded_ = false;
    bool saved_ = false;
    Cycle latest_ = 0;
};

}  // namespace tessera

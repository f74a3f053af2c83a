// A timeline that becomes a file.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/observe/cycle_window.h"
#include "sc_models/observe/scope_filter.h"

namespace tessera {

/// What timelines of all formats have: the window, the rows that are asked for, and an end. Spans
/// are cut to the window, and those outside it left out.
class TimelineFile : public TimelineRecorder, public RunListener {
public:
    /// Rows are shown in the order they are added.
    Track add_track(std::string_view process, std::string_view thread) final;
    void span(Track track, std::string_view name, Cycle begin, Cycle end,
              std::string_view args) final;
    void start_kernel(std::string_view name, Cycle start) override {
        window_.start_kernel(name, start);
    }

    /// Call when the machine is complete. Throws ConfigError if the patterns select no process.
    void finish_elaboration() const { filter_.check("--wave-scope", true); }
    /// Ends the file and moves it into place. Throws ConfigError if nothing happened in the window,
    /// or the file could not be written. If it is never called (an exception), the destructor of
    /// the derived class saves what there is.
    void finish();

protected:
    /// `scope_patterns` as for waveforms; the part before the first dot selects processes ("SM 0"
    /// by "sm0").
    TimelineFile(const CycleWindow& window, std::string_view scope_patterns)
        : window_(window), filter_(ScopeFilter::of_top_level(scope_patterns)) {}

    virtual Track new_track(std::string_view process, std::string_view thread) = 0;
    /// Of what is in the window.
    virtual void record_span(Track track, std::string_view name, Cycle begin, Cycle end,
                             std::string_view args) = 0;
    virtual void save() = 0;
    /// Something was announced, in the window or not.
    virtual void tick() {}

    /// For destructors.
    void save_what_there_is() noexcept;
    [[nodiscard]] const PlacedWindow& window() const { return window_; }
    /// The last cycle that anything was announced of.
    [[nodiscard]] Cycle latest() const { return latest_; }

private:
    PlacedWindow window_;
    ScopeFilter filter_;
    bool recorded_ = false;
    bool saved_ = false;
    Cycle latest_ = 0;
};

}  // namespace tessera

// What a user asks to watch, made into the observers a machine takes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/config.h"
#include "sc_models/observe/cycle_window.h"

namespace tessera {

class OverTimeFile;
class TimelineFile;
class TimelineTee;
class WaveformRecorder;

/// Which files to write, and of what.
struct ObserverOptions {
    std::string wave_file;  ///< .vcd or .fst; empty: none
    std::string
        timeline_file;   ///< a page if it ends in .html, Chrome-trace JSON otherwise; empty: none
    CycleWindow window;  ///< of both
    std::string scope = "sm0";        ///< comma-separated patterns, of both (ScopeFilter)
    std::string over_time_file = {};  ///< figures of the whole run; empty: none
};

/// Owns the recorders of a run. Make it before the Simulation and let it live longer.
class ObserverSet {
public:
    /// Throws ConfigError if a file cannot be written.
    ObserverSet(ObserverOptions options, const Config& config);
    ~ObserverSet();
    ObserverSet(const ObserverSet&) = delete;
    ObserverSet& operator=(const ObserverSet&) = delete;

    /// Null pointers for what is not asked for.
    [[nodiscard]] RunObservers get() const;
    /// Call once the Simulation is made. Throws ConfigError if a scope pattern matches nothing.
    void finish_elaboration() const;
    /// Throws ConfigError if the window counts from a kernel that is none of the run's.
    void check_window(const std::vector<std::string>& kernels) const;
    /// Call after the run: completes the files. Throws ConfigError if
    /// one could not be written or the run ended before the window.
    void finish();
    /// One line for each file: what it is and how to open it.
    [[nodiscard]] std::vector<std::string> files() const;

private:
    /// " waveforms/NAME.gtkw": the saved view that shows most of what is recorded, or nothing.
    [[nodiscard]] std::string view() const;

    const ObserverOptions options_;
    std::unique_ptr<WaveformRecorder> wave_;
    std::unique_ptr<TimelineFile> timeline_;
    std::unique_ptr<OverTimeFile> over_time_;
    std::unique_ptr<TimelineTee> both_;  ///< if there are both
};

}  // namespace tessera

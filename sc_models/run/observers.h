// Observers of a run, made from the user's options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/config.h"
#include "sc_models/observe/cycle_window.h"

namespace tessera {

class AccessTimeline;
class DramTraceFile;
class LinkBinder;
class OverTimeFile;
class StimulusRecorder;
class TimelineFile;
class TimelineTee;
class WaveformRecorder;

/// Output files of observers and their scope.
struct ObserverOptions {
    std::string wave_file;  ///< .vcd or .fst; empty: none
    std::string
        timeline_file;   ///< a page if it ends in .html, Chrome-trace JSON otherwise; empty: none
    CycleWindow window;  ///< for waveforms and timeline
    std::string scope = "sm0";               ///< comma-separated patterns, for both (ScopeFilter)
    std::string over_time_file = {};         ///< figures of the whole run; empty: none
    std::string dram_trace_file = {};        ///< commands of all DRAM channels; empty: none
    std::vector<std::string> recorded = {};  ///< MODULE=FILE of stimulus files (StimulusRecorder)
};

/// Owns the recorders of a run. Construct it before the Simulation; it must outlive the Simulation.
class ObserverSet {
public:
    /// Throws ConfigError if a file cannot be written.
    ObserverSet(ObserverOptions options, const Config& config);
    ~ObserverSet();
    ObserverSet(const ObserverSet&) = delete;
    ObserverSet& operator=(const ObserverSet&) = delete;

    /// Pointers to the recorders; null for those not requested.
    [[nodiscard]] RunObservers get() const;
    /// Binder of the machine's links (MachineSeams::links); null: the machine binds them.
    [[nodiscard]] LinkBinder* links() const;
    /// Call after construction of the Simulation. Throws ConfigError if a scope pattern matches
    /// nothing.
    void finish_elaboration() const;
    /// Throws ConfigError if the window counts from a kernel that the run does not have.
    void check_window(const std::vector<std::string>& kernels) const;
    /// Call after the run to complete the files. Throws ConfigError if one could not be written or
    /// the run ended before the window.
    void finish();
    /// One line for each file: its content and how to open it.
    [[nodiscard]] std::vector<std::string> files() const;

private:
    /// " waveforms/NAME.gtkw": the saved view that shows most of the recorded signals; empty if
    /// none fits.
    [[nodiscard]] std::string view() const;

    const ObserverOptions options_;
    std::unique_ptr<WaveformRecorder> wave_;
    std::unique_ptr<TimelineFile> timeline_;
    std::unique_ptr<OverTimeFile> over_time_;
    std::unique_ptr<DramTraceFile> dram_trace_;
    std::unique_ptr<StimulusRecorder> recorder_;
    std::unique_ptr<AccessTimeline> accesses_;  ///< set if a Chrome trace is written
    std::unique_ptr<TimelineTee> both_;         ///< set if both exist
};

}  // namespace tessera

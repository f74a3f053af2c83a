// Observers of a run, made from the user's options.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/clock.h"
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
class TransactionRecorder;
class WaveformRecorder;
class WaveRing;

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
    std::string transactions_file = {};      ///< recording for tessera align; empty: none
    std::uint64_t transactions_limit = 2'000'000;  ///< rows of the recording
    std::string planted_fault = {};                ///< PlantedPlan; empty: none
    /// Waveform of the last cycles, written if RTL and model differ; empty: none.
    std::string mismatch_wave = {};
};

/// Owns the recorders of a run. Construct it before the Simulation; it must outlive the Simulation.
class ObserverSet {
public:
    /// Throws ConfigError if a file cannot be written, or if DRAM commands are wanted at `lt`.
    ObserverSet(ObserverOptions options, const Config& config);
    ~ObserverSet();
    ObserverSet(const ObserverSet&) = delete;
    ObserverSet& operator=(const ObserverSet&) = delete;

    /// Pointers to the recorders; null for those not requested.
    [[nodiscard]] RunObservers get() const;
    /// Binder of the machine's links (MachineSeams::links); null: the machine binds them.
    [[nodiscard]] LinkBinder* links() const;
    /// Call if the run ended with an exception that says `reason`: saves the transactions so far.
    /// Returns the reason with what is known about a difference between model and RTL: the warp
    /// instruction, the transactions before, and the waveform that was written.
    [[nodiscard]] std::string explain_failure(const std::string& reason);
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
    void add_transaction_recorder(const Config& config);
    /// Writes the recording, which is complete if `end` is empty.
    void save_transactions(const std::string& end);
    [[nodiscard]] std::string explain_mismatch();

    const ObserverOptions options_;
    const ClockDomain clock_;
    std::vector<std::pair<std::string, std::string>> header_;  ///< of the recording
    std::uint64_t rows_ = 0;                                   ///< of the recording written
    bool saved_ = false;
    const bool checks_protocol_;  ///< a checker stands on every link
    std::unique_ptr<WaveformRecorder> wave_;
    std::unique_ptr<TimelineFile> timeline_;
    std::unique_ptr<OverTimeFile> over_time_;
    std::unique_ptr<DramTraceFile> dram_trace_;
    std::unique_ptr<StimulusRecorder> recorder_;
    std::unique_ptr<TransactionRecorder> transactions_;
    std::unique_ptr<WaveRing> ring_;            ///< set if a block runs as RTL beside its model
    std::unique_ptr<AccessTimeline> accesses_;  ///< set if a Chrome trace is written
    std::unique_ptr<TimelineTee> both_;         ///< set if both exist
};

}  // namespace tessera

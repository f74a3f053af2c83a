// Recorder of waveforms: values of named signals over time in a VCD or FST file.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/observe/cycle_window.h"
#include "sc_models/observe/dump_merge.h"
#include "sc_models/observe/scope_filter.h"
#include "sc_models/observe/wave_writer.h"

namespace tessera {

/// Records the changes that blocks report. Changes wait in a queue ordered by cycle and are written
/// at the first report after simulated time has passed them: no later report can be for an earlier
/// cycle. Before the window a change costs a store, after it a comparison.
///
/// The recorder has no process and no event: SystemC orders events of the same time, a further
/// event would change that order, and with it the winner of a shared resource. (sc_trace would need
/// such a process, as blocks report changes for cycles at which nothing else may happen.)
///
/// Of two reports for one cycle the later one counts. A report for a past cycle takes effect at the
/// present one, unless a newer value is displayed already; a pulse that is entirely past is lost.
/// Times in the file are exact; the signal `cycle` is the core cycle of the last change.
class WaveformRecorder : public WaveRecorder, public RunListener {
public:
    /// The file's extension selects the format (wave_format). Scopes are those inside `top_level`.
    /// Throws ConfigError if the file cannot be written.
    WaveformRecorder(const std::string& file, const CycleWindow& window,
                     std::string_view scope_patterns, const ClockDomain& clock,
                     std::string_view top_level = "gpu");
    ~WaveformRecorder() override;
    WaveformRecorder(const WaveformRecorder&) = delete;
    WaveformRecorder& operator=(const WaveformRecorder&) = delete;

    /// Adds a signal. Scopes are those inside the GPU; they may start with its name ("gpu.sm0.l1"
    /// is "sm0.l1").
    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override;
    void set(Signal signal, Cycle at, std::uint64_t value) override;
    void pulse(Signal signal, Cycle at, Cycle cycles) override;
    /// Adds a dump, which lies beside the file until `finish` merges it.
    DumpPlan add_dump(std::string_view scope, std::function<void()> close) override;
    void start_kernel(std::string_view name, Cycle start) override {
        window_.start_kernel(name, start);
    }
    void end_kernel(Cycle end) override { end_ = end; }
    /// Whether `name` is recorded: a signal, or an object inside a block ("sm0.l1").
    [[nodiscard]] bool records(std::string_view name) const;

    /// Must be called when the machine is complete. Throws ConfigError if a scope pattern matches
    /// nothing.
    void finish_elaboration() const { filter_.check("--wave-scope"); }
    /// Must be called after the run: writes the remaining changes and moves the file into place.
    /// Throws ConfigError if the run ended before the window, or the file could not be written. If
    /// it is never called (an exception), the destructor saves the changes so far.
    void finish();

private:
    enum class Kind : std::uint8_t { kSet, kPulseBegin, kPulseEnd };
    struct Change {
        Cycle at;             ///< cycle from which it is displayed
        Cycle announced_for;  ///< earlier than `at` if the report was late
        std::uint64_t order;  ///< order of the reports
        std::uint64_t value;
        Signal signal;
        Kind kind;
        friend bool operator<(const Change& a, const Change& b) {  // the queue's top is the
                                                                   // earliest
            return a.at != b.at ? a.at > b.at : a.order > b.order;
        }
    };
    struct Variable {
        std::string scope, name;
        std::uint32_t width_bits = 1;
    };
    struct State {
        std::uint64_t value = 0;
        std::uint64_t written = 0;
        std::uint64_t pulses = 0;  ///< running pulses
        Cycle announced_for = 0;   ///< cycle of the current value's report
    };

    /// Scope with the top level in front; empty if the user's patterns exclude it.
    [[nodiscard]] std::string full_scope(std::string_view scope);
    /// Writer of the recorder's own signals.
    [[nodiscard]] WaveWriter& writer() { return own_dump_ ? *own_dump_ : *file_; }
    /// Name of a dump beside the file; the dump is removed once the file is complete.
    [[nodiscard]] std::string dump_file(std::string_view what) const;
    void push(Signal signal, Cycle at, std::uint64_t value, Kind kind);
    void apply(const Change& change);
    /// Writes the changes of all cycles before `limit`; the first call writes header and first
    /// values.
    void write_until(Cycle limit);
    void write_first_values();
    void write_cycle(Cycle cycle);

    const std::string name_;  ///< of the file
    const std::string top_level_;
    PlacedWindow window_;
    Cycle end_ = 0;  ///< end of the last kernel
    const ClockDomain clock_;
    ScopeFilter filter_;
    std::unique_ptr<WaveWriter> file_;
    /// Writer of the signals until they are merged with the blocks' dumps; null if no block writes
    /// a dump.
    std::unique_ptr<WaveWriter> own_dump_;
    std::vector<ValueChangeDump> dumps_;
    std::vector<std::function<void()>> close_dumps_;
    std::vector<Variable> variables_;  ///< of the file: `cycle`, then the signals
    std::vector<State> states_;        ///< by signal
    std::priority_queue<Change> queue_;
    std::uint64_t announced_ = 0;
    std::vector<Signal> touched_;
    Cycle written_until_ = 0;  ///< the last time in the file
    bool started_ = false;     ///< the first values are written
    bool closed_ = false;
    bool saved_ = false;
};

}  // namespace tessera

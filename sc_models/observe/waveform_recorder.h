// Waveforms: values of named signals over time in a VCD or FST file.
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

/// Records what blocks announce. Changes wait in a queue in order of cycle and are written once
/// simulated time has passed them, when the next announcement comes: no news can be for an earlier
/// cycle then. Before the window a change costs a store, after it a comparison.
///
/// It has no process and no event: SystemC runs events of one time in an order that any further
/// event changes, and with it who is first at a shared resource. (sc_trace needs such a process
/// here, as blocks announce changes of cycles at which nothing else may happen.)
///
/// Two announcements for one cycle: the later one counts. News for a cycle that is past shows from
/// the present one on, unless something newer is shown already; a pulse that is past altogether is
/// lost. Times in the file are exact; the signal `cycle` tells the core cycle of the last change.
class WaveformRecorder : public WaveRecorder, public RunListener {
public:
    /// The format is that of the file's name (wave_format). Scopes are those inside `top_level`.
    /// Throws ConfigError if the file cannot be written.
    WaveformRecorder(const std::string& file, const CycleWindow& window,
                     std::string_view scope_patterns, const ClockDomain& clock,
                     std::string_view top_level = "gpu");
    ~WaveformRecorder() override;
    WaveformRecorder(const WaveformRecorder&) = delete;
    WaveformRecorder& operator=(const WaveformRecorder&) = delete;

    /// Scopes are those inside the GPU; they may start with its name ("gpu.sm0.l1" is "sm0.l1").
    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override;
    void set(Signal signal, Cycle at, std::uint64_t value) override;
    void pulse(Signal signal, Cycle at, Cycle cycles) override;
    /// Dumps lie beside the file until `finish` merges them into it.
    DumpPlan add_dump(std::string_view scope, std::function<void()> close) override;
    void start_kernel(std::string_view name, Cycle start) override {
        window_.start_kernel(name, start);
    }
    void end_kernel(Cycle end) override { end_ = end; }
    /// Whether `name` is recorded: a signal, or something inside a block ("sm0.l1").
    [[nodiscard]] bool records(std::string_view name) const;

    /// Call when the machine is complete. Throws ConfigError if a scope pattern matches nothing.
    void finish_elaboration() const { filter_.check("--wave-scope"); }
    /// Call after the run: writes what is left and moves the file into place. Throws ConfigError if
    /// the run ended before the window, or the file could not be written. If it is never called (an
    /// exception), the destructor saves what there is.
    void finish();

private:
    enum class Kind : std::uint8_t { kSet, kPulseBegin, kPulseEnd };
    struct Change {
        Cycle at;             ///< shown from here on
        Cycle announced_for;  ///< earlier than `at` if the news was late
        std::uint64_t order;  ///< of announcement
        std::uint64_t value;
        Signal signal;
        Kind kind;
        friend bool operator<(const Change& a, const Change& b) {  // the queue's top is the first
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
        std::uint64_t pulses = 0;  ///< under way
        Cycle announced_for = 0;   ///< the present value
    };

    /// Scope with the top level in front, or nothing if the user's pattern leaves it out.
    [[nodiscard]] std::string full_scope(std::string_view scope);
    /// Where the signals go.
    [[nodiscard]] WaveWriter& writer() { return own_dump_ ? *own_dump_ : *file_; }
    /// Of a dump beside the file, which goes when the file is whole.
    [[nodiscard]] std::string dump_file(std::string_view what) const;
    void push(Signal signal, Cycle at, std::uint64_t value, Kind kind);
    void apply(const Change& change);
    /// Writes the changes of all cycles before `limit`; the first time, header and first values.
    void write_until(Cycle limit);
    void write_first_values();
    void write_cycle(Cycle cycle);

    const std::string name_;  ///< of the file
    const std::string top_level_;
    PlacedWindow window_;
    Cycle end_ = 0;  ///< of the last kernel that has ended
    const ClockDomain clock_;
    ScopeFilter filter_;
    std::unique_ptr<WaveWriter> file_;
    /// Where the signals are written until they are merged with what the blocks write; null if no
    /// block writes a dump.
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

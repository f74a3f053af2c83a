// Waveforms: values of named signals over time in a VCD file, through SystemC's own tracing.
#pragma once

#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/observe/cycle_window.h"
#include "sc_models/observe/partial_file.h"
#include "sc_models/observe/scope_filter.h"

namespace tessera {

/// Records what blocks announce into `file` (moved into place by `finish`). Changes wait in a queue
/// in order of cycle; a process wakes at each change, writes the traced variables and leaves the
/// rest to sc_trace. Before the window a change costs a store, after it a comparison, and the VCD
/// file is open in between only.
///
/// The process never outlives the machine: it sleeps no longer than until the machine's own next
/// event and not at all when there is none, so a run takes the same time with and without a
/// recorder. What lies behind the machine's last event is written by `finish`.
///
/// Two announcements for one cycle: the later one counts. News for a cycle that is past shows from
/// the present one on, unless something newer is shown already; a pulse that is past altogether is
/// lost. One time unit of the file is 1 fs, so that cycles are exact; the signal `cycle` tells the
/// core cycle of the last change. A value that does not fit its width shows as x.
class VcdRecorder : public sc_core::sc_module, public WaveRecorder {
public:
    /// Throws ConfigError if the file cannot be written.
    VcdRecorder(sc_core::sc_module_name name, const std::string& file, const CycleWindow& window,
                std::string_view scope_patterns, const ClockDomain& clock);
    ~VcdRecorder() override;
    VcdRecorder(const VcdRecorder&) = delete;
    VcdRecorder& operator=(const VcdRecorder&) = delete;

    /// Scopes may start with the name of the top-level module, which is left out ("gpu.sm0.l1" is
    /// "sm0.l1").
    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override;
    void set(Signal signal, Cycle at, std::uint64_t value) override;
    void pulse(Signal signal, Cycle at, Cycle cycles) override;

    /// Call when the machine is complete. Throws ConfigError if a scope pattern matches nothing.
    void finish_elaboration() const { filter_.check("--wave-scope"); }
    /// Call after the run while the machine still exists: writes what is left, closes the file and
    /// moves it into place. Throws ConfigError if the run ended before the window, or the file
    /// could not be written. If it is never called (an exception), the destructor saves what there
    /// is.
    void finish();

private:
    enum class Kind : std::uint8_t { kSet, kPulseBegin, kPulseEnd };
    struct Change {
        Cycle at;
        std::uint64_t order;  ///< of announcement
        std::uint64_t value;
        Signal signal;
        Kind kind;
        friend bool operator<(const Change& a, const Change& b) {  // the queue's top is the first
            return a.at != b.at ? a.at > b.at : a.order > b.order;
        }
    };
    struct Declared {
        std::string name;
        std::uint32_t width_bits;
        Cycle set_at = 0;          ///< for which cycle the present value was announced
        std::uint64_t pulses = 0;  ///< under way
    };

    void start_of_simulation() override { kick(); }
    void evaluate();
    /// The cycle under way; the machine may have events between two cycles' beginnings.
    [[nodiscard]] Cycle present() const;
    void push(Signal signal, Cycle at, std::uint64_t value, Kind kind);
    void apply(const Change& change);
    /// Lets the process look at the queue in the next delta cycle.
    void kick();
    void sleep();
    void open();
    void close();
    void save();

    const CycleWindow window_;
    const ClockDomain clock_;
    ScopeFilter filter_;
    PartialFile file_;
    std::vector<Declared> signals_;
    std::vector<std::uint64_t> values_;  ///< the traced variables, by signal
    std::uint64_t cycle_ = 0;            ///< traced as well
    sc_core::sc_trace_file* trace_ = nullptr;
    std::uint64_t opened_at_ = 0;  ///< in units of the file

    std::priority_queue<Change> queue_;
    std::uint64_t announced_ = 0;
    sc_core::sc_event wake_;
    bool kicked_ = false;
    bool idle_ = true;  ///< nothing wakes the process but news
    bool in_window_ =
        false;  ///< the window's first cycle has come; the file is open unless closed_
    bool closed_ = false;
    bool saved_ = false;
    bool draining_ = false;  ///< the machine is done
};

}  // namespace tessera

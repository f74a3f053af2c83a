// Module of Duplo's load history buffer.
#pragma once

#include <iosfwd>
#include <string>
#include <systemc>

#include "sc_models/common/counter_list.h"
#include "sc_models/common/observer.h"
#include "sc_models/config/rtl_maker.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Load history buffer of an SM (Duplo IV-B) as model or RTL, with its counters and its hits and
/// misses in a waveform. The detection unit calls port() directly.
class LoadHistoryBufferModule : public sc_core::sc_module {
public:
    /// `rtl` chooses model or RTL. Throws like it, and ConfigError for entries that are no multiple
    /// of the ways.
    LoadHistoryBufferModule(sc_core::sc_module_name name, const DuploConfig& config,
                            const RtlMaker& rtl);

    [[nodiscard]] HistoryPort& port() { return port_; }
    /// Adds its counters, which `counters` holds.
    static void add_counters(CounterList& list, const DetectionCounters& counters);
    void watch(WaveRecorder& wave, const std::string& sm);
    /// Traces the answer at `now` to a lookup, and the number of entries; only when watched.
    void trace(Cycle now, const UnitOutcome& outcome);
    void dump(std::ostream& out) const override;

private:
    HistoryPort port_;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal hits_ = WaveRecorder::kNoSignal, misses_ = WaveRecorder::kNoSignal,
                         hit_class_ = WaveRecorder::kNoSignal, entries_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

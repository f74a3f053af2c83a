// Module of Duplo's ID generator.
#pragma once

#include <iosfwd>
#include <string>
#include <systemc>

#include "sc_models/common/counter_list.h"
#include "sc_models/common/observer.h"
#include "sc_models/config/rtl_maker.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// ID generator of an SM (Duplo IV-A) as model or RTL, with its ids in a waveform. The detection
/// unit calls port() directly.
class IdGeneratorModule : public sc_core::sc_module {
public:
    /// `rtl` chooses model or RTL. Throws like it.
    IdGeneratorModule(sc_core::sc_module_name name, const RtlMaker& rtl);

    [[nodiscard]] IdPort& port() { return port_; }
    /// Adds its counters, which `counters` holds.
    static void add_counters(CounterList& list, const DetectionCounters& counters);
    void watch(WaveRecorder& wave, const std::string& sm);
    /// Traces the id of a unit looked up at `now`; only when watched.
    void trace(Cycle now, const DataId& id);
    void dump(std::ostream& out) const override;

private:
    IdPort port_;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal element_ = WaveRecorder::kNoSignal, batch_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

// Module of Duplo's register rename table.
#pragma once

#include <iosfwd>
#include <string>
#include <systemc>

#include "sc_models/common/counter_list.h"
#include "sc_models/common/observer.h"
#include "sc_models/config/rtl_maker.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Rename table of the A fragments of an SM (Duplo IV-B) as model or RTL, with its counters and the
/// renamed units in a waveform. The detection unit calls port() directly.
class RenameTableModule : public sc_core::sc_module {
public:
    /// `rtl` chooses model or RTL. Throws like it.
    RenameTableModule(sc_core::sc_module_name name, const RtlMaker& rtl);

    [[nodiscard]] RenamePort& port() { return port_; }
    /// Adds its counters, which `counters` holds.
    static void add_counters(CounterList& list, const DetectionCounters& counters);
    void watch(WaveRecorder& wave, const std::string& sm);
    /// Traces that `architectural`, a unit of the warp's fragments, maps to `physical` from `now`
    /// on; only when watched.
    void trace(Cycle now, std::uint32_t architectural, PhysRegId physical);
    void dump(std::ostream& out) const override;

private:
    /// Width of the physical-unit signal; all ones: none.
    static constexpr std::uint32_t kPhysicalUnitBits = 20;

    RenamePort port_;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal architectural_ = WaveRecorder::kNoSignal,
                         physical_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

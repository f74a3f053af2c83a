// Module of Duplo's register rename table.
#pragma once

#include <iosfwd>
#include <string>
#include <systemc>

#include "sc_models/common/counter_list.h"
#include "sc_models/common/observer.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Rename table of the A fragments of an SM (Duplo IV-B), with its counters and the renamed units
/// in a waveform. The detection unit calls table() directly.
class RenameTableModule : public sc_core::sc_module {
public:
    explicit RenameTableModule(sc_core::sc_module_name name);

    [[nodiscard]] RenameTable& table() { return table_; }
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

    RenameTable table_;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal architectural_ = WaveRecorder::kNoSignal,
                         physical_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

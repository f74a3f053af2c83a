// Module of a sub-core's outer-product multiplier array.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <systemc>

#include "sc_models/common/counter_list.h"
#include "sc_models/common/observer.h"
#include "sc_models/config/rtl_maker.h"
#include "sc_models/tensor_core/spwmma_unit.h"
#include "sc_models/tensor_core/tensor_devices.h"

namespace tessera {

/// Level of detail of a block of the tensor cores.
enum class BlockDetail : std::uint8_t {
    kAbsent,   ///< the tensor cores have no such block
    kWhole,    ///< the units compute whole products; no device
    kClocked,  ///< a device steps clock cycle by clock cycle
};

/// Pair of 8x8x1 outer-product tensor cores of a sub-core (dual-side sparse tensor core, III), with
/// the OHMMAs of SpWMMAs as counters and in a waveform.
class FeopArrayModule : public sc_core::sc_module {
public:
    /// `rtl` chooses model or RTL of a clocked array. Throws like it.
    FeopArrayModule(sc_core::sc_module_name name, BlockDetail detail, const RtlMaker& rtl);

    /// Returns the device, which the module shares with the pipeline that steps it; null: not
    /// clocked.
    [[nodiscard]] std::shared_ptr<FeopArrayDevice> device() const { return device_; }
    /// Counts the work of one SpWMMA.
    void count(const SpwmmaWork& work) {
        ohmmas_ += work.ohmmas;
        cycles_ += work.tensor_cycles;
    }
    void add_counters(CounterList& list) const;
    /// Adds its signal to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);
    /// Traces the k-set that begins at `at`; only when watched.
    void trace(Cycle at, const SpwmmaSet& set);
    void dump(std::ostream& out) const override;

private:
    const std::shared_ptr<FeopArrayDevice> device_;
    std::uint64_t ohmmas_ = 0, cycles_ = 0;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal signal_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

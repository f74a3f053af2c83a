// Module of a sub-core's bitmap unit.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <systemc>

#include "sc_models/tensor_core/shell/feop_array_module.h"

namespace tessera {

/// Bitmap unit of a sub-core (dual-side sparse tensor core, V-B1): the k-sets of SpWMMAs and their
/// predicated-off OHMMAs as counters, popcounts and predicates in a waveform.
class BitmapUnitModule : public sc_core::sc_module {
public:
    /// `rtl` chooses model or RTL of a clocked unit. Throws like it.
    BitmapUnitModule(sc_core::sc_module_name name, BlockDetail detail, const RtlMaker& rtl);

    /// Returns the device, which the module shares with the pipeline that steps it; null: not
    /// clocked.
    [[nodiscard]] std::shared_ptr<BitmapDevice> device() const { return device_; }
    /// Counts the work of one SpWMMA.
    void count(const SpwmmaWork& work) {
        k_sets_ += work.k_sets;
        skipped_ += work.skipped;
    }
    void add_counters(CounterList& list) const;
    /// Adds its signals to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);
    /// Traces the k-set that begins at `at`; only when watched.
    void trace(Cycle at, const SpwmmaSet& set);
    void dump(std::ostream& out) const override;

private:
    const std::shared_ptr<BitmapDevice> device_;
    std::uint64_t k_sets_ = 0, skipped_ = 0;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal a_ = WaveRecorder::kNoSignal, b_ = WaveRecorder::kNoSignal,
                         predicates_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

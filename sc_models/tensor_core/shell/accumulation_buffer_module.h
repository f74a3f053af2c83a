// Module of a sub-core's accumulation buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string_view>
#include <systemc>

#include "sc_models/tensor_core/shell/feop_array_module.h"

namespace tessera {

/// Accumulation buffer of a sub-core (dual-side sparse tensor core, V-B2): the sums of one 32x32
/// tile. Knows whose tile it holds and exchanges it with the registers; additions and swaps are
/// counters, swaps and conflicts are in a waveform.
class AccumulationBufferModule : public sc_core::sc_module {
public:
    /// Tile whose sums the buffer holds.
    struct Tile {
        WarpId warp;
        std::uint8_t accumulators = 0;
        std::byte* sums = nullptr;  ///< registers of the tile; null: without values

        [[nodiscard]] bool is(WarpId of_warp, std::uint8_t at_accumulators) const {
            return warp == of_warp && accumulators == at_accumulators;
        }
    };

    /// `rtl` chooses model or RTL of a clocked buffer. Throws like it.
    AccumulationBufferModule(sc_core::sc_module_name name, BlockDetail detail, const RtlMaker& rtl);

    /// Returns the device, which the module shares with the pipeline that steps it; null: not
    /// clocked.
    [[nodiscard]] std::shared_ptr<AccumulationDevice> device() const { return device_; }
    [[nodiscard]] bool holds(WarpId warp, std::uint8_t accumulators) const {
        return tile_ && tile_->is(warp, accumulators);
    }
    /// Puts `tile` into the buffer of `unit`, which must hold none.
    void take(const Tile& tile, SpwmmaUnit& unit);
    /// Writes the tile's sums back to its registers, if the buffer of `unit` holds one, and returns
    /// the cycles of the exchange, `swap_cycles` and those to drain the collector. The exchange
    /// starts at `start`.
    Cycle give_back(Cycle start, std::uint32_t swap_cycles, SpwmmaUnit& unit);
    /// Counts the work of one SpWMMA.
    void count(const SpwmmaWork& work) {
        additions_ += work.additions;
        cycles_ += work.accumulate_cycles;
    }
    void add_counters(CounterList& list) const;
    /// Adds its signals to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);
    /// Traces the k-set that begins at `at`; only when watched.
    void trace(Cycle at, const SpwmmaSet& set);
    void dump(std::ostream& out) const override;

private:
    const std::shared_ptr<AccumulationDevice> device_;
    std::optional<Tile> tile_;
    std::uint64_t additions_ = 0, cycles_ = 0, swaps_ = 0, swap_cycles_ = 0;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal swap_ = WaveRecorder::kNoSignal, conflicts_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera

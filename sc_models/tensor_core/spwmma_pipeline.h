// SpWMMAs on a sparse tensor core that is clocked cycle by cycle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/tensor_core/spwmma_core.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// SpWMMAs on a sparse tensor core that is clocked pin by pin (dual-side sparse tensor core, V-B):
/// gives it tiles and the values that it reads, and counts its work.
///
/// The cycles of an SpWMMA are those in which one of its OHMMAs is at the accumulation buffer's
/// input: earlier cycles overlap the SpWMMA before, and the clock of the buffer stops when no OHMMA
/// is there. SpwmmaSequencer with AccumulationDetail::kCollector does the same, and cycles, work
/// and sums equal those of the sequencer.
class SpwmmaPipeline final : public SpwmmaUnit {
public:
    /// `config` requires the collector and the sizes of the blocks, see supports().
    SpwmmaPipeline(const SpwmmaConfig& config, std::shared_ptr<SpwmmaCoreDevice> core);

    /// Whether the blocks implement `config`: OHMMAs of 8x16, one per cycle, predicated-off ones
    /// free, BOHMMAs overlapped, cycles of the collector, a buffer of default sizes.
    [[nodiscard]] static bool supports(const SpwmmaConfig& config);
    /// Whether the buffer has the configuration of the RTL, for dense products too.
    [[nodiscard]] static bool supports(const AccumulationBufferConfig& buffer);

    void at(Cycle now) override { core_->at(now); }
    /// Throws CheckError if the blocks do not respond, lose OHMMAs or leave a gap between them.
    [[nodiscard]] Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) override;
    [[nodiscard]] Cycle drain() override;
    void load(const float* tile) override;
    void store(float* tile) override;
    void watch(std::vector<SpwmmaSet>* sets) override { sets_ = sets; }
    [[nodiscard]] const SpwmmaConfig& config() const override { return config_; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return core_->rtl_cycles(); }

private:
    /// Progress of the current SpWMMA.
    struct Progress {
        bool begun = false;                              ///< the core has taken the tile
        bool through = false;                            ///< and made its last OHMMA
        bool gap = false;                                ///< no OHMMA at the buffer after the first
        BitmapUnit::Summary summary;                     ///< from the bitmap unit
        std::uint32_t read = 0;                          ///< OHMMAs whose values were read
        std::uint32_t added = 0;                         ///< OHMMAs that the buffer took
        std::uint64_t additions = 0;                     ///< products in them
        std::array<std::uint32_t, kTileDepth> cycles{};  ///< at the buffer's input, by k
        Cycle total = 0;                                 ///< sum of `cycles`
    };
    using Outputs = SpwmmaCorePins::Outputs;

    void follow_tile(const Outputs& out, Progress& progress);
    static void follow_ohmma(const Outputs& out, Progress& progress);
    void give_values(const SpwmmaTile& a, const SpwmmaTile& b, const Outputs& out);
    void account(const SpwmmaTile& a, const SpwmmaTile& b, const Progress& progress,
                 SpwmmaWork& work) const;

    const SpwmmaConfig config_;
    const std::shared_ptr<SpwmmaCoreDevice> core_;
    SpwmmaCorePins::Inputs in_;
    std::vector<SpwmmaSet>* sets_ = nullptr;
};

}  // namespace tessera

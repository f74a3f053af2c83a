// SpWMMA on outer-product tensor cores clocked cycle by cycle: bitmap unit, array, buffer.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sc_models/tensor_core/spwmma_unit.h"
#include "sc_models/tensor_core/tensor_devices.h"

namespace tessera {

/// The sparse side of a sub-core's outer-product tensor cores, pin by pin (dual-side sparse tensor
/// core, V-B): the bitmap unit turns the bitmaps of a tile into OHMMAs, an operand register takes
/// the values that its offsets name, the array multiplies them, a result register offers the
/// products with their rows and columns to the accumulation buffer, which takes them as its
/// collector has room. Each block may be model, RTL or both.
///
/// The cycles of an SpWMMA are those in which an OHMMA of it is at the accumulation buffer's input:
/// what comes before them is hidden by the SpWMMA before, and the clock of the buffer stands when
/// there is none, as in SpwmmaSequencer with AccumulationDetail::kCollector, whose cycles, work
/// and sums these are.
class SpwmmaPipeline final : public SpwmmaUnit {
public:
    /// `config` with the collector and the sizes of the blocks, see supports().
    SpwmmaPipeline(const SpwmmaConfig& config, std::unique_ptr<BitmapDevice> bitmap,
                   std::unique_ptr<FeopArrayDevice> array,
                   std::unique_ptr<AccumulationDevice> buffer);

    /// Whether the blocks do what `config` says: OHMMAs of 8x16, one a cycle, those that are off
    /// free, BOHMMAs overlapped, cycles of the collector, a buffer of default sizes.
    [[nodiscard]] static bool supports(const SpwmmaConfig& config);
    /// Whether the buffer is what the RTL is, for dense products too.
    [[nodiscard]] static bool supports(const AccumulationBufferConfig& buffer);

    void at(Cycle now) override;
    /// Throws CheckError if the blocks give no answer, lose OHMMAs or leave a gap between them.
    [[nodiscard]] Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) override;
    [[nodiscard]] Cycle drain() override;
    void load(const float* tile) override;
    void store(float* tile) override;
    void watch(std::vector<SpwmmaSet>* sets) override { sets_ = sets; }
    [[nodiscard]] const SpwmmaConfig& config() const override { return config_; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override {
        return bitmap_->rtl_cycles() + array_->rtl_cycles() + buffer_->rtl_cycles();
    }

private:
    /// Where the products of an OHMMA go.
    struct Lanes {
        std::uint32_t number = 0;  ///< of the OHMMA, in its SpWMMA
        std::uint32_t k = 0;
        std::array<std::uint32_t, kOhmmaRows> row{};
        std::array<std::uint32_t, kOhmmaColumns> column{};
        std::uint32_t row_valid = 0;
        std::uint32_t column_valid = 0;
    };
    /// What has become of the SpWMMA under way.
    struct Progress {
        bool begun = false;                              ///< the bitmap unit has taken the tile
        bool through = false;                            ///< and made the last OHMMA of it
        bool idle = false;                               ///< and holds nothing
        BitmapUnit::Summary summary;                     ///< by the bitmap unit
        std::uint32_t made = 0;                          ///< OHMMAs by the bitmap unit
        std::uint32_t added = 0;                         ///< taken by the accumulation buffer
        std::uint64_t additions = 0;                     ///< products of these
        std::array<std::uint32_t, kTileDepth> cycles{};  ///< at the buffer's input, by k
        Cycle total = 0;                                 ///< sum of these
    };

    void step_buffer(Progress& progress);
    void step_array(const Progress& progress);
    void step_bitmap(const SpwmmaTile& a, const SpwmmaTile& b, Progress& progress);
    void fetch(const SpwmmaTile& a, const SpwmmaTile& b, const BitmapUnit::Ohmma& ohmma,
               std::uint32_t number);
    void account(const SpwmmaTile& a, const SpwmmaTile& b, const Progress& progress,
                 SpwmmaWork& work) const;

    const SpwmmaConfig config_;
    const std::unique_ptr<BitmapDevice> bitmap_;
    const std::unique_ptr<FeopArrayDevice> array_;
    const std::unique_ptr<AccumulationDevice> buffer_;
    BitmapUnit::Inputs tile_;             ///< offered to the bitmap unit
    FeopArrayInputs operands_;            ///< the operand register, offered to the array
    AccumulationBuffer::Inputs results_;  ///< the result register, offered to the buffer
    std::uint32_t results_k_ = 0;
    std::deque<Lanes> lanes_;  ///< of the OHMMAs between operand and result register
    std::vector<SpwmmaSet>* sets_ = nullptr;
};

}  // namespace tessera

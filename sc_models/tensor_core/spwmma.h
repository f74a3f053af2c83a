// SpWMMA: cycles and values of the 32x32x16 product of two bitmap-encoded tiles.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/tensor_core/accumulation_memo.h"
#include "sc_models/tensor_core/accumulation_rate.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// Number of OHMMA.8161 predicated on for popcounts `a` and `b`, in halves (dual-side sparse tensor
/// core, III-B3 and Figure 15): ceil(a / 8) x ceil(b / 16); with 8x8 condensing half of ceil(a / 8)
/// x ceil(b / 8).
[[nodiscard]] constexpr std::uint32_t half_ohmmas(OhmmaGranularity granularity, std::uint32_t a,
                                                  std::uint32_t b) {
    const std::uint32_t rows = (a + 7) / 8;
    return granularity == OhmmaGranularity::k8x16 ? 2 * rows * ((b + 15) / 16)
                                                  : rows * ((b + 7) / 8);
}

/// The sequencer of a sub-core's outer-product tensor cores with its accumulation buffer, a model
/// of cycles and values in the detail that the configuration selects.
///
/// A zero that is not stored is skipped, even opposite an infinity or a NaN. Tiles with infinities
/// and NaNs are counted (strict_operands() stores zeros if that matters).
class SpwmmaSequencer final : public SpwmmaUnit {
public:
    /// Throws ConfigError for an accumulation buffer that is not realisable in hardware.
    SpwmmaSequencer(const SpwmmaConfig& config, bool values);

    /// Takes the larger of the cycles of OHMMAs and buffer; a remainder below a cycle carries over
    /// to the next SpWMMA.
    [[nodiscard]] Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) override;
    [[nodiscard]] Cycle drain() override;
    void load(const float* tile) override;
    void store(float* tile) override;
    void watch(std::vector<SpwmmaSet>* sets) override { sets_ = sets; }

    [[nodiscard]] const SpwmmaConfig& config() const override { return config_; }

private:
    /// Accumulates one k-set with elements on both sides: its values, if any. Returns the cycles of
    /// the accumulation buffer.
    [[nodiscard]] double accumulate_set(std::uint32_t k, const SpwmmaTile& a, const SpwmmaTile& b,
                                        const HalfBits* values_a, const HalfBits* values_b);
    [[nodiscard]] double exact_cycles(std::uint32_t a, std::uint32_t b);
    void multiply_set(std::uint32_t k, const SpwmmaTile& a, const SpwmmaTile& b,
                      const HalfBits* values_a, const HalfBits* values_b);
    [[nodiscard]] bool collected() const { return stream_.has_value(); }

    const SpwmmaConfig config_;
    const bool values_;
    AccumulationMemo* memo_ = nullptr;
    std::optional<AccumulationStream> stream_;  ///< kCollector only
    double remainder_ = 0;                      ///< of a cycle
    std::vector<SpwmmaSet>* sets_ = nullptr;
    std::array<float, kTileElements> accumulators_{};
};

}  // namespace tessera

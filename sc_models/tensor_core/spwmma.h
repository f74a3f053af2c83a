// SpWMMA: 32x32x16 product of two bitmap-encoded tiles, its cycles and its values.
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

/// OHMMA.8161 predicated on for popcounts `a` and `b` (dual-side sparse tensor core, III-B3 and
/// Figure 15): ceil(a / 8) x ceil(b / 16); with 8x8 condensing half of ceil(a / 8) x ceil(b / 8).
/// In halves.
[[nodiscard]] constexpr std::uint32_t half_ohmmas(OhmmaGranularity granularity, std::uint32_t a,
                                                  std::uint32_t b) {
    const std::uint32_t rows = (a + 7) / 8;
    return granularity == OhmmaGranularity::k8x16 ? 2 * rows * ((b + 15) / 16)
                                                  : rows * ((b + 7) / 8);
}

/// A zero that is not stored is skipped, whatever stands opposite: infinities and NaNs of tiles are
/// counted (strict_operands() stores zeros where that matters).
///
/// The sequencer of a sub-core's outer-product tensor cores with its accumulation buffer as a model
/// that computes cycles and values, however exactly the configuration asks for.
class SpwmmaSequencer final : public SpwmmaUnit {
public:
    /// Throws ConfigError for an accumulation buffer without hardware.
    SpwmmaSequencer(const SpwmmaConfig& config, bool values);

    /// The larger of what OHMMAs and buffer need, a remainder below a cycle goes to the next one.
    [[nodiscard]] Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) override;
    [[nodiscard]] Cycle drain() override;
    void load(const float* tile) override;
    void store(float* tile) override;
    void watch(std::vector<SpwmmaSet>* sets) override { sets_ = sets; }

    [[nodiscard]] const SpwmmaConfig& config() const override { return config_; }

private:
    /// One k-set with elements on both sides: its values, if there are any, and the cycles of the
    /// accumulation buffer.
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

// SpWMMA: 32x32x16 product of two bitmap-encoded tiles, its cycles and its values.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/accumulation_memo.h"
#include "sc_models/tensor_core/accumulation_rate.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/tensor_core/spwmma_config.h"

namespace tessera {

inline constexpr std::uint32_t kSpwmmaDepth = 16;  ///< k of one SpWMMA
inline constexpr std::uint32_t kOhmmasPerSet = 8;  ///< OHMMA.8161 of a dense 32x32x1 outer product
inline constexpr std::uint32_t kSpwmmaMaxValues = kTileSize * kSpwmmaDepth;

/// One operand of an SpWMMA: 32 lines x 16 k, a bitmap of the lines for each k.
struct SpwmmaTile {
    const std::uint32_t* masks = nullptr;  ///< 16
    const std::uint8_t* counts = nullptr;  ///< their popcounts
    /// The values the masks name, k then line ascending; null: without values.
    const HalfBits* values = nullptr;
    bool nonfinite = false;  ///< some value is an infinity or NaN
};

/// What one SpWMMA, or many, did.
struct SpwmmaWork {
    std::uint64_t k_sets = 0;             ///< k with non-zeros on both sides, one BOHMMA each
    std::uint64_t ohmmas = 0;             ///< OHMMA.8161 issued
    std::uint64_t skipped = 0;            ///< OHMMA.8161 predicated off, of 8 a k
    std::uint64_t additions = 0;          ///< products accumulated
    std::uint64_t tensor_cycles = 0;      ///< that OHMMAs and BOHMMAs take
    std::uint64_t accumulate_cycles = 0;  ///< that the accumulation buffer takes
    std::uint64_t nonfinite_tiles = 0;    ///< SpWMMAs with an infinity or NaN
};

/// One k-set of an SpWMMA, for whoever watches.
struct SpwmmaSet {
    Cycle begin = 0;              ///< from the start of the SpWMMA
    std::uint8_t a = 0, b = 0;    ///< popcounts
    std::uint8_t predicates = 0;  ///< bit 2 i + j: OHMMA (i, j) of 8x16 is on
    std::uint32_t conflicts = 0;  ///< cycles the accumulation buffer takes beyond its OHMMAs
};

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
/// The sequencer of a sub-core's outer-product tensor cores with its accumulation buffer, which
/// holds the 32x32 tile of one warp at a time.
class SpwmmaSequencer {
public:
    /// Throws ConfigError for an accumulation buffer without hardware.
    SpwmmaSequencer(const SpwmmaConfig& config, bool values);

    /// Cycles the tensor cores are taken: the larger of what OHMMAs and buffer need, a remainder
    /// below a cycle goes to the next one.
    [[nodiscard]] Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work);
    /// Waits for the additions under way; cycles until then. Afterwards accumulators() holds all.
    [[nodiscard]] Cycle drain();
    /// Puts a tile of 32x32 floats, row-major, into the buffer; -0 as +0.
    void load(const float* tile);
    void store(float* tile);
    /// From now on run() leaves the k-sets of the last SpWMMA in `sets`.
    void watch(std::vector<SpwmmaSet>* sets) { sets_ = sets; }

    [[nodiscard]] const SpwmmaConfig& config() const { return config_; }

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
    const AccumulationMemo* memo_ = nullptr;
    std::optional<AccumulationStream> stream_;  ///< kCollector only
    double remainder_ = 0;                      ///< of a cycle
    std::vector<SpwmmaSet>* sets_ = nullptr;
    std::array<float, kTileElements> accumulators_{};
};

}  // namespace tessera

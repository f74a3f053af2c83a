// Interface of the SpWMMA unit of a sub-core, with its operands and statistics.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/spwmma_config.h"
#include "sc_models/tensor_core/accumulation_map.h"
#include "sc_models/tensor_core/half.h"

namespace tessera {

inline constexpr std::uint32_t kSpwmmaDepth = 16;  ///< k of one SpWMMA
inline constexpr std::uint32_t kOhmmasPerSet = 8;  ///< OHMMA.8161 of a dense 32x32x1 outer product
inline constexpr std::uint32_t kSpwmmaMaxValues = kTileSize * kSpwmmaDepth;

/// One operand of an SpWMMA: 32 lines x 16 k, a bitmap of the lines for each k.
struct SpwmmaTile {
    const std::uint32_t* masks = nullptr;  ///< 16
    const std::uint8_t* counts = nullptr;  ///< their popcounts
    /// Values of the set bits, k then line ascending; null: without values.
    const HalfBits* values = nullptr;
    bool nonfinite = false;  ///< some value is an infinity or NaN
};

/// Statistics of one or more SpWMMAs.
struct SpwmmaWork {
    std::uint64_t k_sets = 0;             ///< k with non-zeros on both sides, one BOHMMA each
    std::uint64_t ohmmas = 0;             ///< OHMMA.8161 issued
    std::uint64_t skipped = 0;            ///< OHMMA.8161 predicated off, out of 8 per k
    std::uint64_t additions = 0;          ///< products accumulated
    std::uint64_t tensor_cycles = 0;      ///< cycles of OHMMAs and BOHMMAs
    std::uint64_t accumulate_cycles = 0;  ///< cycles of the accumulation buffer
    std::uint64_t nonfinite_tiles = 0;    ///< SpWMMAs with an infinity or NaN
};

/// Record of one k-set of an SpWMMA, for observers.
struct SpwmmaSet {
    Cycle begin = 0;              ///< from the start of the SpWMMA
    std::uint8_t a = 0, b = 0;    ///< popcounts
    std::uint8_t predicates = 0;  ///< bit 2 i + j: OHMMA (i, j) of 8x16 is on
    std::uint32_t conflicts = 0;  ///< cycles of the accumulation buffer in addition to its OHMMAs
};

/// The outer-product tensor cores of a sub-core on sparse tiles, with their accumulation buffer,
/// which holds the 32x32 tile of one warp at a time.
class SpwmmaUnit {
public:
    virtual ~SpwmmaUnit() = default;
    /// Sets the core cycle of the following calls to `now`.
    virtual void at(Cycle now) { static_cast<void>(now); }
    /// Executes an SpWMMA and returns the cycles that it occupies the tensor cores.
    [[nodiscard]] virtual Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) = 0;
    /// Waits for the additions in progress and returns the cycles until then. Afterwards store()
    /// returns all sums.
    [[nodiscard]] virtual Cycle drain() = 0;
    /// Puts a tile of 32x32 floats, row-major, into the buffer; -0 as +0.
    virtual void load(const float* tile) = 0;
    /// Copies the buffer's tile, row-major; a NaN as kFeopNan.
    virtual void store(float* tile) = 0;
    /// Makes run() store the k-sets of the latest SpWMMA in `sets`.
    virtual void watch(std::vector<SpwmmaSet>* sets) = 0;
    [[nodiscard]] virtual const SpwmmaConfig& config() const = 0;
    /// Clock cycles that RTL in this unit has run.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const { return 0; }
};

}  // namespace tessera

// What executes SpWMMA in a sub-core: its operands, what it did, and the face of all
// implementations.
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

/// The outer-product tensor cores of a sub-core on sparse tiles, with their accumulation buffer,
/// which holds the 32x32 tile of one warp at a time.
class SpwmmaUnit {
public:
    virtual ~SpwmmaUnit() = default;
    /// What follows happens at core cycle `now`.
    virtual void at(Cycle now) { static_cast<void>(now); }
    /// Cycles the tensor cores are taken.
    [[nodiscard]] virtual Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) = 0;
    /// Waits for the additions under way; cycles until then. Afterwards store() gives all sums.
    [[nodiscard]] virtual Cycle drain() = 0;
    /// Puts a tile of 32x32 floats, row-major, into the buffer; -0 as +0.
    virtual void load(const float* tile) = 0;
    /// The buffer's tile, row-major; a NaN as kFeopNan.
    virtual void store(float* tile) = 0;
    /// From now on run() leaves the k-sets of the last SpWMMA in `sets`.
    virtual void watch(std::vector<SpwmmaSet>* sets) = 0;
    [[nodiscard]] virtual const SpwmmaConfig& config() const = 0;
    /// Clock cycles that RTL in this unit has run.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const { return 0; }
};

}  // namespace tessera

// Sparse tiles for the benches of the bitmap unit and of the sparse tensor core.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/tensor_core/bitmap_unit.h"
#include "testbenches/cosim/operand_mix.h"

namespace tessera {

/// Tiles with every pair of non-zero counts, a pair for each k set; then random tiles of changing
/// density, with empty k sets and tiles among them.
class TileStimulus {
public:
    using Bitmaps = std::array<std::uint32_t, kTileDepth>;

    /// Draws the densities of what comes next.
    void change(OperandMix& random) {
        static constexpr std::array<std::uint32_t, 9> kDensities = {32, 31, 24, 16, 8, 4, 2, 1, 0};
        density_a_ = kDensities[random.below(kDensities.size())];
        density_b_ = kDensities[random.below(kDensities.size())];
    }
    /// Draws a tile of `depth` k sets.
    void next(OperandMix& random, Bitmaps& a, Bitmaps& b, std::uint32_t depth = kTileDepth) {
        for (std::uint32_t k = 0; k < depth; ++k) {
            if (directed()) {
                a[k] = with_count(random, next_pair_ / (kTileSize + 1));
                b[k] = with_count(random, next_pair_ % (kTileSize + 1));
                ++next_pair_;
                continue;
            }
            a[k] = with_density(random, density_a_);
            b[k] = with_density(random, density_b_);
        }
    }
    /// Pairs of counts come first.
    [[nodiscard]] bool directed() const { return next_pair_ < kPairs; }

private:
    static constexpr std::uint32_t kPairs = (kTileSize + 1) * (kTileSize + 1);

    /// `count` bits (none past the last pair) at random places.
    static std::uint32_t with_count(OperandMix& random, std::uint32_t count) {
        std::uint32_t bitmap = 0;
        for (std::uint32_t left = count % (kTileSize + 1); left > 0;) {
            const std::uint32_t bit = 1U << random.below(kTileSize);
            if ((bitmap & bit) != 0) continue;
            bitmap |= bit;
            --left;
        }
        return bitmap;
    }

    static std::uint32_t with_density(OperandMix& random, std::uint32_t of_32) {
        if (random.below(16) == 0) return 0;
        std::uint32_t bitmap = 0;
        for (std::uint32_t n = 0; n < kTileSize; n += 2) {
            const std::uint64_t draw = random.bits();
            if (draw % 32 < of_32) bitmap |= 1U << n;
            if ((draw >> 32U) % 32 < of_32) bitmap |= 2U << n;
        }
        return bitmap;
    }

    std::uint32_t next_pair_ = 0;
    std::uint32_t density_a_ = 16;  ///< of 32
    std::uint32_t density_b_ = 16;
};

}  // namespace tessera

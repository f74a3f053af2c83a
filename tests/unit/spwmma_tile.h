// Operands of SpWMMAs for tests.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera::test {

/// A tile with its own storage.
struct SpwmmaTileData {
    std::array<std::uint32_t, kSpwmmaDepth> masks{};
    std::array<std::uint8_t, kSpwmmaDepth> counts{};
    std::vector<HalfBits> values;

    void set(std::uint32_t k, std::uint32_t mask) {
        masks[k] = mask;
        counts[k] = static_cast<std::uint8_t>(__builtin_popcount(mask));
    }
    [[nodiscard]] SpwmmaTile view() const {
        return {masks.data(), counts.data(), values.empty() ? nullptr : values.data(), false};
    }
};

inline std::uint32_t low_bits(std::uint32_t count) {
    return count == 32 ? ~0U : (1U << count) - 1;
}

inline SpwmmaTileData random_tile(std::mt19937& random, double density, bool values) {
    SpwmmaTileData tile;
    std::bernoulli_distribution kept(density);
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        std::uint32_t mask = 0;
        for (std::uint32_t line = 0; line < kTileSize; ++line)
            mask |= kept(random) ? 1U << line : 0;
        tile.set(k, mask);
        for (std::uint32_t i = 0; values && i < tile.counts[k]; ++i) {
            tile.values.push_back(static_cast<HalfBits>(random() % 0x7c00U | (random() & 0x8000U)));
        }
    }
    if (values) tile.values.push_back(0);
    return tile;
}

}  // namespace tessera::test

// Mapping of elements of the 32x32 accumulator tile to a bank and a word in it.
#pragma once

#include <cstdint>

#include "sc_models/config/spwmma_config.h"

namespace tessera {

inline constexpr std::uint32_t kTileSize = 32;  ///< rows and columns of a warp tile
inline constexpr std::uint32_t kTileElements = kTileSize * kTileSize;

/// Position of a tile element in the accumulation buffer.
struct BankWord {
    std::uint16_t bank = 0;
    std::uint16_t word = 0;
};

/// Whether a map exists for this number of banks: a power of two from 16 to 256.
[[nodiscard]] constexpr bool has_accumulation_map(std::uint32_t banks) {
    return banks >= 16 && banks <= 256 && (banks & (banks - 1)) == 0;
}

/// Bank and word of element (row, column); a bijection onto `banks` x (1024 / banks) words.
///
/// kXor with 128 banks: bank = 32 (r & 3) + (c ^ 4 (r >> 2)), word = r >> 2. In general there are
/// banks / 32 row classes; rows of one class differ in the columns they meet in a bank. With 16
/// banks the swizzled column's upper half chooses the word.
[[nodiscard]] constexpr BankWord bank_word(AccumulationMap map, std::uint32_t banks,
                                           std::uint32_t row, std::uint32_t column) {
    std::uint32_t bank = 0;
    std::uint32_t word = 0;
    if (map == AccumulationMap::kLinear) {
        const std::uint32_t element = row * kTileSize + column;
        bank = element % banks;
        word = element / banks;
    } else if (map == AccumulationMap::kTwoD) {
        const std::uint32_t rows = banks == 256 ? 16 : (banks >= 64 ? 8 : 4);
        const std::uint32_t columns = banks / rows;
        bank = columns * (row % rows) + column % columns;
        word = (row / rows) * (kTileSize / columns) + column / columns;
    } else if (banks >= kTileSize) {
        const std::uint32_t classes = banks / kTileSize;
        bank = kTileSize * (row % classes) + (column ^ (classes * (row / classes)));
        word = row / classes;
    } else {
        const std::uint32_t swizzled = column ^ row;
        bank = swizzled % banks;
        word = row * (kTileSize / banks) + swizzled / banks;
    }
    return {static_cast<std::uint16_t>(bank), static_cast<std::uint16_t>(word)};
}

}  // namespace tessera

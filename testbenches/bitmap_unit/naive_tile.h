// Naive reference of the bitmap unit: lists of non-zeros, and plain loops over them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::testbench {

/// Bitmaps of 16 columns of A and 16 rows of B.
struct TileBitmaps {
    std::array<std::uint32_t, 16> a{}, b{};
};

/// An OHMMA with the rows and columns of its products.
struct NaiveOhmma {
    std::uint32_t k = 0, i = 0, j = 0;
    std::vector<std::uint32_t> rows, columns;
    std::uint32_t a_offset = 0, b_offset = 0;  ///< values of the tile before the first of the group
};

/// Numbers of a k-set.
struct NaiveSet {
    std::vector<std::uint32_t> rows, columns;  ///< places of the non-zeros
    std::uint32_t a_offset = 0, b_offset = 0;  ///< non-zeros of smaller k
    std::uint32_t row_groups = 0, column_groups = 0;
    std::array<bool, 8> needed{};  ///< OHMMA 2 i + j, of rows 8 i.. and columns 16 j.. condensed
};

struct NaiveTile {
    std::vector<NaiveSet> sets;
    std::vector<NaiveOhmma> ohmmas;
};

/// Places of the ones of a bitmap.
[[nodiscard]] inline std::vector<std::uint32_t> naive_places(std::uint32_t bitmap) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t place = 0; place < 32; ++place) {
        if ((bitmap >> place) % 2 == 1) places.push_back(place);
    }
    return places;
}

/// Part `number` of a list, in parts of `size`.
[[nodiscard]] inline std::vector<std::uint32_t> naive_part(const std::vector<std::uint32_t>& all,
                                                           std::uint32_t number,
                                                           std::uint32_t size) {
    std::vector<std::uint32_t> part;
    for (std::uint32_t n = number * size; n < all.size() && n < (number + 1) * size; ++n) {
        part.push_back(all[n]);
    }
    return part;
}

/// Counts, offsets and OHMMAs of a tile (dual-side sparse tensor core, V-B1, Figure 15).
[[nodiscard]] inline NaiveTile naive_tile(const TileBitmaps& tile) {
    NaiveTile result;
    std::uint32_t a_offset = 0, b_offset = 0;
    for (std::uint32_t k = 0; k < 16; ++k) {
        NaiveSet set;
        set.rows = naive_places(tile.a[k]);
        set.columns = naive_places(tile.b[k]);
        set.a_offset = a_offset;
        set.b_offset = b_offset;
        while (set.row_groups * 8 < set.rows.size()) ++set.row_groups;
        while (set.column_groups * 16 < set.columns.size()) ++set.column_groups;
        for (std::uint32_t i = 0; i < 4; ++i) {
            for (std::uint32_t j = 0; j < 2; ++j) {
                const NaiveOhmma ohmma{k,
                                       i,
                                       j,
                                       naive_part(set.rows, i, 8),
                                       naive_part(set.columns, j, 16),
                                       a_offset + 8 * i,
                                       b_offset + 16 * j};
                set.needed[2 * i + j] = !ohmma.rows.empty() && !ohmma.columns.empty();
                if (set.needed[2 * i + j]) result.ohmmas.push_back(ohmma);
            }
        }
        a_offset += static_cast<std::uint32_t>(set.rows.size());
        b_offset += static_cast<std::uint32_t>(set.columns.size());
        result.sets.push_back(std::move(set));
    }
    return result;
}

}  // namespace tessera::testbench

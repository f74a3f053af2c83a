// Naive reference of the bitmap im2col: lists of elements, and plain loops over them.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::testbench {

/// Row of a feature map under a filter.
struct MapRow {
    std::uint64_t bitmap = 0;  ///< bit c: element c is not zero
    std::uint32_t length = 0, filter = 0, stride = 1;
    std::uint32_t base = 0;  ///< address of the first value
};

/// Column of the lowered map.
struct NaiveColumn {
    std::vector<bool> elements;  ///< by output: not zero
    std::vector<bool> window;    ///< elements from that of the first output to that of the last
    std::uint32_t address = 0, length = 0, count = 0;
};

struct NaiveLowering {
    bool fits = false;
    std::vector<NaiveColumn> columns;
};

/// Lowers a row (dual-side sparse tensor core, IV-A): output n of column k is element k + n x
/// stride.
[[nodiscard]] inline NaiveLowering naive_lowering(const MapRow& row) {
    NaiveLowering lowering;
    lowering.fits = row.filter > 0 && row.filter <= row.length && row.length <= 64;
    if (!lowering.fits) return lowering;
    std::vector<bool> elements;
    for (std::uint32_t n = 0; n < row.length; ++n) {
        elements.push_back((row.bitmap >> n) % 2 == 1);
    }
    for (std::uint32_t k = 0; k < row.filter; ++k) {
        NaiveColumn column;
        column.address = row.base;
        for (std::uint32_t n = 0; n < k; ++n) column.address += elements[n] ? 1 : 0;
        // The filter is at `first`; its last column must lie in the row.
        std::uint32_t last = k;
        for (std::uint32_t first = 0; first + row.filter <= row.length; first += row.stride) {
            last = first + k;
            column.elements.push_back(elements[last]);
            column.count += elements[last] ? 1 : 0;
        }
        for (std::uint32_t n = k; n <= last; ++n) {
            column.window.push_back(elements[n]);
            column.length += elements[n] ? 1 : 0;
        }
        lowering.columns.push_back(column);
    }
    return lowering;
}

/// Bitmap of a list.
[[nodiscard]] inline std::uint64_t naive_bitmap(const std::vector<bool>& elements) {
    std::uint64_t bitmap = 0;
    for (std::size_t n = elements.size(); n-- > 0;) bitmap = 2 * bitmap + (elements[n] ? 1 : 0);
    return bitmap;
}

}  // namespace tessera::testbench

// Lowering of a sparse feature map on a CPU in several formats (dual-side sparse tensor core, Table
// III).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/sparse/feature_map.h"

namespace tessera {

enum class Im2colMethod {
    kDense,          ///< dense in, dense out: element by element, as ATen's im2col
    kCsrElement,     ///< CSR in, dense out: a search along the row for every element
    kCsrWindow,      ///< CSR in and out: window by window, a binary search for each of its rows
    kCsrRow,         ///< CSR in, compressed columns out: row by row, no searches
    kBitmapElement,  ///< bitmap in, dense out: a bit test and a population count for every element
    kBitmapRow,      ///< bitmap in, bitmap columns with values out: the paper's steps S1 to S4
    kBitmapAddress   ///< as kBitmapRow without copying values: what an implicit im2col needs
};

/// A method with its command-line name and description.
struct Im2colMethodInfo {
    Im2colMethod method = Im2colMethod::kDense;
    const char* name = "";
    const char* what = "";
};
inline constexpr std::array<Im2colMethodInfo, 7> kIm2colMethods = {{
    {Im2colMethod::kDense, "dense", "dense to dense, element by element"},
    {Im2colMethod::kCsrElement, "csr_element", "CSR to dense, a search for every element"},
    {Im2colMethod::kCsrWindow, "csr_window", "CSR to CSR, window by window, binary search"},
    {Im2colMethod::kCsrRow, "csr_row", "CSR to compressed columns, row by row"},
    {Im2colMethod::kBitmapElement, "bitmap_element", "bitmap to dense, bit test and count"},
    {Im2colMethod::kBitmapRow, "bitmap_row", "bitmap to bitmap, rows at once (S1 to S4)"},
    {Im2colMethod::kBitmapAddress, "bitmap_address", "the same, addresses in place of values"},
}};

/// Operations of a method, counted during its execution.
struct Im2colOperations {
    std::uint64_t shifts = 0;       ///< of bitmap words
    std::uint64_t masks = 0;        ///< ANDs of bitmap words, bit tests among them
    std::uint64_t popcounts = 0;    ///< of bitmap words
    std::uint64_t adds = 0;         ///< to positions of values
    std::uint64_t index_reads = 0;  ///< row offsets and columns, on which other reads depend
    std::uint64_t value_reads = 0;
};

/// A lowered feature map in the format of its method. Column k is (channel, filter row, filter
/// column), output o is (output row, output column); `o` of a column are consecutive.
/// - dense: `values` holds column by column, zeros too.
/// - kCsrWindow: line o of the matrix is [begin[o], begin[o + 1]) of `index` (k) and `values`.
/// - kCsrRow: column k is [begin[k], begin[k + 1]) of `index` (o) and `values`.
/// - kBitmapRow, kBitmapAddress: output row r of column k is piece p = k x output rows + r:
///   its `bitmap` words start at p x words per output row; its values start at begin[p] of
///   `values` (kBitmapAddress: of the feature map's values).
/// Buffers are reused between calls.
struct Lowered {
    std::vector<float> values;
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> index;
    std::vector<std::uint64_t> bitmap;
    std::uint64_t stored = 0;  ///< values in use
};

/// Lowers `map` into `out`.
void lower(Im2colMethod method, const FeatureMap& map, Lowered& out);
/// Lowers `map` into `out` and counts the operations.
[[nodiscard]] Im2colOperations lower_counted(Im2colMethod method, const FeatureMap& map,
                                             Lowered& out);

/// Expands a lowered feature map to the format of kDense.
[[nodiscard]] std::vector<float> expand(Im2colMethod method, const FeatureMap& map,
                                        const Lowered& lowered);

}  // namespace tessera

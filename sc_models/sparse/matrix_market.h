// Sparse matrices in Matrix Market files.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// What a Matrix Market file holds, its elements ordered by row, then column, none of them zero.
struct MatrixMarket {
    struct Element {
        std::uint32_t row = 0;
        std::uint32_t column = 0;
        HalfBits value = 0;
    };

    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::size_t size_line = 0;  ///< of the file
    std::vector<Element> elements;
    /// Numbers other than zero that are zero as a half (below 2^-25), and so are not elements.
    std::uint64_t underflows = 0;
};

/// Which lines an operand is made of: a file's rows (A) or its columns (B).
enum class MatrixLines { kRows, kColumns };

/// What a file's numbers may be.
enum class FileNumbers {
    kFinite,  ///< infinities and NaNs are refused
    kAny      ///< and are halves: inf, -inf, nan
};

/// Reads `%%MatrixMarket matrix`: coordinate or array; real, integer or pattern (whose elements are
/// 1); general, symmetric or skew-symmetric, of which files hold the lower triangle. Comments and
/// blank lines may stand anywhere after the first line. Numbers are rounded to half, to nearest.
///
/// Throws ConfigError naming file, line and field for everything else, and for: an element given
/// twice, more or fewer elements than the size line says, an index outside the matrix, a number
/// that is not finite (unless `numbers` allows that) or overflows a half. Memory is proportional to
/// the elements.
[[nodiscard]] MatrixMarket read_matrix_market(const std::string& path,
                                              FileNumbers numbers = FileNumbers::kFinite);
/// The same from a stream; `name` is the file in errors.
[[nodiscard]] MatrixMarket read_matrix_market(std::istream& in, const std::string& name,
                                              FileNumbers numbers = FileNumbers::kFinite);

/// Writes `coordinate real general`; reads back to the same.
void write_matrix_market(std::ostream& out, const MatrixMarket& matrix);

/// The matrix as an operand, with values or as a pattern.
[[nodiscard]] BitmapMatrix to_bitmap(const MatrixMarket& matrix, MatrixLines lines, bool values);

}  // namespace tessera

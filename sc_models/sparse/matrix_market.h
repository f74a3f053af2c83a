// Sparse matrices in Matrix Market files.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// Content of a Matrix Market file, its elements ordered by row, then column, none of them zero.
struct MatrixMarket {
    struct Element {
        std::uint32_t row = 0;
        std::uint32_t column = 0;
        HalfBits value = 0;
    };

    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::size_t size_line = 0;  ///< line number in the file
    std::vector<Element> elements;
    /// Nonzero numbers that round to zero as a half (below 2^-25) and are not elements.
    std::uint64_t underflows = 0;
    /// The file's numbers are the elements times 2^exponent (FileValues::kScaled).
    int exponent = 0;
};

/// Lines of an operand: the rows of the file (A) or its columns (B).
enum class MatrixLines { kRows, kColumns };

/// Permitted numbers of a file.
enum class FileNumbers {
    kFinite,  ///< infinities and NaNs are errors
    kAny      ///< infinities and NaNs become halves: inf, -inf, nan
};

/// Reading of a file's numbers.
struct MatrixFileOptions {
    FileNumbers numbers = FileNumbers::kFinite;
    FileValues values = FileValues::kAsWritten;
};

/// Reads `%%MatrixMarket matrix`: coordinate or array; real, integer or pattern (whose elements are
/// 1); general, symmetric or skew-symmetric, of which files hold one triangle. Comments and blank
/// lines may occur anywhere after the first line. Numbers are rounded to the nearest half. A path
/// that ends in .gz is that of a gzip file.
///
/// Throws ConfigError naming file, line and field for everything else, and for: an element given
/// twice (also one of a symmetric matrix with its mirror image), a number of elements that differs
/// from the size line, an index outside the matrix, a number that is not finite (unless
/// `options.numbers` allows it) or overflows a half (if `options.values` takes it as written).
/// Memory is proportional to the number of elements.
[[nodiscard]] MatrixMarket read_matrix_market(const std::string& path,
                                              MatrixFileOptions options = {});
/// Reads from a stream; `name` is the file in error messages.
[[nodiscard]] MatrixMarket read_matrix_market(std::istream& in, const std::string& name,
                                              MatrixFileOptions options = {});

/// Rows and columns of a file.
struct MatrixShape {
    std::uint32_t rows = 0, columns = 0;
};
/// Reads the head of a file up to its sizes. Throws ConfigError as read_matrix_market() does.
[[nodiscard]] MatrixShape read_matrix_shape(const std::string& path);

/// Writes `coordinate real general`; reading it back yields the same matrix.
void write_matrix_market(std::ostream& out, const MatrixMarket& matrix);

/// The matrix as an operand, with values or as a pattern.
[[nodiscard]] BitmapMatrix to_bitmap(const MatrixMarket& matrix, MatrixLines lines, bool values);

}  // namespace tessera

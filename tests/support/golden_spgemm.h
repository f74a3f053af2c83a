// The product of two sparse operands as it is defined, bit for bit.
#pragma once

#include <cstdint>

#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// A rectangle of D: rows [row_begin, row_end), columns [column_begin, column_end).
struct OutputBlock {
    std::uint64_t row_begin = 0;
    std::uint64_t row_end = 0;
    std::uint64_t column_begin = 0;
    std::uint64_t column_end = 0;

    [[nodiscard]] std::uint64_t rows() const { return row_end - row_begin; }
    [[nodiscard]] std::uint64_t columns() const { return column_end - column_begin; }
};

/// Treatment of an element that is not stored where the other operand has an infinity or a NaN.
enum class NonfinitePolicy {
    kSkipHides,  ///< skipped as always: the product does not turn into the NaN it would be
    kStrict      ///< it counts as a zero, so that D is that of the dense product
};

struct GoldenCounts {
    /// Products of an element that is not stored with an infinity or a NaN: hidden, or, under
    /// kStrict, made.
    std::uint64_t hidden_products = 0;
    std::uint64_t nan_outputs = 0;
};

/// D = C + A x B for a block of D: acc = RNE32(acc + a x b) over the stored pairs, products exact,
/// k ascending, one rounding each; a -0 of C is read as +0, a NaN given back as kFeopNan. `a` holds
/// the rows of A, `b` the columns of B, both with values and of the same k; a stored zero takes
/// part. `c` (null: zeros) and `d` hold the block row by row; `d` may be `c`. Bit-identical to
/// fp32_add() and fp16_product() called in that order. Throws ConfigError if the operands do not
/// fit each other or the block.
GoldenCounts golden_spgemm(const BitmapMatrix& a, const BitmapMatrix& b, const OutputBlock& block,
                           const float* c, float* d,
                           NonfinitePolicy policy = NonfinitePolicy::kSkipHides);

/// The same from dense operands: `a` holds the block's rows of A, `b` its columns of B, k halves
/// each.
GoldenCounts golden_spgemm(const HalfBits* a, const HalfBits* b, std::uint64_t rows,
                           std::uint64_t columns, std::uint64_t k, const float* c, float* d,
                           NonfinitePolicy policy = NonfinitePolicy::kSkipHides);

}  // namespace tessera

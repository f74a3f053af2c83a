// What attributes and inputs of some operators come to, whatever the operator set.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/operators.h"

namespace tessera::network {

/// The indices start, start + step, ... of an axis, `count` of them.
struct SliceRange {
    std::int64_t start = 0, step = 1, count = 0;
};
/// What a Slice takes of each axis. Fails for what ONNX does not allow, as all functions here.
[[nodiscard]] std::vector<SliceRange> slice_ranges(const OperatorCall& call);

/// Elements before and behind each axis that a Pad adds; negative ones are taken away.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> padding_of(
    const OperatorCall& call);
/// The value that a Pad of real numbers in mode constant inserts.
[[nodiscard]] float padding_value(const OperatorCall& call);

/// The input's axis that each axis of a Transpose's output is.
[[nodiscard]] std::vector<std::size_t> permutation_of(const OperatorCall& call);

/// A DepthToSpace or SpaceToDepth as a transposition: sides of the input, cut up, and the order in
/// which they become the output's.
struct BlockMove {
    Shape sides;
    std::vector<std::size_t> order;
};
[[nodiscard]] BlockMove block_move(const OperatorCall& call);

/// Which axes a Reduce operator reduces. None named: all of them, unless noop_with_empty_axes says
/// none.
[[nodiscard]] std::vector<bool> reduced_axes(const OperatorCall& call);

/// What a Resize or Upsample makes of its input, and how.
struct Sizing {
    std::vector<float> scales;  ///< of each axis, as ONNX's side = floor(input * scale) has them
    bool by_sizes = false;      ///< whether sizes are given, and scales are their ratios
    Shape output;
    std::vector<double> region;  ///< starts, then ends, as fractions of the sides
    std::string mode, coordinates;
    /// ONNX's nearest_mode, or, up to operator set 10, "ceil_or_floor": ceil on axes that shrink,
    /// floor on others.
    std::string nearest;
    double cubic = -0.75, outside_value = 0;
    bool exclude_outside = false;

    explicit Sizing(const OperatorCall& call);

private:
    void read_scales(const OperatorCall& call, std::size_t input);
    void read_sizes(const OperatorCall& call, std::size_t input);
};

/// The least and the largest integer of a type.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> integer_range(ElementType type);
/// A real number as an integer of the type, rounded towards zero. ONNX leaves open what becomes of
/// numbers that do not fit and of no number: here it is the type's least integer, as x86's
/// conversion and so ONNX Runtime and numpy have it. BOOL: whether it is not zero.
[[nodiscard]] std::int64_t to_integer(double value, ElementType type);

/// Least and largest value that a Clip of real numbers lets through.
[[nodiscard]] std::pair<float, float> clip_bounds(const OperatorCall& call);

/// Sides of a Gemm: alpha A B + beta C, A of m x k, or k x m if it is transposed.
struct GemmSides {
    bool transpose_a, transpose_b;
    std::int64_t m, n, k;

    explicit GemmSides(const OperatorCall& call);
};

/// Sides of a MatMul: vectors count as a row on the left and as a column on the right; what is
/// before the last two sides is a batch, broadcast to `batch`.
struct MatMulSides {
    Shape batch_a, batch_b, batch;
    std::int64_t m = 1, n = 1, k = 1;
    bool row = false, column = false;  ///< an operand is a vector

    explicit MatMulSides(const OperatorCall& call);
    [[nodiscard]] Shape result() const;
};

}  // namespace tessera::network

// Decoded attributes and inputs of some operators, independent of the operator set.
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
/// Ranges that a Slice takes along each axis. All functions here throw for operands that ONNX does
/// not allow.
[[nodiscard]] std::vector<SliceRange> slice_ranges(const OperatorCall& call);

/// Elements that a Pad adds before and behind each axis; negative counts remove elements.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> padding_of(
    const OperatorCall& call);
/// The value that a Pad in mode constant inserts, of real numbers or integers of 8 bits.
[[nodiscard]] float padding_value(const OperatorCall& call);

/// For each axis of a Transpose's output, the input's axis.
[[nodiscard]] std::vector<std::size_t> permutation_of(const OperatorCall& call);

/// A DepthToSpace or SpaceToDepth as a transposition: the split dimensions of the input, and their
/// order in the output.
struct BlockMove {
    Shape sides;
    std::vector<std::size_t> order;
};
[[nodiscard]] BlockMove block_move(const OperatorCall& call);

/// Axes that a Reduce operator reduces. If none is named, all are, unless noop_with_empty_axes is
/// set.
[[nodiscard]] std::vector<bool> reduced_axes(const OperatorCall& call);

/// Output shape and interpolation parameters of a Resize or Upsample.
struct Sizing {
    std::vector<float> scales;  ///< per axis, as in ONNX's output side = floor(input side * scale)
    bool by_sizes = false;      ///< true if sizes are given; scales are then their ratios
    Shape output;
    std::vector<double> region;     ///< starts, then ends, as fractions of the sides
    std::vector<std::size_t> axes;  ///< that are resized
    std::string mode, coordinates;
    /// ONNX's nearest_mode. Up to operator set 10 it is "ceil_or_floor": ceil on axes that shrink,
    /// floor on others.
    std::string nearest;
    double cubic = -0.75, outside_value = 0;
    bool exclude_outside = false;

    explicit Sizing(const OperatorCall& call);

private:
    void read_region(const OperatorCall& call);
    template <class Number>
    [[nodiscard]] std::vector<Number> of_all_axes(const OperatorCall& call, const std::string& what,
                                                  const std::vector<Number>& given,
                                                  std::vector<Number> otherwise) const;
    void keep_ratio(const OperatorCall& call, const Shape& in, bool not_larger);
    void read_scales(const OperatorCall& call, std::size_t input);
    void read_sizes(const OperatorCall& call, std::size_t input);
};

/// The least and the largest integer of a type.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> integer_range(ElementType type);
/// Converts a real number to an integer of the type, rounding towards zero. ONNX leaves the result
/// of values out of range and of NaN undefined: here it is the type's least integer, as in x86's
/// conversion and hence ONNX Runtime and numpy. INT8 and UINT8: the INT32, of which the caller
/// keeps the low 8 bits (Tensor::round_to_type()). BOOL: whether the value is not zero.
[[nodiscard]] std::int64_t to_integer(double value, ElementType type);

/// Whether a Gelu is the approximation by tanh.
[[nodiscard]] bool is_gelu_by_tanh(const OperatorCall& call);

/// Lower and upper bound of a Clip of real numbers.
[[nodiscard]] std::pair<float, float> clip_bounds(const OperatorCall& call);

/// The element type with ONNX's number (TensorProto.DataType) in an attribute of this name.
[[nodiscard]] ElementType element_type_of_number(const OperatorCall& call, const char* attribute,
                                                 std::int64_t number);

/// Side that a OneHot adds.
[[nodiscard]] std::int64_t one_hot_depth(const OperatorCall& call);
/// Which elements of a OneHot's result are on.
[[nodiscard]] std::vector<bool> one_hot_places(const OperatorCall& call);

/// Rows of the data that the index tuples of a GatherND or ScatterND name. `indexed` are the sides
/// that a tuple indexes, behind those of batches; a row is the rest.
struct IndexedRows {
    Shape indexed;
    Shape result;              ///< of a GatherND, and of a ScatterND's updates
    std::size_t elements = 1;  ///< of a row
    std::size_t batch_sides = 0;

    /// The row of the data for each tuple, counted over all batches.
    [[nodiscard]] std::vector<std::int64_t> places(const OperatorCall& call) const;
};
[[nodiscard]] IndexedRows indexed_rows(const OperatorCall& call);

/// Shape of a Conv's result: input 0 are the images, input 1 the filters, of any types.
[[nodiscard]] Shape convolution_result(const OperatorCall& call);

/// Sides of a Gemm: alpha A B + beta C, A of m x k, or k x m if it is transposed.
struct GemmSides {
    bool transpose_a, transpose_b;
    std::int64_t m, n, k;

    explicit GemmSides(const OperatorCall& call);
};

/// Sides of a MatMul: a vector counts as a row on the left and as a column on the right; the
/// dimensions before the last two are batches, broadcast to `batch`.
struct MatMulSides {
    Shape batch_a, batch_b, batch;
    std::int64_t m = 1, n = 1, k = 1;
    bool row = false, column = false;  ///< an operand is a vector

    explicit MatMulSides(const OperatorCall& call);
    [[nodiscard]] Shape result() const;
};

}  // namespace tessera::network

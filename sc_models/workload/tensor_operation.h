// An operator of a network that is no product: what is computed of which tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/tensor_config.h"

namespace tessera {

/// Sizes of a tensor's axes, the slowest first; elements lie densely, row-major.
using TensorShape = std::vector<std::uint64_t>;
[[nodiscard]] std::uint64_t elements_of(const TensorShape& shape);
/// The operator of this name in ONNX.
[[nodiscard]] std::optional<TensorOperator> tensor_operator(std::string_view name);

/// What is at and beyond the ends of an axis.
enum class PadMode { kConstant, kReflect, kEdge };
enum class ResizeMode { kNearest, kLinear };
/// Which place of the input an output of Resize belongs to (ONNX coordinate_transformation_mode).
enum class ResizeCoordinates { kHalfPixel, kPytorchHalfPixel, kAsymmetric, kAlignCorners };
/// How a place between two elements is rounded (ONNX nearest_mode).
enum class ResizeRounding { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };

/// One operator of ONNX with constant attributes. What an operator has no use for stays as it is.
struct TensorOperation {
    TensorOperator op = TensorOperator::kIdentity;
    TensorType type = TensorType::kFp16;  ///< of all tensors
    std::vector<TensorShape> operands;
    /// Of Expand, Resize and Split; others follow (result_shapes()).
    std::vector<TensorShape> results;
    /// Reductions, softmax: those that are reduced. LayerNormalization: those that are normalised,
    /// up to the last. Pools: those that the window slides over. Concat, Split, BatchNormalization
    /// (channels), InstanceNormalization (channels, behind the first): one.
    std::vector<std::uint32_t> axes;
    std::vector<std::uint32_t> order;         ///< Transpose: axis i of the result is order[i]
    std::vector<std::int64_t> begins, steps;  ///< Slice, for each axis; begins within the tensor
    TensorShape sizes;                        ///< Slice: of the result
    /// Pad, for each axis, negative ones cut off; pools, for each of `axes`.
    std::vector<std::int64_t> pads_before, pads_after;
    std::vector<std::uint32_t> window, strides, dilations;  ///< pools, for each of `axes`
    bool ceil_mode = false;  ///< pools: windows that begin within the input but end beyond count
    bool count_padding = false;  ///< AveragePool: whether padding counts as zeros
    PadMode pad_mode = PadMode::kConstant;
    ResizeMode resize = ResizeMode::kNearest;
    ResizeCoordinates coordinates = ResizeCoordinates::kHalfPixel;
    ResizeRounding rounding = ResizeRounding::kRoundPreferFloor;
    std::vector<float> scales;  ///< Resize, of each axis; empty: the ratio of the sizes
    /// LeakyRelu: slope alpha. HardSigmoid: alpha x + beta. Clip: alpha to beta. Pad: alpha is
    /// stored. Normalizations: beta is epsilon. Gelu: alpha not 0 is the form with tanh.
    float alpha = 0, beta = 0;

    [[nodiscard]] std::uint32_t element_bytes() const { return type == TensorType::kFp32 ? 4 : 2; }
};

/// What the keys of workload.tensor describe. Throws ConfigError, with the key, on text that is no
/// shape, and on tensors that do not fit the operator.
[[nodiscard]] TensorOperation operation_of(const TensorConfig& config);

/// Throws ConfigError where tensors do not fit the operator, in one line that names both.
void check_tensor_operation(const TensorOperation& operation);
/// Of a checked operation.
[[nodiscard]] std::vector<TensorShape> result_shapes(const TensorOperation& operation);
/// ONNX's broadcasting of two shapes; throws ConfigError if they do not fit.
[[nodiscard]] TensorShape broadcast_shape(const TensorShape& a, const TensorShape& b);
/// Its name in ONNX.
[[nodiscard]] std::string_view name_of(TensorOperator op);

[[nodiscard]] constexpr bool is_in(TensorOperator op, TensorOperator first, TensorOperator last) {
    return first <= op && op <= last;
}
[[nodiscard]] constexpr bool is_unary(TensorOperator op) {
    return is_in(op, TensorOperator::kIdentity, TensorOperator::kCeil);
}
[[nodiscard]] constexpr bool is_binary(TensorOperator op) {
    return is_in(op, TensorOperator::kPRelu, TensorOperator::kPow);
}
[[nodiscard]] constexpr bool is_pool(TensorOperator op) {
    return op == TensorOperator::kMaxPool || op == TensorOperator::kAveragePool;
}
[[nodiscard]] constexpr bool is_reduction(TensorOperator op) {
    return is_in(op, TensorOperator::kReduceSum, TensorOperator::kReduceSumSquare);
}
[[nodiscard]] constexpr bool is_normalization(TensorOperator op) {
    return op == TensorOperator::kLayerNormalization ||
           op == TensorOperator::kInstanceNormalization;
}
/// Whether every element of the operand gives one of the result, by all others along the axes.
[[nodiscard]] constexpr bool is_row_wise(TensorOperator op) {
    return is_in(op, TensorOperator::kSoftmax, TensorOperator::kInstanceNormalization);
}

}  // namespace tessera

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
enum class ResizeMode { kNearest, kLinear, kCubic };
/// Which place of the input an output of Resize belongs to (ONNX coordinate_transformation_mode).
enum class ResizeCoordinates {
    kHalfPixel,
    kPytorchHalfPixel,
    kAsymmetric,
    kAlignCorners,
    kHalfPixelForNn,
    kCropAndResize  ///< of the part that `region` says
};
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
    /// up to the last. Pools: those that the window slides over. Concat, Split, Gather,
    /// GatherElements, BatchNormalization and LRN (channels), InstanceNormalization (channels,
    /// behind the first): one.
    std::vector<std::uint32_t> axes;
    std::vector<std::uint32_t> order;         ///< Transpose: axis i of the result is order[i]
    std::vector<std::int64_t> begins, steps;  ///< Slice, for each axis; begins within the tensor
    TensorShape sizes;  ///< Slice: of the result. Gather, GatherElements: of the indices
    /// Gather, GatherElements; negative ones count from the end. Empty: drawn (gathered_index()).
    std::vector<std::int64_t> indices;
    /// Pad, for each axis, negative ones cut off; pools and LRN, for each of `axes`.
    std::vector<std::int64_t> pads_before, pads_after;
    std::vector<std::uint32_t> window, strides, dilations;  ///< the same
    bool ceil_mode = false;  ///< pools: windows that begin within the input but end beyond count
    bool count_padding = false;  ///< AveragePool: whether padding counts as zeros
    PadMode pad_mode = PadMode::kConstant;
    ResizeMode resize = ResizeMode::kNearest;
    ResizeCoordinates coordinates = ResizeCoordinates::kHalfPixel;
    ResizeRounding rounding = ResizeRounding::kRoundPreferFloor;
    std::vector<float> scales;  ///< Resize, of each axis; empty: the ratio of the sizes
    /// Resize, kCropAndResize: where the part begins on each axis, then where it ends, as fractions
    /// of the last index.
    std::vector<float> region;
    bool exclude_outside = false;  ///< cubic Resize: what is outside weighs nothing
    /// LeakyRelu: slope alpha. HardSigmoid: alpha x + beta. Clip: alpha to beta. Pad: alpha is
    /// stored. Normalizations: beta is epsilon. Gelu: alpha not 0 is the form with tanh. Elu, Celu,
    /// ThresholdedRelu: alpha. Selu: alpha, beta is ONNX's gamma. LRN: alpha, beta, gamma is ONNX's
    /// bias. LstmCell: gamma not 0 couples forget to input. Mean: divided by alpha, or, where it is
    /// 0, by the number of operands. Resize: alpha is cubic_coeff_a, beta what is outside of the
    /// region.
    float alpha = 0, beta = 0, gamma = 0;

    [[nodiscard]] std::uint32_t element_bytes() const { return type == TensorType::kFp32 ? 4 : 2; }
};

/// What the keys of workload.tensor describe. Throws ConfigError, with the key, on text that is no
/// shape, and on tensors that do not fit the operator.
[[nodiscard]] TensorOperation operation_of(const TensorConfig& config);

/// Throws ConfigError where tensors do not fit the operator, in one line that names both.
void check_tensor_operation(const TensorOperation& operation);
/// Of a checked operation.
[[nodiscard]] std::vector<TensorShape> result_shapes(const TensorOperation& operation);
/// Index `i` of Gather or GatherElements, from 0 on; where none are given, one of the axis's that
/// depends on `i` alone.
[[nodiscard]] std::uint64_t gathered_index(const TensorOperation& operation, std::uint64_t i);
/// ONNX's broadcasting of two shapes; throws ConfigError if they do not fit.
[[nodiscard]] TensorShape broadcast_shape(const TensorShape& a, const TensorShape& b);
/// Its name in ONNX.
[[nodiscard]] std::string_view name_of(TensorOperator op);

[[nodiscard]] constexpr bool is_in(TensorOperator op, TensorOperator first, TensorOperator last) {
    return first <= op && op <= last;
}
[[nodiscard]] constexpr bool is_unary(TensorOperator op) {
    return is_in(op, TensorOperator::kIdentity, TensorOperator::kThresholdedRelu);
}
[[nodiscard]] constexpr bool is_binary(TensorOperator op) {
    return is_in(op, TensorOperator::kPRelu, TensorOperator::kMod);
}
/// Of one operand or more, element by element, all of them broadcast.
[[nodiscard]] constexpr bool is_of_several(TensorOperator op) {
    return is_in(op, TensorOperator::kWhere, TensorOperator::kMean);
}
/// A step in time of a recurrent layer.
[[nodiscard]] constexpr bool is_recurrent(TensorOperator op) {
    return is_in(op, TensorOperator::kLstmCell, TensorOperator::kGruState);
}
[[nodiscard]] constexpr bool gathers(TensorOperator op) {
    return op == TensorOperator::kGather || op == TensorOperator::kGatherElements;
}
[[nodiscard]] constexpr bool is_pool(TensorOperator op) {
    return op == TensorOperator::kMaxPool || op == TensorOperator::kAveragePool;
}
[[nodiscard]] constexpr bool is_reduction(TensorOperator op) {
    return is_in(op, TensorOperator::kReduceSum, TensorOperator::kReduceInvStdDev);
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

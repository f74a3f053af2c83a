// Description of a non-GEMM operator of a network and its tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/tensor_config.h"
#include "sc_models/tensor_core/half.h"

namespace tessera {

/// Sizes of a tensor's axes, slowest first; elements are dense, row-major.
using TensorShape = std::vector<std::uint64_t>;
[[nodiscard]] std::uint64_t elements_of(const TensorShape& shape);
/// Returns the operator with this ONNX name.
[[nodiscard]] std::optional<TensorOperator> tensor_operator(std::string_view name);

/// Elements beyond the ends of an axis.
enum class PadMode { kConstant, kReflect, kEdge };
enum class ResizeMode { kNearest, kLinear, kCubic };
/// Mapping of an output of Resize to an input position (ONNX coordinate_transformation_mode).
enum class ResizeCoordinates {
    kHalfPixel,
    kPytorchHalfPixel,
    kAsymmetric,
    kAlignCorners,
    kHalfPixelForNn,
    kCropAndResize  ///< of the part in `region`
};
/// Rounding of a position between two elements (ONNX nearest_mode).
enum class ResizeRounding { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };

/// FP16 or BF16.
[[nodiscard]] constexpr bool is_half(TensorType type) {
    return type == TensorType::kFp16 || type == TensorType::kBf16;
}
/// Format of elements of 16 bits.
[[nodiscard]] constexpr Float16 format_of(TensorType type) {
    return type == TensorType::kBf16 ? Float16::kBf16 : Float16::kFp16;
}

/// One operator of ONNX with constant attributes. Fields that an operator does not use keep their
/// defaults.
struct TensorOperation {
    TensorOperator op = TensorOperator::kIdentity;
    /// Type of all tensors; with `types`, the widest one, whose elements fill a chunk of a warp.
    TensorType type = TensorType::kFp16;
    /// QuantizeLinear, DequantizeLinear, and operators on integers of 8 bits: the type of each
    /// operand, then that of the result.
    std::vector<TensorType> types;
    std::vector<TensorShape> operands;
    /// Shapes of the results of Expand, Resize and Split; others follow from the operands
    /// (result_shapes()).
    std::vector<TensorShape> results;
    /// Reductions, softmax: the reduced axes. LayerNormalization, RMSNormalization: the normalised
    /// axes, up to the last. Pools: the axes that the window slides over. Concat, Split, Gather,
    /// GatherElements, BatchNormalization and LRN (channels), InstanceNormalization (channels,
    /// behind the first): one axis.
    std::vector<std::uint32_t> axes;
    std::vector<std::uint32_t> order;         ///< Transpose: axis i of the result is order[i]
    std::vector<std::int64_t> begins, steps;  ///< Slice, for each axis; begins within the tensor
    TensorShape sizes;  ///< Slice: of the result. Gather, GatherElements: of the indices
    /// Gather, GatherElements; negative ones count from the end. Empty: generated
    /// (gathered_index()).
    std::vector<std::int64_t> indices;
    /// Pad, for each axis, negative values crop; pools and LRN, for each of `axes`.
    std::vector<std::int64_t> pads_before, pads_after;
    std::vector<std::uint32_t> window, strides, dilations;  ///< the same
    bool ceil_mode = false;  ///< pools: count windows that begin within the input but end beyond it
    bool count_padding = false;  ///< AveragePool: whether padding counts as zeros
    PadMode pad_mode = PadMode::kConstant;
    ResizeMode resize = ResizeMode::kNearest;
    ResizeCoordinates coordinates = ResizeCoordinates::kHalfPixel;
    ResizeRounding rounding = ResizeRounding::kRoundPreferFloor;
    /// Resize: per axis; empty: the ratio of the sizes. Add of integers of 8 bits: scale and zero
    /// point of each operand and of the result, then the least and the largest result.
    std::vector<float> scales;
    /// Resize, kCropAndResize: begin of the part on each axis, then its end, as fractions of the
    /// last index.
    std::vector<float> region;
    bool exclude_outside = false;  ///< cubic Resize: elements outside have weight 0
    /// LeakyRelu: slope alpha. HardSigmoid: alpha x + beta. Clip: alpha to beta. Pad: alpha is the
    /// stored value. Normalizations: beta is epsilon. Gelu: alpha not 0 selects the form with tanh.
    /// Elu, Celu, ThresholdedRelu: alpha. Selu: alpha, beta is ONNX's gamma. LRN: alpha, beta,
    /// gamma is ONNX's bias. LstmCell: gamma not 0 couples forget to input. Mean: the divisor is
    /// alpha, or, if it is 0, the number of operands. Resize: alpha is cubic_coeff_a, beta the
    /// value outside the region.
    /// QuantizeLinear: alpha not 0 rounds the quotient to the type of the first operand.
    float alpha = 0, beta = 0, gamma = 0;

    [[nodiscard]] TensorType operand_type(std::size_t i) const {
        return types.empty() ? type : types.at(i);
    }
    [[nodiscard]] TensorType result_type() const { return types.empty() ? type : types.back(); }
};

/// Creates the operation from the keys of workload.tensor. Throws ConfigError, with the key, for
/// text that is not a shape and for tensors that do not fit the operator.
[[nodiscard]] TensorOperation operation_of(const TensorConfig& config);

/// Throws ConfigError if tensors do not fit the operator, in one line that names both.
void check_tensor_operation(const TensorOperation& operation);
/// Returns the shapes of a checked operation's results.
[[nodiscard]] std::vector<TensorShape> result_shapes(const TensorOperation& operation);
/// Index `i` of Gather or GatherElements, counted from 0; if none are given, a position on the axis
/// that depends on `i` alone.
[[nodiscard]] std::uint64_t gathered_index(const TensorOperation& operation, std::uint64_t i);
/// Broadcasts two shapes by ONNX's rules; throws ConfigError if they do not fit.
[[nodiscard]] TensorShape broadcast_shape(const TensorShape& a, const TensorShape& b);
/// Name of the operator in ONNX.
[[nodiscard]] std::string_view name_of(TensorOperator op);

[[nodiscard]] constexpr bool is_in(TensorOperator op, TensorOperator first, TensorOperator last) {
    return first <= op && op <= last;
}
[[nodiscard]] constexpr bool is_unary(TensorOperator op) {
    return is_in(op, TensorOperator::kIdentity, TensorOperator::kThresholdedRelu);
}
[[nodiscard]] constexpr bool is_binary(TensorOperator op) {
    return is_in(op, TensorOperator::kPRelu, TensorOperator::kSwiGlu);
}
/// Whether the operator takes one or more operands, element by element, all broadcast.
[[nodiscard]] constexpr bool is_of_several(TensorOperator op) {
    return is_in(op, TensorOperator::kWhere, TensorOperator::kMean);
}
/// Whether the operator converts between real numbers and integers of 8 bits.
[[nodiscard]] constexpr bool is_quantization(TensorOperator op) {
    return is_in(op, TensorOperator::kQuantizeLinear, TensorOperator::kDequantizeLinear);
}
/// Scales of an Add of integers of 8 bits.
inline constexpr std::size_t kScalesOfSum = 8;
/// Whether the operation adds integers of 8 bits.
[[nodiscard]] inline bool is_sum_of_bytes(const TensorOperation& o) {
    return o.op == TensorOperator::kAdd && !o.types.empty();
}
/// Whether the operator is a time step of a recurrent layer.
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
    return is_in(op, TensorOperator::kLayerNormalization, TensorOperator::kInstanceNormalization);
}
/// Whether every element of the operand yields one of the result that depends on all others along
/// the axes.
[[nodiscard]] constexpr bool is_row_wise(TensorOperator op) {
    return is_in(op, TensorOperator::kSoftmax, TensorOperator::kInstanceNormalization);
}
/// Whether it goes along an axis: workload.tensor.axis.
[[nodiscard]] constexpr bool has_axis(TensorOperator op) {
    return is_reduction(op) || is_row_wise(op) || gathers(op) ||
           is_in(op, TensorOperator::kSlice, TensorOperator::kSplit) ||
           op == TensorOperator::kLrn || op == TensorOperator::kBatchNormalization;
}

}  // namespace tessera

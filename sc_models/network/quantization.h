// Quantised tensors of ONNX: real = (integer - zero point) * scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sc_models/network/graph.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

/// Input numbers of QLinearMatMul, QLinearConv and, without the bias, QLinearAdd.
struct QuantizedInputs {
    static constexpr std::size_t kA = 0, kAScale = 1, kAZero = 2, kB = 3, kBScale = 4, kBZero = 5,
                                 kResultScale = 6, kResultZero = 7, kBias = 8;
};

/// Throws ConfigError unless the elements of the input are INT8 or UINT8.
void expect_byte_type(const OperatorCall& call, std::size_t input);

/// The axis along which scale and zero point of a QuantizeLinear or DequantizeLinear differ;
/// nothing: there is one of each. All functions here throw ConfigError, naming node and input, for
/// operands that ONNX does not allow, and for quantisation in blocks (block_size of set 21).
[[nodiscard]] std::optional<std::size_t> quantization_axis(const OperatorCall& call);

/// Type of a QuantizeLinear's result: INT8 or UINT8.
[[nodiscard]] ElementType quantized_type(const OperatorCall& call);
/// Type of a DequantizeLinear's result: that of its scale, or output_dtype.
[[nodiscard]] ElementType dequantized_type(const OperatorCall& call);
/// Type to which a QuantizeLinear rounds the quotient: that of its scale, or `precision` (set 23).
[[nodiscard]] ElementType quotient_type(const OperatorCall& call);

/// round(value) + zero, saturated to the range of INT8 or UINT8. Ties are rounded to the even
/// integer. NaN, which ONNX leaves open, becomes the least integer.
[[nodiscard]] std::int64_t saturated(float value, std::int64_t zero, ElementType type);

/// Whether the node is a QLinearMatMul or QLinearConv.
[[nodiscard]] bool is_quantized_product(const Node& node);
/// The call of a quantised product (QLinearMatMul, QLinearConv, MatMulInteger, ConvInteger) with
/// the two factors as its only inputs, as MatMul and Conv have them.
[[nodiscard]] OperatorCall factors_of(const OperatorCall& call);

class NodeMaker;

/// Replaces a QLinearMatMul or QLinearConv by DequantizeLinear of its operands, a MatMul or Conv of
/// real numbers, and QuantizeLinear of the result. A product whose scales differ by row of several
/// matrices, which no axis has, stays as it is.
void expand_quantized(Graph& graph, NodeMaker& maker, const Node& node);

}  // namespace tessera::network

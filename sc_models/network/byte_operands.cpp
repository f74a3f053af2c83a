#include "sc_models/network/byte_operands.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tessera::network {
namespace {

constexpr std::uint32_t kAllInputs = ~0U;

/// An operator that takes integers of 8 bits, after the type constraints of
/// https://onnx.ai/onnx/operators/ (Apache-2.0).
struct ByteOperator {
    std::string_view name;
    int since = 0;                      ///< the first revision that takes them, by its operator set
    std::uint32_t inputs = kAllInputs;  ///< bit mask of the inputs that may have them
    bool is_signed = false;             ///< takes INT8 only
};

constexpr std::uint32_t kFirst = 1, kSecond = 2, kThird = 4;

/// Sorted by name. "Rows", "Stack" and "Unsupported" are operators of this project, which move
/// elements of any type, and "QLinearAdd" is ONNX Runtime's.
constexpr ByteOperator kByteOperators[] = {
    {"Abs", 6},
    {"Add", 14},
    {"ArgMax", 1},
    {"ArgMin", 1},
    {"BitwiseAnd", 18},
    {"BitwiseNot", 18},
    {"BitwiseOr", 18},
    {"BitwiseXor", 18},
    {"Cast", 6},
    {"CastLike", 15},
    {"Clip", 12},
    {"Concat", 4},
    {"ConvInteger", 10},
    {"DepthToSpace", 1},
    {"DequantizeLinear", 10},
    {"Div", 14},
    {"Equal", 11},
    {"Expand", 8, kFirst},
    {"EyeLike", 9},
    {"Flatten", 9},
    {"Gather", 1, kFirst},
    {"GatherElements", 11, kFirst},
    {"GatherND", 11, kFirst},
    {"Greater", 9},
    {"GreaterOrEqual", 12},
    {"Identity", 1},
    {"Less", 9},
    {"LessOrEqual", 12},
    {"MatMulInteger", 10},
    {"Max", 12},
    {"MaxPool", 12},
    {"Min", 12},
    {"Mod", 10},
    {"Mul", 14},
    {"Neg", 6, kFirst, true},
    {"NonZero", 9},
    {"OneHot", 9},
    {"Pad", 11, kFirst | kThird},
    {"Pow", 12, kSecond},
    {"QLinearAdd", 0},
    {"QLinearConv", 10},
    {"QLinearMatMul", 10},
    {"QuantizeLinear", 10},
    {"ReduceMax", 12, kFirst},
    {"ReduceMin", 12, kFirst},
    {"Relu", 14, kFirst, true},
    {"Reshape", 5, kFirst},
    {"Rows", 0},
    {"Scatter", 9, kFirst | kThird},
    {"ScatterElements", 11, kFirst | kThird},
    {"ScatterND", 11, kFirst | kThird},
    {"Shape", 1},
    {"Sign", 9},
    {"Size", 1},
    {"Slice", 1, kFirst},
    {"SpaceToDepth", 1},
    {"Split", 2, kFirst},
    {"Squeeze", 1, kFirst},
    {"Stack", 0},
    {"Sub", 14},
    {"Tile", 6, kFirst},
    {"TopK", 11, kFirst},
    {"Transpose", 1},
    {"Trilu", 14, kFirst},
    {"Unsqueeze", 1, kFirst},
    {"Unsupported", 0},
    {"Where", 9, kSecond | kThird},
};

bool takes_bytes(const OperatorCall& call, std::size_t input) {
    const ByteOperator* const found =
        std::find_if(std::begin(kByteOperators), std::end(kByteOperators),
                     [&](const ByteOperator& one) { return one.name == call.node->operation; });
    if (found == std::end(kByteOperators) || call.node->version < found->since) return false;
    if (found->inputs != kAllInputs && (found->inputs >> input & 1U) == 0) return false;
    return !found->is_signed || call.type(input).type == ElementType::kInt8;
}

}  // namespace

void check_byte_operands(const OperatorCall& call) {
    for (std::size_t input = 0; input < call.inputs(); ++input) {
        if (!call.has(input) || !is_byte(call.type(input).type)) continue;
        if (takes_bytes(call, input)) continue;
        call.fail_input(input, "got " + call.type(input).str() +
                                   ", which this operator does not take, expected a Cast or "
                                   "DequantizeLinear before it");
    }
}

}  // namespace tessera::network

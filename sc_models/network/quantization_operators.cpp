// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear; QLinearAdd, which takes the place of
// several nodes (recognise_integer_products()).
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/walk.h"
#include "sc_models/tensor_core/half.h"

namespace tessera::network {
namespace {

constexpr std::size_t kValues = 0, kScale = 1, kZero = 2;

/// Position of the scale of each element.
class ScaleOf {
public:
    explicit ScaleOf(const OperatorCall& call)
        : axis_(quantization_axis(call)), view_(call.shape(kValues), axis_.value_or(0)) {}

    [[nodiscard]] std::size_t operator()(std::size_t element) const {
        return axis_ ? element / view_.inner % view_.side : 0;
    }

private:
    std::optional<std::size_t> axis_;
    AxisView view_;
};

std::int64_t zero_point(const OperatorCall& call, std::size_t i) {
    return call.has(kZero) ? call.indices(kZero)[i] : 0;
}

// QuantizeLinear: y = saturate(round(x / scale) + zero point)

std::vector<TensorType> infer_quantize(const OperatorCall& call) {
    if (call.type(kValues).type != ElementType::kInt32) call.expect_real(kValues);
    (void)quotient_type(call);
    (void)quantization_axis(call);
    return {{quantized_type(call), call.shape(kValues)}};
}

double flop_of_quantize(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    constexpr double kFlop = 4;  // a division, a rounding, an addition, a clamp
    return kFlop * static_cast<double>(outputs[0].elements());
}

void run_quantize(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Tensor& x = call.tensor(kValues);
    const ScaleOf scale_of(call);
    const ElementType type = quotient_type(call);
    for (std::size_t i = 0; i < x.elements(); ++i) {
        const float value = is_real(x.type.type) ? x.reals[i] : static_cast<float>(x.integers[i]);
        const std::size_t at = scale_of(i);
        float quotient = value / call.reals(kScale)[at];
        if (is_half(type)) quotient = rounded(quotient, format_of(type));
        outputs[0].integers[i] = saturated(quotient, zero_point(call, at), outputs[0].type.type);
    }
}

// DequantizeLinear: y = (x - zero point) * scale

std::vector<TensorType> infer_dequantize(const OperatorCall& call) {
    if (call.type(kValues).type != ElementType::kInt32) expect_byte_type(call, kValues);
    if (call.has(kZero)) call.expect_same_type(kValues, kZero);
    (void)quantization_axis(call);
    return {{dequantized_type(call), call.shape(kValues)}};
}

double flop_of_dequantize(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    return 2 * static_cast<double>(outputs[0].elements());
}

void run_dequantize(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const ScaleOf scale_of(call);
    const std::vector<std::int64_t>& x = call.indices(kValues);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t at = scale_of(i);
        outputs[0].reals[i] =
            static_cast<float>(x[i] - zero_point(call, at)) * call.reals(kScale)[at];
    }
}

// DynamicQuantizeLinear: scale and zero point from the least and the largest element

std::vector<TensorType> infer_dynamic(const OperatorCall& call) {
    call.expect_real(kValues);
    return {{ElementType::kUint8, call.shape(kValues)},
            {call.type(kValues).type, {}},
            {ElementType::kUint8, {}}};
}

double flop_of_dynamic(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    constexpr double kFlop = 6;  // two comparisons, then those of QuantizeLinear
    return kFlop * static_cast<double>(outputs[0].elements());
}

void run_dynamic(const OperatorCall& call, std::vector<Tensor>& outputs) {
    constexpr float kSteps = 255;
    float least = 0, largest = 0;  // the range contains 0
    for (const float x : call.reals(kValues)) {
        least = std::min(least, x);
        largest = std::max(largest, x);
    }
    // ONNX leaves the scale of a tensor of zeros open; 1 is chosen.
    Tensor scale = outputs[1];
    scale.reals = {least == largest ? 1.0F : (largest - least) / kSteps};
    scale.round_to_type();
    const float step = scale.reals[0];
    const std::int64_t zero = saturated(-least / step, 0, ElementType::kUint8);
    const std::vector<float>& x = call.reals(kValues);
    std::transform(x.begin(), x.end(), outputs[0].integers.begin(),
                   [=](float value) { return saturated(value / step, zero, ElementType::kUint8); });
    outputs[1].reals = scale.reals;
    outputs[2].integers = {zero};
}

// QLinearAdd: y = saturate(round(((a - zero) * scale + (b - zero) * scale) / scale) + zero), the
// operator of ONNX Runtime for tensors of equal shape, with attributes `least` and `most` that
// bound the result. Each step is that of DequantizeLinear, Add and QuantizeLinear in FP32.

std::vector<TensorType> infer_sum(const OperatorCall& call) {
    using In = QuantizedInputs;
    for (const auto& [tensor, zero] :
         {std::pair(In::kA, In::kAZero), std::pair(In::kB, In::kBZero)}) {
        expect_byte_type(call, tensor);
        call.expect_same_type(tensor, zero);
    }
    for (const std::size_t scale : {In::kAScale, In::kBScale, In::kResultScale}) {
        call.expect_real(scale);
    }
    expect_byte_type(call, In::kResultZero);
    call.expect_shape(In::kB, call.shape(In::kA));
    return {{call.type(In::kResultZero).type, call.shape(In::kA)}};
}

double flop_of_sum(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    constexpr double kFlop = 9;  // two of each DequantizeLinear, a sum, four of QuantizeLinear
    return kFlop * static_cast<double>(outputs[0].elements());
}

void run_sum(const OperatorCall& call, std::vector<Tensor>& outputs) {
    using In = QuantizedInputs;
    const ElementType type = outputs[0].type.type;
    const auto [low, high] = integer_range(type);
    const std::int64_t least = call.attributes().integer("least", low);
    const std::int64_t most = call.attributes().integer("most", high);
    const auto real = [&](std::size_t input, std::size_t i) {
        return static_cast<float>(call.indices(input)[i] - call.indices(input + 2)[0]) *
               call.reals(input + 1)[0];
    };
    for (std::size_t i = 0; i < outputs[0].integers.size(); ++i) {
        const float sum = real(In::kA, i) + real(In::kB, i);
        const std::int64_t whole = saturated(sum / call.reals(In::kResultScale)[0],
                                             call.indices(In::kResultZero)[0], type);
        outputs[0].integers[i] = std::clamp(whole, least, most);
    }
}

}  // namespace

void expect_byte_type(const OperatorCall& call, std::size_t input) {
    if (!is_byte(call.type(input).type)) {
        call.fail_input(input, "got " + call.type(input).str() + ", expected INT8 or UINT8");
    }
}

std::optional<std::size_t> quantization_axis(const OperatorCall& call) {
    if (call.attributes().integer("block_size") != 0) {
        call.fail("block_size: got " + std::to_string(call.attributes().integer("block_size")) +
                  ", expected 0: quantisation in blocks is not supported");
    }
    call.expect_real(kScale);
    const std::size_t scales = call.type(kScale).elements();
    if (call.has(kZero) && call.type(kZero).elements() != scales) {
        call.fail_input(kZero, "got shape " + shape_text(call.shape(kZero)) + ", expected " +
                                   shape_text(call.shape(kScale)) + " as the scale");
    }
    const Shape& shape = call.shape(kValues);
    constexpr int kFirstWithAxis = 13;
    const bool has_axis = call.node->version >= kFirstWithAxis && call.shape(kScale).size() == 1;
    if (scales == 1 && call.shape(kScale).size() <= 1) return std::nullopt;
    if (!has_axis) {
        call.fail_input(kScale, "got shape " + shape_text(call.shape(kScale)) +
                                    ", expected one scale, or from set 13 on one for each element "
                                    "of an axis");
    }
    const std::size_t axis = call.axis(call.attributes().integer("axis", 1), shape.size());
    call.expect_shape(kScale, {shape[axis]});
    return axis;
}

ElementType quantized_type(const OperatorCall& call) {
    ElementType type = ElementType::kUint8;
    const std::int64_t number = call.attributes().integer("output_dtype");
    if (number != 0) {
        type = element_type_of_number(call, "output_dtype", number);
        if (!is_byte(type)) {
            call.fail("output_dtype: got " + std::string(name_of(type)) +
                      ", expected INT8 or UINT8");
        }
    }
    if (!call.has(kZero)) return type;
    expect_byte_type(call, kZero);
    if (number != 0 && call.type(kZero).type != type) {
        call.fail_input(kZero, "got " + call.type(kZero).str() + ", expected " +
                                   std::string(name_of(type)) + ", the output_dtype");
    }
    return call.type(kZero).type;
}

ElementType dequantized_type(const OperatorCall& call) {
    const std::int64_t number = call.attributes().integer("output_dtype");
    if (number == 0) return call.type(kScale).type;
    const ElementType type = element_type_of_number(call, "output_dtype", number);
    if (!is_real(type)) {
        call.fail("output_dtype: got " + std::string(name_of(type)) +
                  ", expected FLOAT, FLOAT16 or BFLOAT16");
    }
    return type;
}

ElementType quotient_type(const OperatorCall& call) {
    const std::int64_t number = call.attributes().integer("precision");
    if (number == 0) return call.type(kScale).type;
    const ElementType type = element_type_of_number(call, "precision", number);
    if (!is_real(type)) {
        call.fail("precision: got " + std::string(name_of(type)) +
                  ", expected FLOAT, FLOAT16 or BFLOAT16");
    }
    return type;
}

std::int64_t saturated(float value, std::int64_t zero, ElementType type) {
    const auto [low, high] = integer_range(type);
    if (std::isnan(value)) return low;
    // Far beyond the range, but no larger than an integer holds.
    constexpr float kFar = 0x1p20F;
    const auto whole = static_cast<std::int64_t>(std::nearbyint(std::clamp(value, -kFar, kFar)));
    return std::clamp(whole + zero, low, high);
}

std::vector<Operator> quantization_operators() {
    return {
        {"DequantizeLinear", WorkKind::kElementwise, infer_dequantize, run_dequantize,
         flop_of_dequantize},
        {"DynamicQuantizeLinear", WorkKind::kElementwise, infer_dynamic, run_dynamic,
         flop_of_dynamic},
        {"QLinearAdd", WorkKind::kElementwise, infer_sum, run_sum, flop_of_sum},
        {"QuantizeLinear", WorkKind::kElementwise, infer_quantize, run_quantize, flop_of_quantize}};
}

}  // namespace tessera::network

#include "sc_models/lowering/elementwise_lowering.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/quantization.h"

namespace tessera {

using network::Shape;
using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;

PlacedTensor ElementwiseLowering::unary(Op op) const {
    const Tensors operands = {real(0)};
    TensorOperation operation = operation_on(op, operands);
    std::tie(operation.alpha, operation.beta) = attributes_of(op, call_);
    return same(operation, operands);
}

PlacedTensor ElementwiseLowering::cast() const {
    if (network::is_real(call_.type(0).type)) return all(0);
    PlacedTensor x = number(0).with_channels_last(last_ && has_two_layouts(number(0).shape));
    return same(operation_on(Op::kIdentity, {x}), {x});
}

PlacedTensor ElementwiseLowering::binary(Op op) const {
    const PlacedTensor b = op == Op::kPow ? number(1) : real(1);
    return combined(op, {real(0), b});
}

PlacedTensor ElementwiseLowering::combined(Op op, const Tensors& tensors, float alpha) const {
    std::size_t count = 0;
    for (const PlacedTensor& x : tensors) count = std::max(count, x.shape.size());
    const bool last = last_ && count >= 3;
    Tensors operands;
    Shape shape(count, 1);
    for (const PlacedTensor& x : tensors) {
        operands.push_back(
            x.shape.size() == count
                ? in_layout(x, last, sink_)
                : in_layout(in_layout(x, false, sink_).with_sides(count), last, sink_));
        for (std::size_t i = 0; i < count; ++i) {
            if (operands.back().shape[i] != 1) shape[i] = operands.back().shape[i];
        }
    }
    TensorOperation operation = operation_on(op, operands);
    operation.alpha = alpha;
    return apply(operation, operands, {shape, last});
}

PlacedTensor ElementwiseLowering::several(Op op) const {
    Tensors taken = {real(0)};
    const auto n = static_cast<float>(call_.inputs());
    for (std::size_t i = 1; i < call_.inputs(); ++i) {
        if (taken.size() == kMostMapOperands) taken = {combined(Op::kSum, taken)};
        taken.push_back(real(i));
    }
    if (taken.size() == 1) return taken[0];
    return combined(op, taken, op == Op::kMean ? n : 0);
}

PlacedTensor ElementwiseLowering::where() const {
    return combined(Op::kWhere, {number(0), real(1), real(2)});
}

PlacedTensor ElementwiseLowering::quantization(Op op) const {
    if (call_.type(0).type == network::ElementType::kInt32) {
        call_.fail("there is no kernel for INT32");
    }
    const PlacedTensor& x = inputs_.at(0);
    const std::optional<std::size_t> axis = network::quantization_axis(call_);
    Tensors operands = {x};
    for (std::size_t i = 1; i < inputs_.size() && call_.has(i); ++i) {
        PlacedTensor parameter = inputs_[i];
        parameter.shape.assign(x.shape.size(), 1);
        if (axis) parameter.shape[*axis] = x.shape[*axis];
        parameter.channels_last = x.channels_last;
        operands.push_back(std::move(parameter));
    }
    TensorOperation operation = operation_on(op, operands);
    operation.type = TensorType::kFp32;
    for (const PlacedTensor& operand : operands) operation.types.push_back(operand.type);
    const bool makes_bytes = op == Op::kQuantizeLinear;
    const bool is_signed =
        makes_bytes && network::quantized_type(call_) == network::ElementType::kInt8;
    if (makes_bytes) {
        operation.types.push_back(is_signed ? TensorType::kInt8 : TensorType::kUint8);
    } else {
        const bool bf16 = network::dequantized_type(call_) == network::ElementType::kBf16;
        operation.types.push_back(bf16 ? TensorType::kBf16 : TensorType::kFp16);
    }
    if (makes_bytes && network::is_half(network::quotient_type(call_))) operation.alpha = 1;
    return same(operation, operands);
}

PlacedTensor ElementwiseLowering::sum_of_bytes() const {
    using In = network::QuantizedInputs;
    const Tensors operands = {element(In::kA), element(In::kB)};
    TensorOperation operation = operation_on(Op::kAdd, operands);
    const network::ElementType type = call_.type(In::kResultZero).type;
    const TensorType made =
        type == network::ElementType::kUint8 ? TensorType::kUint8 : TensorType::kInt8;
    operation.type = TensorType::kFp32;
    operation.types = {operands[0].type, operands[1].type, made};
    for (const std::size_t scale : {In::kAScale, In::kBScale, In::kResultScale}) {
        operation.scales.push_back(call_.reals(scale)[0]);
        operation.scales.push_back(static_cast<float>(call_.indices(scale + 1)[0]));
    }
    const auto [low, high] = network::integer_range(type);
    operation.scales.push_back(static_cast<float>(call_.attributes().integer("least", low)));
    operation.scales.push_back(static_cast<float>(call_.attributes().integer("most", high)));
    return sink_("QLinearAdd", operation, operands,
                 {{operands[0].shape, operands[0].channels_last}})
        .at(0);
}

PlacedTensor ElementwiseLowering::recurrent_step(Op op) const {
    Tensors operands;
    for (std::size_t i = 0; i < call_.inputs(); ++i) operands.push_back(as_in_file(i));
    TensorOperation operation = operation_on(op, operands);
    operation.gamma = call_.attributes().integer("input_forget") != 0 ? 1 : 0;
    const bool lstm = op == Op::kLstmCell || op == Op::kLstmHidden;
    return apply(operation, operands, {(lstm ? operands[1] : operands.back()).shape, false});
}

PlacedTensor ElementwiseLowering::triangle() const {
    const PlacedTensor x = as_in_file(0);
    const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
    const bool upper = call_.attributes().integer("upper", 1) != 0;
    const std::int64_t k = call_.has(1) ? call_.indices(1)[0] : 0;
    auto mask = std::make_shared<std::vector<HalfBits>>();
    for (std::int64_t at = 0; at < rows * columns; ++at) {
        const std::int64_t above = at % columns - at / columns;
        const bool kept = upper ? above >= k : above <= k;
        mask->push_back(to_bits(kept ? 1.0F : 0.0F, format_of(x.type)));
    }
    PlacedTensor chosen, zero;
    chosen.type = zero.type = x.type;
    chosen.shape = {rows, columns};
    chosen.elements = std::move(mask);
    zero.shape = {1};
    zero.elements = std::make_shared<std::vector<HalfBits>>(1);
    chosen.constant = zero.constant = true;
    return combined(Op::kWhere, {chosen, x, zero});
}

PlacedTensor ElementwiseLowering::chain(Op op) const {
    PlacedTensor result = real(0);
    for (std::size_t i = 1; i < call_.inputs(); ++i) result = combined(op, {result, real(i)});
    return result;
}

}  // namespace tessera

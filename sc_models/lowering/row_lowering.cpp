#include "sc_models/lowering/row_lowering.h"

#include <algorithm>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"

namespace tessera {

using network::Shape;
using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;

PlacedTensor RowLowering::lrn() const {
    const Tensors operands = {real(0)};
    const auto& attributes = call_.attributes();
    const std::int64_t size = attributes.integer("size", 1);
    TensorOperation operation = operation_on(Op::kLrn, operands);
    operation.axes = {operands[0].side(1)};
    operation.window = {static_cast<std::uint32_t>(size)};
    operation.strides = operation.dilations = {1};
    operation.pads_before = {(size - 1) / 2};
    operation.pads_after = {size - 1 - (size - 1) / 2};
    operation.alpha = attributes.real("alpha", 1e-4F);
    operation.beta = attributes.real("beta", 0.75F);
    operation.gamma = attributes.real("bias", 1);
    return same(operation, operands);
}

PlacedTensor RowLowering::normalization(Op op) const {
    Tensors operands = {real(0)};
    if (operands[0].shape.size() < 2) call_.fail("expected channels");
    for (std::size_t i = 1; i < call_.inputs(); ++i) operands.push_back(all(i));
    TensorOperation operation = operation_on(op, operands);
    operation.axes = {operands[0].side(1)};
    operation.beta = call_.attributes().real("epsilon", 1e-5F);
    return same(operation, operands);
}

Tensors RowLowering::layer_normalization() const {
    Tensors operands = {as_in_file(0)};
    const Shape shape = operands[0].shape;
    const std::size_t axis = call_.axis(call_.attributes().integer("axis", -1), shape.size());
    const Shape row(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
    for (std::size_t i = 1; i < call_.inputs() && call_.has(i); ++i) {
        operands.push_back(expanded(all(i), row));
    }
    TensorOperation operation = operation_on(Op::kLayerNormalization, operands);
    for (std::size_t i = axis; i < shape.size(); ++i) {
        operation.axes.push_back(static_cast<std::uint32_t>(i));
    }
    operation.beta = call_.attributes().real("epsilon", 1e-5F);
    Tensors results = {same(operation, operands)};
    Shape kept(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    kept.resize(shape.size(), 1);
    for (const auto& [output, op] :
         {std::pair(1U, Op::kReduceMean), std::pair(2U, Op::kReduceInvStdDev)}) {
        results.emplace_back();
        if (!call_.makes(output)) continue;
        operation.op = op;
        operation.operands.resize(1);
        results.back() = apply(operation, {operands[0]}, {kept, false});
    }
    return results;
}

PlacedTensor RowLowering::rms_normalization() const {
    Tensors operands = {as_in_file(0)};
    const Shape shape = operands[0].shape;
    const std::size_t axis = call_.axis(call_.attributes().integer("axis", -1), shape.size());
    operands.push_back(
        expanded(all(1), Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end())));
    TensorOperation operation = operation_on(Op::kRmsNormalization, operands);
    for (std::size_t i = axis; i < shape.size(); ++i) {
        operation.axes.push_back(static_cast<std::uint32_t>(i));
    }
    operation.beta = call_.attributes().real("epsilon", 1e-5F);
    return same(operation, operands);
}

PlacedTensor RowLowering::softmax(Op op) const {
    const Tensors operands = {as_in_file(0)};
    const bool flattened = call_.node->version < 13;
    const std::size_t count = operands[0].shape.size();
    const std::size_t axis =
        call_.axis(call_.attributes().integer("axis", flattened ? 1 : -1), count);
    TensorOperation operation = operation_on(op, operands);
    for (std::size_t i = axis; i < (flattened ? count : axis + 1); ++i) {
        operation.axes.push_back(static_cast<std::uint32_t>(i));
    }
    return same(operation, operands);
}

PlacedTensor RowLowering::global(Op op) const {
    std::vector<bool> reduced(call_.shape(0).size(), true);
    reduced[0] = reduced[1] = false;
    return reduced_by(op, reduced, true);
}

PlacedTensor RowLowering::reduce(Op op) const {
    return reduced_by(op, network::reduced_axes(call_),
                      call_.attributes().integer("keepdims", 1) != 0);
}

PlacedTensor RowLowering::reduced_by(Op op, const std::vector<bool>& reduced, bool keep) const {
    const Tensors operands = {keep ? real(0) : as_in_file(0)};
    TensorOperation operation = operation_on(op, operands);
    Shape kept, squeezed;
    for (std::size_t i = 0; i < reduced.size(); ++i) {
        if (reduced[i]) operation.axes.push_back(operands[0].side(i));
        kept.push_back(reduced[i] ? 1 : operands[0].shape[i]);
        if (!reduced[i]) squeezed.push_back(kept.back());
    }
    if (operation.axes.empty()) return of_single_elements(op, operands[0]);
    std::sort(operation.axes.begin(), operation.axes.end());
    PlacedTensor result = apply(operation, operands, {kept, operands[0].channels_last});
    if (!keep) result.shape = squeezed;
    return result;
}

PlacedTensor RowLowering::of_single_elements(Op op, const PlacedTensor& x) const {
    switch (op) {
        case Op::kReduceL1:
        case Op::kReduceL2:
            return same(operation_on(Op::kAbs, {x}), {x});
        case Op::kReduceLogSum:
            return same(operation_on(Op::kLog, {x}), {x});
        case Op::kReduceSumSquare:
            return same(operation_on(Op::kMul, {x, x}), {x, x});
        default:
            return x;
    }
}

PlacedTensor RowLowering::pool(Op op) const {
    if (call_.makes(1)) call_.fail("there is no kernel for indices of maxima");
    const network::Window window = network::Window::of_pooling(call_);
    const Tensors operands = {element(0)};
    TensorOperation operation = operation_on(op, operands);
    keep_type(operation, operands);
    Shape shape = {operands[0].shape[0], operands[0].shape[1]};
    for (std::size_t i = 0; i < window.sides; ++i) {
        const std::size_t from = network::kImageSides - window.sides + i;
        operation.axes.push_back(operands[0].side(2 + i));
        operation.window.push_back(static_cast<std::uint32_t>(window.taps[from]));
        operation.strides.push_back(static_cast<std::uint32_t>(window.stride[from]));
        operation.dilations.push_back(static_cast<std::uint32_t>(window.dilation[from]));
        operation.pads_before.push_back(window.pad_begin[from]);
        operation.pads_after.push_back(window.pad_end[from]);
        shape.push_back(window.output[from]);
    }
    operation.ceil_mode = call_.attributes().integer("ceil_mode") != 0;
    operation.count_padding = call_.attributes().integer("count_include_pad") != 0;
    return apply(operation, operands, {shape, operands[0].channels_last});
}

}  // namespace tessera

#include "sc_models/lowering/operator_family.h"

#include <utility>

#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {

using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;

const PlacedTensor& OperatorFamily::all(std::size_t input) const {
    if (input >= inputs_.size()) call_.fail("input " + std::to_string(input) + " is missing");
    call_.expect_real(input);
    return inputs_[input];
}

PlacedTensor OperatorFamily::real(std::size_t input) const {
    return in_layout(all(input), last_ && all(input).shape.size() >= 3, sink_);
}

const PlacedTensor& OperatorFamily::number(std::size_t input) const {
    return network::is_real(call_.type(input).type) ? all(input) : inputs_[input];
}

PlacedTensor OperatorFamily::element(std::size_t input) const {
    const PlacedTensor& x = stored(input);
    return in_layout(x, last_ && x.shape.size() >= 3, sink_);
}

PlacedTensor OperatorFamily::element_in_file(std::size_t input) const {
    return in_layout(stored(input), false, sink_);
}

const PlacedTensor& OperatorFamily::stored(std::size_t input) const {
    return network::is_byte(call_.type(input).type) ? inputs_.at(input) : all(input);
}

void OperatorFamily::keep_type(TensorOperation& operation, const Tensors& operands) {
    if (bytes_of(operands.at(0).type) != 1) return;
    operation.type = TensorType::kFp32;
    operation.types.assign(operands.size() + 1, operands[0].type);
}

PlacedTensor OperatorFamily::as_in_file(std::size_t input) const {
    return in_layout(all(input), false, sink_);
}

PlacedTensor OperatorFamily::apply(const TensorOperation& operation, const Tensors& operands,
                                   MadeTensor result) const {
    return sink_(std::string(name_of(operation.op)), operation, operands, {std::move(result)})
        .at(0);
}

PlacedTensor OperatorFamily::apply_as(const std::string& what, const TensorOperation& operation,
                                      const Tensors& operands, MadeTensor result) const {
    return sink_(call_.node->operation + " as " + what, operation, operands, {std::move(result)})
        .at(0);
}

TensorOperation OperatorFamily::operation_on(Op op, const Tensors& operands) {
    TensorOperation operation;
    operation.op = op;
    for (const PlacedTensor& operand : operands) operation.operands.push_back(operand.sides());
    return operation;
}

PlacedTensor OperatorFamily::same(const TensorOperation& operation, const Tensors& operands) const {
    return apply(operation, operands, {operands[0].shape, operands[0].channels_last});
}

PlacedTensor OperatorFamily::expanded(const PlacedTensor& x, const network::Shape& shape) const {
    if (x.shape == shape) return x;
    TensorOperation operation = operation_on(Op::kExpand, {x});
    keep_type(operation, {x});
    TensorShape sides;
    for (const std::int64_t side : shape) sides.push_back(static_cast<std::uint64_t>(side));
    operation.results = {sides};
    return apply(operation, {x}, {shape, false});
}

}  // namespace tessera

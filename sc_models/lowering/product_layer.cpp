#include "sc_models/lowering/product_layer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "sc_models/network/fusion.h"
#include "sc_models/network/operator_details.h"

namespace tessera {

using network::Node;
using network::OperatorCall;
using network::Shape;

/// Returns the node's product with the operations that its kernel applies in addition.
Node ProductLayer::with_fused(const Fused& fused) const {
    Node node = node_;
    node.epilogue.resize(fused_steps_);
    if (!fused.addend) node.inputs.resize(std::min<std::size_t>(node.inputs.size(), 2));
    if (!fused.factor) node.attributes.set("alpha", 1.0F);
    return node;
}

/// Returns `tensor` as the other operand of a step on a result of this shape, or nothing if its
/// layout differs from the result's.
std::optional<ProductEpilogue::Operand> ProductLayer::operand_of(const PlacedTensor& tensor,
                                                                 const Shape& result,
                                                                 Columns columns) const {
    using OperandExtent = ProductEpilogue::OperandExtent;
    ProductEpilogue::Operand operand;
    const std::uint64_t elements = network::element_count(tensor.shape);
    if (elements == 1) {
        // A kernel is built before the network computes the number.
        if (!tensor.constant || tensor.elements == nullptr) return std::nullopt;
        operand.scalar = tensor.value(0);
        return operand;
    }
    if (columns == Columns::kUnknown || tensor.shape.size() > result.size()) {
        return std::nullopt;
    }
    const bool last = columns == Columns::kChannels;
    if (tensor.shape == result) {
        operand.place = OperandExtent::kElements;
        operand.values = in_layout(tensor, last, layers_.sink()).elements;
        return operand;
    }
    const std::size_t column = last ? 1 : result.size() - 1;
    const PlacedTensor all = tensor.with_sides(result.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (all.shape[i] != (i == column ? result[i] : 1)) return std::nullopt;
    }
    operand.place = OperandExtent::kColumns;
    operand.values = all.elements;
    return operand;
}

bool ProductLayer::fuse_with(TensorOperator op, const PlacedTensor& tensor, const Shape& result,
                             Columns columns, bool operand_first, Fused& fused) {
    std::optional<ProductEpilogue::Operand> operand = operand_of(tensor, result, columns);
    const bool full = fused.operands.size() == ProductEpilogue::kMostInMemory;
    if (!operand || full) return false;
    if (operand->place != ProductEpilogue::OperandExtent::kScalar) fused.bytes += tensor.bytes();
    ProductEpilogue::Step step;
    step.op = op;
    step.operand = static_cast<std::int32_t>(fused.operands.size());
    step.operand_first = operand_first;
    fused.operands.push_back(std::move(*operand));
    fused.steps.push_back(step);
    return true;
}

void ProductLayer::fuse_epilogue(const Shape& result, Columns columns, Fused& fused) {
    for (const network::EpilogueStep& step : node_.epilogue) {
        const std::string name = step.operation == "Sum" ? "Add" : step.operation;
        const std::optional<TensorOperator> op = tensor_operator(name);
        if (!op || network::is_steep(name) || !(is_unary(*op) || is_binary(*op))) return;
        if (is_binary(*op)) {
            if (step.inputs.size() != 2) return;
            const PlacedTensor other = layers_.placed(step.inputs[1 - step.chained]);
            const bool first = step.chained == 1;
            if (!fuse_with(*op, other, result, columns, first, fused)) return;
        } else {
            const Node node = network::node_of(step, node_.outputs[0]);
            const OperatorCall call = layers_.call_of(node);
            ProductEpilogue::Step unary;
            unary.op = *op;
            for (const std::size_t bound : {1U, 2U}) {
                if (call.has(bound) &&
                    layers_.graph().value(node.inputs[bound]).constant == nullptr)
                    return;
            }
            std::tie(unary.alpha, unary.beta) = attributes_of(*op, call);
            fused.steps.push_back(unary);
        }
        ++fused_steps_;
    }
}

PlacedTensor ProductLayer::add(LoweredLayer layer, const PlacedTensor& activations,
                               const PlacedTensor& weights, bool channels_last,
                               const Fused& fused) {
    return add_of(with_fused(fused), std::move(layer), activations, weights, channels_last, fused);
}

PlacedTensor ProductLayer::add_of(const Node& node, LoweredLayer layer,
                                  const PlacedTensor& activations, const PlacedTensor& weights,
                                  bool channels_last, const Fused& fused) {
    const OperatorCall call = layers_.call_of(node);
    const network::Operator& operation = *network::find_operator(node.operation);
    PlacedTensor result;
    result.type = layers_.halves();
    if (result.type == TensorType::kBf16) {
        layer.layer.operands = layer.gemm.operands = OperandType::kBf16;
    }
    const std::vector<network::TensorType> types = operation.infer(call);
    result.shape = types.at(0).shape;
    result.channels_last = channels_last;
    layer.operation = node.operation;
    layer.flop = operation.flop(call, types);
    layer.bytes = activations.bytes() + weights.bytes() + result.bytes() + fused.bytes;
    // The operator's own count includes its addend.
    const std::size_t further = fused.steps.size() - (fused.addend ? 1 : 0);
    layer.flop +=
        static_cast<double>(further) * static_cast<double>(network::element_count(result.shape));
    for (std::size_t i = 0; i < fused_steps_; ++i) {
        layer.operation += "+" + node_.epilogue[i].operation;
    }
    if (!fused.steps.empty()) {
        layer.given.epilogue = std::make_shared<const ProductEpilogue>(
            fused.operands, fused.steps, false, format_of(layers_.halves()));
    }
    layer.zeros_a = activations.zeros();
    layer.zeros_b = weights.zeros();
    if (activations.elements != nullptr && weights.elements != nullptr && layers_.is_known(node)) {
        result.elements = layers_.result_of(node, result);
        layer.given.result = result.elements;
    }
    layers_.add(std::move(layer), result);
    return result;
}

}  // namespace tessera

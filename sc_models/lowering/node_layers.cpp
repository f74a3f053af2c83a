#include "sc_models/lowering/node_layers.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sc_models/common/error_kinds.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/workload/given_sizes.h"
#include "sc_models/workload/tensor/tensor_golden.h"

namespace tessera {

using network::Node;
using network::OperatorCall;
using network::Tensor;
using network::ValueId;

namespace {

std::string text_of(const TensorShape& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

/// Type of a value in memory; the host's integers are real numbers where a kernel reads them.
TensorType type_of(network::ElementType type, TensorType halves) {
    switch (type) {
        case network::ElementType::kFloat:
            return TensorType::kFp32;
        case network::ElementType::kInt8:
            return TensorType::kInt8;
        case network::ElementType::kUint8:
            return TensorType::kUint8;
        default:
            return halves;
    }
}

std::vector<GivenLayer::Elements> elements_of_all(const std::vector<PlacedTensor>& tensors) {
    std::vector<GivenLayer::Elements> all;
    for (const PlacedTensor& tensor : tensors) all.push_back(tensor.elements);
    return all;
}

bool is_copy(TensorOperator op) {
    return is_in(op, TensorOperator::kTranspose, TensorOperator::kResize);
}

}  // namespace

TensorType NodeLayers::halves() const {
    return graph_.halves == network::ElementType::kBf16 ? TensorType::kBf16 : TensorType::kFp16;
}

OperatorCall NodeLayers::call_of(const Node& node) const {
    return network::call_of(graph_, node, tensor_of_);
}

GivenLayer::Elements NodeLayers::result_of(const Node& node, const PlacedTensor& result) const {
    const std::vector<Tensor> made = network::run_node(graph_, node, tensor_of_);
    PlacedTensor in_file;
    in_file.shape = result.shape;
    in_file.elements = elements_of(&made.at(0), format_of(result.type));
    return in_file.with_channels_last(result.channels_last).elements;
}

PlacedTensor NodeLayers::placed(ValueId id) const {
    const network::Value& value = graph_.value(id);
    PlacedTensor tensor;
    tensor.shape = value.type.shape;
    // The host holds integers and truth values and stores them in the layout that is needed.
    const bool is_of_host =
        !network::is_real(value.type.type) && !network::is_byte(value.type.type);
    tensor.constant = value.constant != nullptr || is_of_host;
    tensor.type = type_of(value.type.type, halves());
    const bool is_fp32 = tensor.type == TensorType::kFp32;
    tensor.elements = is_fp32 ? single_elements_of(tensor_of_(id))
                              : elements_of(tensor_of_(id), format_of(tensor.type));
    const bool last = !tensor.constant && layouts_.channels_last(id);
    return tensor.with_channels_last(last);
}

OperationSink NodeLayers::sink() {
    return
        [this](const std::string& name, const TensorOperation& operation,
               const std::vector<PlacedTensor>& operands, const std::vector<MadeTensor>& results) {
            return add_operation(name, operation, operands, results);
        };
}

std::vector<PlacedTensor> NodeLayers::add_operation(const std::string& name,
                                                    const TensorOperation& of,
                                                    const std::vector<PlacedTensor>& operands,
                                                    const std::vector<MadeTensor>& results) {
    TensorOperation operation = of;
    if (operation.types.empty()) operation.type = halves();
    check_tensor_operation(operation);
    const std::vector<TensorShape> shapes = result_shapes(operation);
    LoweredLayer layer;
    layer.operation = name;
    layer.given.operation = operation;
    layer.given.operands = elements_of_all(operands);
    check_operand_sizes(operation, layer.given.operands);
    bool known = true;
    for (const PlacedTensor& operand : operands) {
        layer.shape += (layer.shape.empty() ? "" : ", ") + text_of(operand.sides());
        layer.bytes += operand.bytes();
        known = known && operand.elements != nullptr;
    }
    if (gathers(operation.op)) layer.bytes += elements_of(operation.sizes) * kIndexBytes;
    layer.zeros_a = operands[0].zeros();
    if (operands.size() > 1) layer.zeros_b = operands[1].zeros();
    TensorValues golden;
    if (known) {
        TensorValues values;
        for (const PlacedTensor& operand : operands) {
            values.push_back(given_values(*operand.elements, given_type(operation, values.size())));
        }
        golden = tensor_golden(make_tensor_plan(operation), values, shapes);
    }
    std::vector<PlacedTensor> made;
    for (std::size_t i = 0; i < results.size(); ++i) {
        PlacedTensor result;
        result.shape = results[i].shape;
        result.channels_last = results[i].channels_last;
        result.type = operation.result_type();
        if (result.sides() != shapes.at(i)) {
            call_of(node_).fail(fmt::format("lowered to {} of {}, expected {}", name,
                                            text_of(shapes[i]), text_of(result.sides())));
        }
        layer.bytes += result.bytes();
        layer.flop +=
            is_copy(operation.op) ? 0 : static_cast<double>(network::element_count(result.shape));
        if (known) {
            Tensor tensor;
            tensor.reals = std::move(golden[i]);
            result.elements = elements_of(&tensor, format_of(result.type));
            record(result);
        }
        made.push_back(std::move(result));
    }
    if (is_reduction(operation.op)) layer.flop = static_cast<double>(operands[0].bytes()) / 2;
    layers_.push_back(std::move(layer));
    return made;
}

void NodeLayers::record(const PlacedTensor& made) {
    for (std::size_t i = 0; i < made.elements->size(); ++i) {
        const float magnitude = std::fabs(made.value(i));
        if (std::isfinite(magnitude)) largest_ = std::max(largest_, magnitude);
    }
}

bool NodeLayers::is_known(const Node& node) const {
    const auto is_known_value = [this](ValueId id) {
        return !id.valid() || tensor_of_(id) != nullptr;
    };
    const auto are_known = [&](const std::vector<ValueId>& ids) {
        return std::all_of(ids.begin(), ids.end(), is_known_value);
    };
    return are_known(node.inputs) &&
           std::all_of(node.epilogue.begin(), node.epilogue.end(),
                       [&](const network::EpilogueStep& step) { return are_known(step.inputs); });
}

// Integers of 8 bits are equal: a kernel computes them from the same operands in the same order.
void NodeLayers::compare_bytes(const Tensor& expected, const PlacedTensor& made) const {
    if (!network::is_byte(expected.type.type)) return;
    if (bytes_of(made.type) != 1) {
        throw CheckError(
            fmt::format("node {} ({}): its layers make elements of {} bytes, expected 1",
                        in_quotes(node_.name), node_.operation, bytes_of(made.type)));
    }
    for (std::size_t e = 0; e < expected.integers.size(); ++e) {
        const float got = made.value(e);
        if (got == static_cast<float>(expected.integers[e])) continue;
        throw CheckError(
            fmt::format("node {} ({}): element {} of its layers is {}, but {} by its definition",
                        in_quotes(node_.name), node_.operation, e, got, expected.integers[e]));
    }
}

// Results differ only by the rounding between layers: each is half a unit in the last place of the
// rounded value, which is at most the largest element.
void NodeLayers::compare(const std::vector<PlacedTensor>& results) const {
    if (results.at(0).elements == nullptr || layers_.empty() || !is_known(node_)) return;
    const std::vector<Tensor> expected = network::run_node(graph_, node_, tensor_of_);
    const double unit = halves() == TensorType::kBf16 ? 0x1p-7 : 0x1p-10;
    const double rounding = static_cast<double>(layers_.size()) * unit;
    for (std::size_t i = 0; i < results.size() && i < node_.outputs.size(); ++i) {
        if (results[i].elements == nullptr) continue;  // the network does not use it
        const PlacedTensor in_file = results[i].with_channels_last(false);
        compare_bytes(expected[i], in_file);
        const std::vector<float>& wanted = expected[i].reals;
        for (std::size_t e = 0; e < wanted.size(); ++e) {
            const float got = in_file.value(e);
            const bool special = !std::isfinite(wanted[e]) || !std::isfinite(got);
            if (special && (got == wanted[e] || (got != got && wanted[e] != wanted[e]))) {
                continue;
            }
            const double bound = rounding * largest_ + 0x1p-14;
            if (std::fabs(static_cast<double>(got) - wanted[e]) <= bound) continue;
            throw CheckError(fmt::format(
                "node {} ({}): element {} of its layers is {}, but {} by its definition",
                in_quotes(node_.name), node_.operation, e, got, wanted[e]));
        }
    }
}

void NodeLayers::add(LoweredLayer layer, const PlacedTensor& made) {
    if (made.elements != nullptr) record(made);
    layers_.push_back(std::move(layer));
}

}  // namespace tessera

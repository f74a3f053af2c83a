#include "sc_models/lowering/node_lowering.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sc_models/common/error_kinds.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/unsupported_operator.h"
#include "sc_models/workload/given_sizes.h"
#include "sc_models/workload/tensor/tensor_golden.h"

namespace tessera {

using network::Graph;
using network::Node;
using network::OperatorCall;
using network::Tensor;
using network::ValueId;
using network::WorkKind;

namespace {

std::string text_of(const TensorShape& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::vector<float> floats_of(const GivenLayer::Elements& elements) {
    std::vector<float> floats(elements->size());
    std::transform(elements->begin(), elements->end(), floats.begin(), half_to_float);
    return floats;
}

/// The first output that is present; outputs may be omitted.
ValueId made_by(const Node& node) {
    const auto found = std::find_if(node.outputs.begin(), node.outputs.end(),
                                    [](ValueId id) { return id.valid(); });
    return found == node.outputs.end() ? ValueId() : *found;
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

bool is_for_host(const Graph& graph, const Node& node) {
    const auto is_real_value = [&](ValueId id) {
        return id.valid() && network::is_real(graph.value(id).type.type);
    };
    const bool reads_rows = node.operation == "ArgMax" || node.operation == "ArgMin";
    if (reads_rows && is_real_value(node.inputs.at(0))) return false;
    return network::unsupported_operation(node).empty() &&
           std::none_of(node.outputs.begin(), node.outputs.end(), is_real_value);
}

std::vector<LoweredLayer> NodeLowering::run() {
    const network::Operator& operation = *network::find_operator(node_.operation);
    if (operation.kind == WorkKind::kFree) {
        lower_view();
        return std::move(layers_);
    }
    const std::string unsupported = network::unsupported_operation(node_);
    if (!unsupported.empty()) {
        call_of(node_).fail("operator " + in_quotes(unsupported) + " is not supported");
    }
    if (operation.kind == WorkKind::kRecurrent) {
        call_of(node_).fail("there is no kernel for a sequence without elements");
    }
    if (operation.kind == WorkKind::kComposite) {
        call_of(node_).fail("there is no kernel for it as a whole");
    }
    const ValueId output = made_by(node_);
    if (!output.valid()) return {};
    if (is_for_host(graph_, node_)) {
        call_of(node_).fail("there is no kernel for integers and truth values");
    }
    std::vector<PlacedTensor> results;
    if (operation.kind == WorkKind::kConvolution || operation.kind == WorkKind::kProduct) {
        results = {lower_product()};
    } else {
        results = lower_plain(node_, std::nullopt);
    }
    for (std::size_t i = fused_steps_; i < node_.epilogue.size(); ++i) {
        const network::EpilogueStep& step = node_.epilogue[i];
        const Node one = network::node_of(step, node_.outputs[0]);
        results = lower_plain(one, std::make_pair(step.chained, results.at(0)));
    }
    compare(results);
    return std::move(layers_);
}

OperatorCall NodeLowering::call_of(const Node& node) const {
    return network::call_of(graph_, node, tensor_of_);
}

PlacedTensor NodeLowering::placed(ValueId id) const {
    const network::Value& value = graph_.value(id);
    PlacedTensor tensor;
    tensor.shape = value.type.shape;
    // The host holds integers and truth values and stores them in the layout that is needed.
    tensor.constant = value.constant != nullptr || !network::is_real(value.type.type);
    tensor.elements = elements_of(tensor_of_(id));
    const bool last = !tensor.constant && layouts_.channels_last(id);
    return tensor.with_channels_last(last);
}

/// Lowers views: tensors that keep their bytes must be in the file's order.
void NodeLowering::lower_view() {
    const ValueId input = node_.inputs.empty() ? ValueId() : node_.inputs[0];
    if (!input.valid() || !network::is_real(graph_.value(input).type.type)) return;
    (void)in_layout(placed(input), false, sink());
}

std::vector<PlacedTensor> NodeLowering::lower_plain(
    const Node& node, const std::optional<std::pair<std::size_t, PlacedTensor>>& chained) {
    std::vector<PlacedTensor> inputs(node.inputs.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (chained && chained->first == i) {
            inputs[i] = chained->second;
        } else if (node.inputs[i].valid()) {
            inputs[i] = placed(node.inputs[i]);
        }
    }
    const bool last =
        chained ? chained->second.channels_last : layouts_.channels_last(made_by(node));
    return lower_operator(call_of(node), inputs, last, sink());
}

OperationSink NodeLowering::sink() {
    return
        [this](const std::string& name, const TensorOperation& operation,
               const std::vector<PlacedTensor>& operands, const std::vector<MadeTensor>& results) {
            return add_operation(name, operation, operands, results);
        };
}

std::vector<PlacedTensor> NodeLowering::add_operation(const std::string& name,
                                                      const TensorOperation& operation,
                                                      const std::vector<PlacedTensor>& operands,
                                                      const std::vector<MadeTensor>& results) {
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
            values.push_back(floats_of(operand.elements));
        }
        golden = tensor_golden(make_tensor_plan(operation), values, shapes);
    }
    std::vector<PlacedTensor> made;
    for (std::size_t i = 0; i < results.size(); ++i) {
        PlacedTensor result;
        result.shape = results[i].shape;
        result.channels_last = results[i].channels_last;
        if (result.sides() != shapes.at(i)) {
            call_of(node_).fail(fmt::format("lowered to {} of {}, expected {}", name,
                                            text_of(shapes[i]), text_of(result.sides())));
        }
        layer.bytes += result.bytes();
        layer.flop += is_copy(operation.op) ? 0 : static_cast<double>(result.bytes()) / 2;
        if (known) {
            Tensor tensor;
            tensor.reals = std::move(golden[i]);
            result.elements = elements_of(&tensor);
            note(result);
        }
        made.push_back(std::move(result));
    }
    if (is_reduction(operation.op)) layer.flop = static_cast<double>(operands[0].bytes()) / 2;
    layers_.push_back(std::move(layer));
    return made;
}

void NodeLowering::note(const PlacedTensor& made) {
    for (const HalfBits half : *made.elements) {
        const float magnitude = std::fabs(half_to_float(half));
        if (std::isfinite(magnitude)) largest_ = std::max(largest_, magnitude);
    }
}

/// Whether the values of all inputs of a node and its epilogue are known. If not, a layer may still
/// have values of its own, such as drawn indices.
bool NodeLowering::is_known(const Node& node) const {
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

/// Compares the results with the network's own. They differ only by the rounding between layers:
/// each is half a unit in the last place of the rounded value, which is at most the largest
/// element.
void NodeLowering::compare(const std::vector<PlacedTensor>& results) const {
    if (results.at(0).elements == nullptr || layers_.empty() || !is_known(node_)) return;
    const std::vector<Tensor> expected = network::run_node(graph_, node_, tensor_of_);
    const double rounding = static_cast<double>(layers_.size()) * 0x1p-10;
    for (std::size_t i = 0; i < results.size() && i < node_.outputs.size(); ++i) {
        if (results[i].elements == nullptr) continue;  // the network does not use it
        const PlacedTensor in_file = results[i].with_channels_last(false);
        const std::vector<float>& wanted = expected[i].reals;
        for (std::size_t e = 0; e < wanted.size(); ++e) {
            const float got = half_to_float(in_file.elements->at(e));
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

std::vector<LoweredLayer> lower(const Graph& graph, const Node& node, const Layouts& layouts,
                                const network::TensorOf& tensor_of, EpilogueStyle style) {
    try {
        return NodeLowering(graph, node, layouts, tensor_of, style).run();
    } catch (const FileError&) {
        throw;
    } catch (const ConfigError& error) {
        const std::string place = "node " + in_quotes(node.name) + " (" + node.operation + "): ";
        const std::string what = error.what();
        throw NoKernelError(what.compare(0, place.size(), place) == 0 ? what : place + what);
    }
}

}  // namespace tessera

#include "sc_models/network/executor.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/byte_operands.h"
#include "sc_models/network/unsupported_operator.h"

namespace tessera::network {
namespace {

std::string place_of(const Node& node) {
    return "node " + in_quotes(node.name) + " (" + node.operation + "): ";
}

const Operator& operator_of(const Node& node) {
    const Operator* found = find_operator(node.operation);
    if (found == nullptr) throw ConfigError(place_of(node) + "the operator is not supported");
    return *found;
}

/// Infers the types of all outputs and checks their sizes; errors name the node.
std::vector<TensorType> checked_types(const Operator& operation, const OperatorCall& call) {
    try {
        check_byte_operands(call);
        std::vector<TensorType> types = operation.infer(call);
        for (const TensorType& type : types) (void)type.elements();
        return types;
    } catch (const ConfigError& error) {
        const std::string place = place_of(*call.node);
        const std::string what = error.what();
        throw ConfigError(what.compare(0, place.size(), place) == 0 ? what : place + what);
    }
}

bool foldable(const Operator& operation, const OperatorCall& call,
              const std::vector<TensorType>& types, const FoldingLimits& limits) {
    if (operation.run == nullptr) return false;
    std::size_t elements = 0;
    for (const TensorType& type : types) elements += type.elements();
    if (elements > limits.elements) return false;
    if (operation.of_types_only) return true;
    for (std::size_t input = 0; input < call.inputs(); ++input) {
        if (call.has(input) && call.tensors[input] == nullptr) return false;
    }
    return operation.flop == nullptr || operation.flop(call, types) <= limits.flop;
}

std::vector<Tensor> run(const Operator& operation, const OperatorCall& call) {
    std::vector<Tensor> outputs;
    for (TensorType& type : checked_types(operation, call)) outputs.emplace_back(std::move(type));
    // A tensor without elements may have dimensions of any length beside its 0.
    const bool nothing = std::all_of(outputs.begin(), outputs.end(), [](const Tensor& output) {
        return output.type.elements() == 0;
    });
    if (!nothing) {
        if (operation.run == nullptr) refuse_values(call);
        operation.run(call, outputs);
    }
    return outputs;
}

std::vector<Tensor> rounded(std::vector<Tensor> tensors) {
    for (Tensor& tensor : tensors) tensor.round_to_type();
    return tensors;
}

}  // namespace

Node node_of(const EpilogueStep& step, ValueId so_far) {
    Node node{step.name, step.operation, step.version, step.attributes, step.inputs, {}};
    node.inputs.at(step.chained) = so_far;
    return node;
}

OperatorCall call_of(const Graph& graph, const Node& node, const TensorOf& tensor_of) {
    OperatorCall call;
    call.node = &node;
    for (const ValueId input : node.inputs) {
        const Value* value = input.valid() ? &graph.value(input) : nullptr;
        call.types.push_back(value == nullptr ? nullptr : &value->type);
        call.tensors.push_back(value == nullptr ? nullptr : tensor_of(input));
        call.names.push_back(value == nullptr ? std::string_view() : value->name);
    }
    return call;
}

bool infer_node(Graph& graph, const Node& node, const FoldingLimits& limits) {
    stop_if_interrupted();
    const Operator& operation = operator_of(node);
    const OperatorCall call =
        call_of(graph, node, [&](ValueId id) { return graph.value(id).constant.get(); });
    std::vector<TensorType> types = checked_types(operation, call);
    if (node.outputs.size() > types.size()) {
        call.fail("got " + std::to_string(node.outputs.size()) + " outputs, expected " +
                  std::to_string(types.size()));
    }
    const bool fold = node.epilogue.empty() && foldable(operation, call, types, limits);
    std::vector<Tensor> values = fold ? rounded(run(operation, call)) : std::vector<Tensor>();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].valid()) continue;
        Value& value = graph.value(node.outputs[i]);
        value.type = std::move(types[i]);
        if (fold) value.constant = std::make_shared<const Tensor>(std::move(values[i]));
    }
    return fold;
}

void infer_types(Graph& graph, const FoldingLimits& limits) {
    std::vector<Node> kept;
    for (Node& node : graph.nodes) {
        if (!infer_node(graph, node, limits)) kept.push_back(std::move(node));
    }
    graph.nodes = std::move(kept);
}

std::vector<Tensor> run_node(const Graph& graph, const Node& node, const TensorOf& tensor_of) {
    std::vector<Tensor> outputs = run(operator_of(node), call_of(graph, node, tensor_of));
    for (const EpilogueStep& step : node.epilogue) {
        const ValueId so_far = node.outputs.at(0);
        const Node one = node_of(step, so_far);
        const Tensor& value = outputs[0];
        outputs[0] = std::move(
            run(operator_of(one),
                call_of(graph, one,
                        [&](ValueId id) { return id == so_far ? &value : tensor_of(id); }))
                .at(0));
    }
    return rounded(std::move(outputs));
}

void check_inputs(const Graph& graph, const std::vector<Tensor>& inputs) {
    if (inputs.size() != graph.inputs.size()) {
        throw ConfigError("got " + std::to_string(inputs.size()) + " inputs, expected " +
                          std::to_string(graph.inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Value& value = graph.value(graph.inputs[i]);
        if (inputs[i].type != value.type) {
            throw ConfigError("input " + in_quotes(value.name) + ": got " + inputs[i].type.str() +
                              ", expected " + value.type.str());
        }
    }
}

std::vector<Tensor> execute(const Graph& graph, std::vector<Tensor> inputs,
                            const NodeObserver& observe) {
    check_inputs(graph, inputs);
    std::vector<std::optional<Tensor>> known(graph.values.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        known[graph.inputs[i].value()] = std::move(inputs[i]);
    }
    const TensorOf tensor_of = [&](ValueId id) -> const Tensor* {
        const Value& value = graph.value(id);
        if (value.constant != nullptr) return value.constant.get();
        return known[id.value()].has_value() ? &*known[id.value()] : nullptr;
    };
    std::vector<std::uint32_t> uses = graph.uses();
    const auto read = [&](ValueId id) {
        if (id.valid() && --uses[id.value()] == 0) known[id.value()].reset();
    };
    for (const Node& node : graph.nodes) {
        stop_if_interrupted();
        std::vector<Tensor> outputs = run_node(graph, node, tensor_of);
        if (observe) observe(node, outputs, tensor_of);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueId id = node.outputs[i];
            if (id.valid() && uses[id.value()] > 0) known[id.value()] = std::move(outputs.at(i));
        }
        for (const ValueId id : node.inputs) read(id);
        for (const EpilogueStep& step : node.epilogue) {
            for (const ValueId id : step.inputs) read(id);
        }
    }
    std::vector<Tensor> results;
    for (const ValueId output : graph.outputs) {
        const Tensor* tensor = tensor_of(output);
        if (tensor == nullptr) {
            throw ConfigError("output " + in_quotes(graph.value(output).name) +
                              ": nothing computes it");
        }
        results.push_back(*tensor);
    }
    return results;
}

}  // namespace tessera::network

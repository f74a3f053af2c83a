#include "sc_models/network/node_work.h"

#include <algorithm>
#include <set>

#include "sc_models/network/executor.h"
#include "sc_models/network/unsupported_operator.h"

namespace tessera::network {
namespace {

double flop_of(const Graph& graph, const Node& node) {
    const Operator& operation = *find_operator(node.operation);
    if (operation.flop == nullptr) return 0;
    const OperatorCall call =
        call_of(graph, node, [&](ValueId id) { return graph.value(id).constant.get(); });
    return operation.flop(call, operation.infer(call));
}

}  // namespace

std::string operation_text(const Node& node) {
    std::string text = unsupported_operation(node);
    if (text.empty()) text = node.operation;
    for (const EpilogueStep& step : node.epilogue) text += "+" + step.operation;
    return text;
}

NodeWork work_of(const Graph& graph, const Node& node) {
    const Operator& operation = *find_operator(node.operation);
    NodeWork work;
    work.operation = operation_text(node);
    work.kind = operation.kind;
    work.flop = flop_of(graph, node);
    std::uint64_t made = 0;
    for (const ValueId id : node.outputs) {
        if (id.valid()) made += graph.value(id).type.bytes();
    }
    std::set<ValueId> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const bool shapes = ((operation.shape_inputs >> i) & 1U) != 0;
        if (!shapes) operands.insert(node.inputs[i]);
    }
    for (const EpilogueStep& step : node.epilogue) {
        operands.insert(step.inputs.begin(), step.inputs.end());
        work.flop += flop_of(graph, node_of(step, node.outputs[0]));
    }
    work.bytes = made;
    for (const ValueId id : operands) {
        if (!id.valid()) continue;
        const Value& value = graph.value(id);
        // A copy reads no more bytes than it writes.
        work.bytes +=
            work.kind == WorkKind::kCopy ? std::min(value.type.bytes(), made) : value.type.bytes();
        if (value.constant == nullptr || !is_real(value.type.type)) continue;
        work.weights += value.constant->elements();
        work.zero_weights += value.constant->zeros();
    }
    if (work.kind == WorkKind::kFree) work.bytes = 0;
    return work;
}

std::vector<NodeWork> work_of(const Graph& graph) {
    std::vector<NodeWork> all;
    for (const Node& node : graph.nodes) all.push_back(work_of(graph, node));
    return all;
}

}  // namespace tessera::network

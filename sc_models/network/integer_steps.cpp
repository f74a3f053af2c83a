#include "sc_models/network/integer_steps.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tessera::network {
namespace {

/// Operators whose results are elements of what they read.
bool keeps_integers(const Node& node) {
    constexpr int kFirstMaxPool = 10;  // with the attributes of the one that takes bytes
    if (node.operation == "MaxPool") {
        return node.version >= kFirstMaxPool && node.outputs.size() == 1;
    }
    constexpr std::string_view kMoves[] = {"Concat",    "DepthToSpace", "Flatten", "Gather",
                                           "Reshape",   "Slice",        "Squeeze", "SpaceToDepth",
                                           "Transpose", "Unsqueeze"};
    return std::find(std::begin(kMoves), std::end(kMoves), node.operation) != std::end(kMoves);
}

}  // namespace

std::optional<IntegerNode> sum_of_integers(QuantizedNodes& nodes, const Node& sum) {
    const Graph& graph = nodes.graph();
    const std::optional<Quantized> a = nodes.bytes_of(sum.inputs[0]);
    const std::optional<Quantized> b = nodes.bytes_of(sum.inputs[1]);
    const std::optional<Ending> ending = nodes.ending_of(sum, false);
    if (!a || !b || !ending) return std::nullopt;
    if (graph.value(a->integers).type.shape != graph.value(b->integers).type.shape) {
        return std::nullopt;
    }
    const Node& last = graph.nodes[ending->quantization];
    if (!nodes.has_one_scale(last)) return std::nullopt;
    IntegerNode found;
    found.at = ending->quantization;
    found.node.name = sum.name;
    found.node.operation = "QLinearAdd";
    found.node.version = 1;
    found.node.inputs = nodes.inputs_of(sum.name, *a, *b, last);
    found.node.outputs = {last.outputs[0]};
    return nodes.set_bounds(*ending, found.node) ? std::optional(found) : std::nullopt;
}

std::optional<IntegerNode> moved_integers(const QuantizedNodes& nodes, const Node& moves) {
    if (!keeps_integers(moves)) return std::nullopt;
    const std::optional<std::size_t> reader = nodes.neighbours().only_reader(moves.outputs[0]);
    if (!reader) return std::nullopt;
    const Node& last = nodes.graph().nodes[*reader];
    if (last.operation != "QuantizeLinear" || last.inputs[0] != moves.outputs[0] ||
        !nodes.has_one_scale(last)) {
        return std::nullopt;
    }
    IntegerNode found{*reader, moves};
    const std::size_t moved = moves.operation == "Concat" ? moves.inputs.size() : 1;
    for (std::size_t i = 0; i < moved; ++i) {
        const std::optional<Quantized> x = nodes.bytes_of(moves.inputs[i]);
        if (!x || !nodes.has_scale_of(*x, last)) return std::nullopt;
        found.node.inputs[i] = x->integers;
    }
    found.node.outputs = {last.outputs[0]};
    constexpr int kMaxPoolOfBytes = 12;
    if (moves.operation == "MaxPool") {
        found.node.version = std::max(moves.version, kMaxPoolOfBytes);
    }
    return found;
}

}  // namespace tessera::network

#include "sc_models/network/graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera::network {
namespace {

/// Calls `visit` with each value that the node and its epilogue read.
template <class Visit>
void for_each_read(const Node& node, const Visit& visit) {
    for (const ValueId input : node.inputs) {
        if (input.valid()) visit(input);
    }
    for (const EpilogueStep& step : node.epilogue) {
        for (const ValueId input : step.inputs) {
            if (input.valid()) visit(input);
        }
    }
}

}  // namespace

ValueId Graph::add(Value value) {
    values.push_back(std::move(value));
    return ValueId(static_cast<ValueId::Rep>(values.size() - 1));
}

std::vector<std::uint32_t> Graph::uses() const {
    std::vector<std::uint32_t> uses(values.size());
    for (const Node& node : nodes) {
        for_each_read(node, [&](ValueId id) { ++uses[id.value()]; });
    }
    for (const ValueId output : outputs) ++uses[output.value()];
    return uses;
}

void Graph::remove_unread_nodes() {
    std::vector<std::uint32_t> reads = uses();
    // Runs from last to first: a removed node no longer reads its operands.
    std::vector<bool> unread(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const Node& node = nodes[i];
        unread[i] = std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
            return !output.valid() || reads[output.value()] == 0;
        });
        if (unread[i]) for_each_read(node, [&](ValueId id) { --reads[id.value()]; });
    }
    std::vector<Node> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!unread[i]) kept.push_back(std::move(nodes[i]));
    }
    nodes = std::move(kept);
}

void sort_topologically(Graph& graph) {
    constexpr std::size_t kNobody = ~std::size_t{0};
    std::vector<std::size_t> maker(graph.values.size(), kNobody);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const ValueId output : graph.nodes[i].outputs) {
            if (output.valid()) maker[output.value()] = i;
        }
    }
    std::vector<std::vector<std::size_t>> readers(graph.nodes.size());
    std::vector<std::size_t> waits_for(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for_each_read(graph.nodes[i], [&](ValueId id) {
            if (maker[id.value()] == kNobody) return;
            readers[maker[id.value()]].push_back(i);
            ++waits_for[i];
        });
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (waits_for[i] == 0) ready.push(i);
    }
    std::vector<Node> sorted;
    while (!ready.empty()) {
        const std::size_t next = ready.top();
        ready.pop();
        for (const std::size_t reader : readers[next]) {
            if (--waits_for[reader] == 0) ready.push(reader);
        }
        sorted.push_back(std::move(graph.nodes[next]));
    }
    if (sorted.size() < graph.nodes.size()) {
        const auto stuck =
            std::find_if(waits_for.begin(), waits_for.end(), [](std::size_t n) { return n != 0; });
        const Node& node = graph.nodes[static_cast<std::size_t>(stuck - waits_for.begin())];
        throw ConfigError("node " + in_quotes(node.name) + " (" + node.operation +
                          "): waits for its own result; expected a graph without cycles");
    }
    graph.nodes = std::move(sorted);
}

}  // namespace tessera::network

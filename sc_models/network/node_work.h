// Amount of work of the nodes of a network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

/// The work of a node with its epilogue.
struct NodeWork {
    std::string operation;  ///< with its epilogue: "Conv+Add+Relu"
    WorkKind kind = WorkKind::kFree;
    double flop = 0;  ///< additions, multiplications, comparisons and functions
    /// Bytes of all operands and results, each counted once, without operands that only give a
    /// shape; 0 for free nodes.
    std::uint64_t bytes = 0;
    std::uint64_t weights = 0;  ///< real numbers in constant operands
    std::uint64_t zero_weights = 0;
};

[[nodiscard]] NodeWork work_of(const Graph& graph, const Node& node);
/// The work of each node, in the order of the graph.
[[nodiscard]] std::vector<NodeWork> work_of(const Graph& graph);

/// The operators of a node and its epilogue, joined by plus signs.
[[nodiscard]] std::string operation_text(const Node& node);

}  // namespace tessera::network

// How much work the nodes of a network are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

/// A node's operands and what it does with them, its epilogue included.
struct NodeWork {
    std::string operation;  ///< with its epilogue: "Conv+Add+Relu"
    WorkKind kind = WorkKind::kFree;
    double flop = 0;  ///< additions, multiplications, comparisons and functions
    /// Of all operands and results, each once, without those that only say a shape; 0 of what is
    /// free.
    std::uint64_t bytes = 0;
    std::uint64_t weights = 0;  ///< real numbers among the operands that are constant
    std::uint64_t zero_weights = 0;
};

/// The work of each node, in the order of the graph.
[[nodiscard]] std::vector<NodeWork> work_of(const Graph& graph);

/// The operators of a node and its epilogue with a plus between them.
[[nodiscard]] std::string operation_text(const Node& node);

}  // namespace tessera::network

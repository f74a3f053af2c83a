// How far a rewritten node may be from the nodes it stands for, by rounding alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"

namespace tessera::network {

/// A node of a transformed graph, without its epilogue, beside what the file has.
struct RewrittenNode {
    const Graph& graph;             ///< the transformed one
    const Node& node;               ///< of it
    const Node& last;               ///< the file's node that makes the same tensor
    const Node* product = nullptr;  ///< the file's node before `last`
    const Tensor& result;           ///< of the file
    const TensorOf& tensor_of;      ///< operands of `node`
};

/// The transformation's name in messages; empty: the node is the file's own.
[[nodiscard]] std::string rewriting_of(const RewrittenNode& rewritten);

/// The largest difference that rounding explains, for each element of the result; see
/// check_transformation(). All 0 where the node is the file's own.
[[nodiscard]] std::vector<double> rewriting_bounds(const RewrittenNode& rewritten);

}  // namespace tessera::network

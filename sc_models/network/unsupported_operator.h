// Nodes of operators that are not supported, in networks that run without them.
#pragma once

#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

/// Makes of a node with its operands one of the operator "Unsupported", whose outputs have these
/// types. The node's own operator becomes an attribute.
void make_unsupported(Node& node, const std::vector<TensorType>& types);

/// Gives the outputs of such a node the types of elements that they have in the graph.
void restate_types(const Graph& graph, Node& node);

/// The operator that a node of "Unsupported" has in the file; empty for other nodes.
[[nodiscard]] std::string unsupported_operation(const Node& node);

/// Throws ConfigError: nothing computes the outputs of such a node.
[[noreturn]] void refuse_values(const OperatorCall& call);

}  // namespace tessera::network

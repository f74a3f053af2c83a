// Types and values of a network's tensors, computed on the host: the reference for what a machine
// computes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

/// The values of a tensor, or null where they are not known.
using TensorOf = std::function<const Tensor*(ValueId)>;

/// A node as the functions of its operator see it, operands looked up in the graph and by
/// `tensor_of`.
[[nodiscard]] OperatorCall call_of(const Graph& graph, const Node& node, const TensorOf& tensor_of);

/// A step of an epilogue as a node of its own, on the value `so_far` and without outputs.
[[nodiscard]] Node node_of(const EpilogueStep& step, ValueId so_far);

/// How much of what is known before a network runs is computed ahead, node by node.
struct FoldingLimits {
    std::size_t elements = std::size_t{1} << 28;  ///< of all outputs of a node
    double flop = 0x1p30;
};

/// Gives every value its type, and a constant value to what depends on constants and shapes alone;
/// nodes that have become constants are taken out. Nodes have to be in order. Throws ConfigError
/// naming the node for an operator that is not in the table, for operands that it does not allow,
/// and for a shape that depends on what is not constant.
void infer_types(Graph& graph, const FoldingLimits& limits = {});

/// Outputs of a node with its epilogue, FP16 ones rounded once behind the last step. All that it
/// reads must be known.
[[nodiscard]] std::vector<Tensor> run_node(const Graph& graph, const Node& node,
                                           const TensorOf& tensor_of);

/// Throws ConfigError for inputs that are not, in their order, those of the graph by type.
void check_inputs(const Graph& graph, const std::vector<Tensor>& inputs);

/// Sees each node with the outputs it made, and what it read.
using NodeObserver = std::function<void(const Node& node, const std::vector<Tensor>& outputs,
                                        const TensorOf& tensor_of)>;

/// The outputs of the network for inputs in the order of `graph.inputs`. A tensor is given up when
/// its last reader has run. Throws ConfigError for inputs of other types, and Interrupted.
[[nodiscard]] std::vector<Tensor> execute(const Graph& graph, std::vector<Tensor> inputs,
                                          const NodeObserver& observe = {});

}  // namespace tessera::network

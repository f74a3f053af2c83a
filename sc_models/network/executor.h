// Type inference, constant folding and reference execution of a network on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

/// Returns the values of a tensor, or null if they are not computed.
using TensorOf = std::function<const Tensor*(ValueId)>;

/// Builds an operator call for a node; the graph supplies types, `tensor_of` supplies values.
[[nodiscard]] OperatorCall call_of(const Graph& graph, const Node& node, const TensorOf& tensor_of);

/// Converts an epilogue step to a node without outputs whose chained input is `so_far`.
[[nodiscard]] Node node_of(const EpilogueStep& step, ValueId so_far);

/// Limits of constant folding, per node.
struct FoldingLimits {
    std::size_t elements = std::size_t{1} << 28;  ///< all outputs of a node
    double flop = 0x1p30;
};

/// Infers the type of every value and folds nodes that depend only on constants and shapes; folded
/// nodes are removed. Nodes have to be in topological order. Throws ConfigError naming the node for
/// an operator that is not in the table, for operands that it does not allow, and for a shape that
/// depends on values that are not constant.
void infer_types(Graph& graph, const FoldingLimits& limits = {});

/// The same for one node whose inputs have their types. Returns whether it is folded: its outputs
/// are then constants.
bool infer_node(Graph& graph, const Node& node, const FoldingLimits& limits = {});

/// Computes a node with its epilogue; FP16 outputs are rounded once, after the last step. All
/// operands must be computed.
[[nodiscard]] std::vector<Tensor> run_node(const Graph& graph, const Node& node,
                                           const TensorOf& tensor_of);

/// Throws ConfigError unless the inputs match the graph's inputs in order and type.
void check_inputs(const Graph& graph, const std::vector<Tensor>& inputs);

/// Receives each node with its outputs and access to its operands.
using NodeObserver = std::function<void(const Node& node, const std::vector<Tensor>& outputs,
                                        const TensorOf& tensor_of)>;

/// Computes the network's outputs for inputs in the order of `graph.inputs`. A tensor is freed
/// after its last reader has run. Throws ConfigError for inputs of other types, and Interrupted.
[[nodiscard]] std::vector<Tensor> execute(const Graph& graph, std::vector<Tensor> inputs,
                                          const NodeObserver& observe = {});

}  // namespace tessera::network

// Bounds of the rounding error between a rewritten node and the nodes that it replaces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"

namespace tessera::network {

/// A node of a transformed graph, without its epilogue, and the file's counterpart.
struct RewrittenNode {
    const Graph& graph;             ///< transformed graph
    const Node& node;               ///< node of `graph`
    const Node& last;               ///< file's node that makes the same tensor
    const Node* product = nullptr;  ///< file's node before `last`
    const Tensor& result;           ///< file's tensor
    const TensorOf& tensor_of;      ///< operands of `node`
};

/// The transformation's name in messages; empty if the node is the file's own.
[[nodiscard]] std::string rewriting_of(const RewrittenNode& rewritten);

/// Largest difference that rounding can cause, for each element of the result; see
/// check_transformation(). All 0 if the node is the file's own.
[[nodiscard]] std::vector<double> rewriting_bounds(const RewrittenNode& rewritten);

/// A QLinearMatMul or QLinearConv's results before they are rounded to integers, in real arithmetic
/// and with the zero point, and the largest error that roundings in FP32 cause in each. A product
/// of real numbers may round to the other integer only this near to the middle between both.
struct Quotients {
    std::vector<double> values, errors;
};
/// The quotients if one of both nodes is a QLinearMatMul or QLinearConv and the other a product of
/// real numbers between conversions; nothing for other nodes.
[[nodiscard]] std::optional<Quotients> quotients_of(const RewrittenNode& rewritten);

}  // namespace tessera::network

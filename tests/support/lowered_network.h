// Networks of halves on the machine's kernels, node by node.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/executor.h"

namespace tessera::test {

/// Result of lowering a network.
struct CaseOutcome {
    std::size_t layers = 0;
    std::string refused;  ///< the first reason
    std::string wrong;
    /// Operators, and "runs", "free", "host", or why one is refused.
    std::set<std::pair<std::string, std::string>> nodes;
};

/// Lowers every node of a graph of halves, and interprets its layers; returns the graph's outputs.
std::vector<network::Tensor> lower_all(const network::Graph& graph,
                                       const std::vector<network::Tensor>& inputs,
                                       EpilogueStyle style, CaseOutcome& outcome);

/// Returns how two tensors of halves differ; empty if only by rounding. Halves are rounded once a
/// node, and what is rounded may be as large as `largest`, the largest number of the network.
/// Functions may be steep.
std::string difference(const network::Tensor& got, const network::Tensor& expected, double largest);

/// Returns the largest finite magnitude, at least 1.
double largest_of(const std::vector<network::Tensor>& tensors);

}  // namespace tessera::test

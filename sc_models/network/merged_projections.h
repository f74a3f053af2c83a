// One product in place of those that compute the operands of an Attention.
#pragma once

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Makes one product of the three that compute queries, keys and values of an Attention of
/// is_fused_attention() from one tensor, as TensorRT merges layers with one input: their weights,
/// and biases, are constants and become columns of one matrix, and a Split parts its result.
void merge_projections(Graph& graph);

}  // namespace tessera::network

// Attention that a machine computes in one kernel.
#pragma once

#include <cstddef>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Whether a node is an Attention that the fused kernels compute: real operands with heads side by
/// side (batch x rows x heads x depth), heads of 64 or 128 elements, as many keys as queries or,
/// if it is not causal, more, the scale 1 / sqrt(depth), no cap, no past, one output, and no mask
/// or one number for each key of a sequence (batch x 1 x 1 x keys).
[[nodiscard]] bool is_fused_attention(const Graph& graph, const Node& node);

/// Takes softmax(scale Q K^T + mask) V as an Attention where is_fused_attention() then holds: two
/// products, the scale behind the first or in its factors, perhaps an Add of a mask, and a Softmax,
/// between reshapes and transpositions that part the heads and put them side by side again. A
/// constant mask that is 0 up to the diagonal and at most -10000 behind it makes the Attention
/// causal. An Attention of the file between such transpositions is taken likewise. Returns the
/// number of Attentions.
std::size_t recognise_attention(Graph& graph);

/// Makes one product of the three that compute queries, keys and values of an Attention of
/// is_fused_attention() from one tensor, as TensorRT merges layers with one input: their weights,
/// and biases, are constants and become columns of one matrix, and a Split parts its result.
void merge_projections(Graph& graph);

/// The Split along the last side that makes queries, keys and values of an Attention and nothing
/// else, so that they can stay where the product before it writes them; null if there is none.
[[nodiscard]] const Node* packed_operands(const Graph& graph, const Node& attention);
/// Whether a node is such a Split.
[[nodiscard]] bool is_split_of_packed(const Graph& graph, const Node& node);

}  // namespace tessera::network

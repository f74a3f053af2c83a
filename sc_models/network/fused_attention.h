// Attention that a machine computes in one kernel.
#pragma once

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Whether a node is an Attention that the fused kernels compute: real operands, heads of 64 or 128
/// elements, as many keys as queries or, if it is not causal, more, the scale 1 / sqrt(depth), no
/// cap, no past, one output, and no mask or one number for each key of a sequence (batch x 1 x 1 x
/// keys).
[[nodiscard]] bool is_fused_attention(const Graph& graph, const Node& node);

/// Takes softmax(scale Q K^T + mask) V as an Attention where is_fused_attention() then holds: two
/// products, the scale behind the first or in its factors, perhaps an Add of a mask, and a Softmax.
/// Where reshapes and transpositions part the heads before it and put them side by side again
/// behind it, the Attention has these side by side and takes their place, also if it is the
/// file's. A constant mask that is 0 up to the diagonal and at most -10000 behind it makes the
/// Attention causal. Nodes whose results in between somebody else reads are left.
void recognise_attention(Graph& graph);

/// The Split along the last side that makes queries, keys and values of an Attention and nothing
/// else, so that they can stay where the product before it writes them; null if there is none.
[[nodiscard]] const Node* packed_operands(const Graph& graph, const Node& attention);
/// Whether an Attention whose heads are apart writes its result as the only reader of it, a
/// Transpose, puts the heads side by side.
[[nodiscard]] bool turns_result(const Graph& graph, const Node& attention);
/// Whether a node is such a Split or Transpose, which the kernel of the Attention does.
[[nodiscard]] bool is_part_of_attention(const Graph& graph, const Node& node);

}  // namespace tessera::network

// Operators that a machine does in one go: what follows a convolution or product is done before its
// result is written.
#pragma once

#include <cstddef>
#include <string_view>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// What became of nodes.
struct FusionCounts {
    std::size_t patterns = 0;              ///< several nodes recognised as one
    std::size_t batch_normalizations = 0;  ///< gone into weights
    std::size_t epilogue_steps = 0;        ///< gone into the epilogue of what comes before
};

/// Puts one node in place of several that together are Gelu (by Erf), Swish, HardSwish or
/// LayerNormalization; returns how many such there were. Of real numbers the results are equal, of
/// FP32 ones nearly so: constants have to be those of the operator, where these are no binary
/// fractions (1/6, the root of 2) within two units in the last place of the constant's own type.
/// The result has the type and shape of the operand.
std::size_t recognise_patterns(Graph& graph);

/// Puts products and elementwise steps, one time step after the other, in place of LSTM, GRU and
/// RNN: a product over all steps for what comes in; then, a step, one of the state and what follows
/// it. With a clip, or with functions of gates other than ONNX's defaults, that is an operator for
/// each function, sum and product. Where sequences may have lengths of their own, those that have
/// ended keep their states. Throws ConfigError naming the node for functions that ONNX has not.
void unroll_recurrent(Graph& graph);

/// Whether the operator's results may differ by much where its operands differ by a rounding (Exp,
/// Floor, ThresholdedRelu). Between what comes before it and such an operator the tensor is stored
/// and rounded, so that it is never a step of an epilogue.
[[nodiscard]] bool is_steep(std::string_view operation);

/// recognise_patterns(), then: the constants of a BatchNormalization become part of the weights of
/// the Conv, ConvTranspose or Gemm before it, if the bias of that is one number or one for each
/// channel; and elementwise operators behind a Conv,
/// ConvTranspose, Gemm or MatMul become steps of its epilogue, as long as the result in between has
/// no other reader and neither type nor shape changes: biases, activations, residual additions, but
/// nothing that is steep.
/// A fused node stands where the last of its steps stood.
FusionCounts fuse(Graph& graph);

/// Rewrites a file's graph before its numbers become halves: unroll_recurrent(), types
/// of the new nodes, and fuse() if that is wanted. check_transformation() compares it with the
/// file.
FusionCounts rewrite(Graph& graph, bool fused);

}  // namespace tessera::network

// Fusion of operators that a machine executes in one kernel: steps after a convolution or product
// run before its result is written.
#pragma once

#include <cstddef>
#include <string_view>

#include "sc_models/network/graph.h"
#include "sc_models/network/machine_kernels.h"

namespace tessera::network {

/// Numbers of nodes that fusion replaced.
struct FusionCounts {
    std::size_t patterns = 0;              ///< groups of nodes replaced by one node
    std::size_t batch_normalizations = 0;  ///< folded into weights
    std::size_t epilogue_steps = 0;        ///< merged into the epilogue of the product before
    std::size_t integer_products = 0;      ///< groups of nodes taken as a product of integers
};

/// Replaces groups of nodes that compute Gelu (by Erf), Swish, HardSwish, LayerNormalization or
/// RMSNormalization (in FP32) by one node each; returns the number of groups. The results are equal
/// in real arithmetic, and nearly so in FP32: constants must equal those of the operator, or, where
/// these are not binary fractions (1/6, the root of 2), lie within two units in the last place of
/// the constant's own type. The result has the type and shape of the operand.
std::size_t recognise_patterns(Graph& graph);

/// Replaces LSTM, GRU and RNN by products and elementwise steps, one time step after the other: one
/// product over all steps for the input; then, per step, a product of the state and the elementwise
/// operators on it. With a clip, or with gate functions other than ONNX's defaults, each function,
/// sum and product is an operator of its own. Where sequences may have lengths of their own, those
/// that have ended keep their states. Throws ConfigError naming the node for functions that ONNX
/// does not define.
void unroll_recurrent(Graph& graph);

/// Whether a rounding of the operands may change the operator's results by much (Exp, Floor,
/// ThresholdedRelu). The operand of such an operator is stored and rounded, so the operator is
/// never a step of an epilogue.
[[nodiscard]] bool is_steep(std::string_view operation);

/// Calls recognise_patterns(), then folds and fuses. A BatchNormalization is folded into the
/// weights of the Conv, ConvTranspose or Gemm before it if that operator's bias is one number or
/// one per channel. Elementwise operators behind a Conv, ConvTranspose, Gemm or MatMul (biases,
/// activations, residual additions) become steps of its epilogue if the result in between has no
/// other reader and the same type and shape, except for steep operators. A fused node takes the
/// position of its last step.
FusionCounts fuse(Graph& graph);

/// Rewrites a file's graph before its numbers become halves: runs unroll_recurrent(), with `fused`
/// what recognises the machine's kernels (recognise_integer_products(), recognise_attention() with
/// merge_projections()), and
/// expand_operators(), infers the types of the new nodes, and runs fuse() if `fused`. `file` is the
/// file's own graph; null: products of integers are not recognised. check_transformation() compares
/// the result with the file.
FusionCounts rewrite(Graph& graph, bool fused, const MachineKernels& kernels = {},
                     const Graph* file = nullptr);

}  // namespace tessera::network

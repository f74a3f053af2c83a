// Operators that other operators of the graph take the place of.
#pragma once

#include "sc_models/network/graph.h"
#include "sc_models/network/machine_kernels.h"
#include "sc_models/network/node_maker.h"

namespace tessera::network {

/// Replaces Attention, RotaryEmbedding, GroupNormalization and Einsum by the operators that a
/// framework without a kernel of its own for them computes them with:
///
/// - Attention, unless the machine has a kernel for it and is_fused_attention(): a product of
/// queries and keys, its scale, mask and softmax, and a product with the
///   values. Heads of queries that share a head of keys and values are rows of one product.
/// - RotaryEmbedding: slices of the pairs, their products with sines and cosines, and a
///   concatenation.
/// - GroupNormalization: an InstanceNormalization of the groups, and scale and bias.
/// - Einsum: from left to right, sums of sides that nothing else has, and batches of products.
/// - QLinearMatMul and QLinearConv: conversions and a product of real numbers, unless the machine
///   multiplies integers and is_integer_product().
void expand_operators(Graph& graph, const MachineKernels& kernels = {});

/// Makes the operators of an Einsum.
void expand_einsum(Graph& graph, NodeMaker& maker, const Node& node);

}  // namespace tessera::network

// Products and convolutions of quantised tensors that a machine computes with integers.
#pragma once

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Whether a node is a QLinearMatMul or QLinearConv that kernels of integers compute: the second
/// factor is a constant of INT8 with zero point 0, one matrix or filters of images in one group,
/// with one scale, or one for each column or filter; the first factor and the result have one scale
/// and zero point; all of these and the bias are constants. A convolution's padding is the same
/// before and behind, and none if the first factor has a zero point, since padding is that and not
/// 0.
[[nodiscard]] bool is_integer_product(const Graph& graph, const Node& node);

/// Takes quantised products as QLinearMatMul and QLinearConv where is_integer_product() then holds:
/// DequantizeLinear of activations and of constant weights, a Conv, Gemm or MatMul, perhaps an Add
/// of a constant bias, Relu or Clip, and QuantizeLinear. A bias of INT32 in the scale of the sums
/// is taken as it is, any other is rounded to that scale. Relu and Clip become bounds of the
/// integers, which is the same, because rounding keeps the order. Weights whose integers less the
/// zero point fit INT8 get zero point 0.
///
/// Between such products, an Add of two quantised tensors of one shape, with Relu or Clip, becomes
/// a QLinearAdd. MaxPool, Concat, Slice, Gather, Transpose, moves of blocks and views work on
/// integers if the conversions before and behind have the same scale and zero point. Neither
/// changes a result. All of this needs scales that are positive and not near the end of FP32,
/// behind a product also that the quotient is one of FP32.
///
/// `file` is the file's own graph, with values of the same ids; it tells which constants were
/// dequantised weights. Returns the number of products taken.
std::size_t recognise_integer_products(Graph& graph, const Graph& file);

}  // namespace tessera::network

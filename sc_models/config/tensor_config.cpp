#include "sc_models/config/tensor_config.h"

namespace tessera {

void TensorConfig::bind(ConfigVisitor& v) {
    using Op = TensorOperator;
    v.choice(
        "operation", operation,
        {{"identity", Op::kIdentity},
         {"relu", Op::kRelu},
         {"leaky_relu", Op::kLeakyRelu},
         {"clip", Op::kClip},
         {"sigmoid", Op::kSigmoid},
         {"hard_sigmoid", Op::kHardSigmoid},
         {"hard_swish", Op::kHardSwish},
         {"swish", Op::kSwish},
         {"tanh", Op::kTanh},
         {"erf", Op::kErf},
         {"gelu", Op::kGelu},
         {"exp", Op::kExp},
         {"log", Op::kLog},
         {"sqrt", Op::kSqrt},
         {"reciprocal", Op::kReciprocal},
         {"neg", Op::kNeg},
         {"abs", Op::kAbs},
         {"floor", Op::kFloor},
         {"ceil", Op::kCeil},
         {"elu", Op::kElu},
         {"celu", Op::kCelu},
         {"selu", Op::kSelu},
         {"softplus", Op::kSoftplus},
         {"softsign", Op::kSoftsign},
         {"sin", Op::kSin},
         {"cos", Op::kCos},
         {"sign", Op::kSign},
         {"round", Op::kRound},
         {"mish", Op::kMish},
         {"thresholded_relu", Op::kThresholdedRelu},
         {"prelu", Op::kPRelu},
         {"add", Op::kAdd},
         {"sub", Op::kSub},
         {"mul", Op::kMul},
         {"div", Op::kDiv},
         {"min", Op::kMin},
         {"max", Op::kMax},
         {"pow", Op::kPow},
         {"mod", Op::kMod},
         {"swiglu", Op::kSwiGlu},
         {"where", Op::kWhere},
         {"sum", Op::kSum},
         {"mean", Op::kMean},
         {"quantize_linear", Op::kQuantizeLinear},
         {"dequantize_linear", Op::kDequantizeLinear},
         {"lstm_cell", Op::kLstmCell},
         {"lstm_hidden", Op::kLstmHidden},
         {"gru_reset", Op::kGruReset},
         {"gru_state", Op::kGruState},
         {"batch_normalization", Op::kBatchNormalization},
         {"transpose", Op::kTranspose},
         {"slice", Op::kSlice},
         {"pad", Op::kPad},
         {"concat", Op::kConcat},
         {"split", Op::kSplit},
         {"gather", Op::kGather},
         {"gather_elements", Op::kGatherElements},
         {"expand", Op::kExpand},
         {"resize", Op::kResize},
         {"max_pool", Op::kMaxPool},
         {"average_pool", Op::kAveragePool},
         {"lrn", Op::kLrn},
         {"reduce_sum", Op::kReduceSum},
         {"reduce_mean", Op::kReduceMean},
         {"reduce_max", Op::kReduceMax},
         {"reduce_min", Op::kReduceMin},
         {"reduce_prod", Op::kReduceProd},
         {"reduce_l1", Op::kReduceL1},
         {"reduce_l2", Op::kReduceL2},
         {"reduce_sum_square", Op::kReduceSumSquare},
         {"reduce_log_sum", Op::kReduceLogSum},
         {"reduce_log_sum_exp", Op::kReduceLogSumExp},
         {"reduce_inv_std_dev", Op::kReduceInvStdDev},
         {"softmax", Op::kSoftmax},
         {"log_softmax", Op::kLogSoftmax},
         {"layer_normalization", Op::kLayerNormalization},
         {"rms_normalization", Op::kRmsNormalization},
         {"instance_normalization", Op::kInstanceNormalization}},
        "What is computed, as ONNX defines it. Where ONNX asks for more than the keys here: "
        "leaky_relu has alpha 0.01, clip goes from 0 to 6, elu and celu have alpha 1, "
        "thresholded_relu too; sum and mean are of two tensors, where chooses between two by a "
        "third of shape; quantize_linear and dequantize_linear have one FP32 scale, no zero point, "
        "and "
        "INT8 on the other side; gather takes seeded elements of the axis, as many as the shape "
        "other "
        "says; lrn goes over 5 channels; lstm_cell, lstm_hidden, gru_reset "
        "and gru_state are what a step in time of such layers does behind its product, shape "
        "(BATCHxHIDDEN) being that of its state; transpose reverses all axes; slice "
        "leaves out the first and the last of the axis; pad adds as many zeros as pad says at "
        "both ends of the axis; concat joins two tensors, split halves one; resize doubles "
        "the last two axes, nearest.");
    v.text("shape", shape,
           "Sizes of the tensor's axes, the slowest first, joined by 'x' (8x56x56x64).");
    v.text(
        "other", other,
        "The same of the second tensor of prelu, of add to pow, mod, where, sum and mean, of the "
        "indices of gather, or what expand makes; empty: as shape (gather: as the axis).");
    v.choice(
        "type", type,
        {{"fp32", TensorType::kFp32}, {"fp16", TensorType::kFp16}, {"bf16", TensorType::kBf16}},
        "Type of operands and result in memory; arithmetic is FP32.");
    v.integer_or(
        "axis", axis, 0, 7, "last", kLastAxis,
        "Axis of slice, pad, concat, split, gather, gather_elements, the reductions and softmax; "
        "the first of those "
        "of layer_normalization and rms_normalization; the channels of batch_normalization and "
        "lrn.");
    v.integer("window", window, 1, 255,
              "Side of the window of max_pool and average_pool, which "
              "slides over all axes but the first two (NCHW).");
    v.integer("stride", stride, 1, 255, "Step of the window.");
    v.integer("pad", pad, 0, 255,
              "Pixels around the input of max_pool and average_pool, less than window; zeros of "
              "pad.");
}

}  // namespace tessera

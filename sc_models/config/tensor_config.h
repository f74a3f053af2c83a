// Configuration of a non-GEMM operator of a network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Operators with the names and definitions of ONNX.
enum class TensorOperator {
    // Element-wise, one tensor.
    kIdentity,
    kRelu,
    kLeakyRelu,
    kClip,
    kSigmoid,
    kHardSigmoid,
    kHardSwish,
    kSwish,
    kTanh,
    kErf,
    kGelu,
    kExp,
    kLog,
    kSqrt,
    kReciprocal,
    kNeg,
    kAbs,
    kFloor,
    kCeil,
    kElu,
    kCelu,
    kSelu,
    kSoftplus,
    kSoftsign,
    kSin,
    kCos,
    kSign,
    kRound,
    kMish,
    kThresholdedRelu,
    // Element-wise, two tensors with broadcasting.
    kPRelu,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMin,
    kMax,
    kPow,
    kMod,
    kSwiGlu,  ///< swish(a) b, the gate of a decoder's MLP; not an operator of ONNX
    // Element-wise, several tensors with broadcasting.
    kWhere,
    kSum,
    kMean,
    // Quantised tensors: a tensor, its scale, and its zero point if there is one, both broadcast.
    kQuantizeLinear,
    kDequantizeLinear,
    // Steps of recurrent layers after their products.
    kLstmCell,
    kLstmHidden,
    kGruReset,
    kGruState,
    kBatchNormalization,
    // Copies.
    kTranspose,
    kSlice,
    kPad,
    kConcat,
    kSplit,
    kGather,
    kGatherElements,
    kExpand,
    kResize,
    // Windows.
    kMaxPool,
    kAveragePool,
    kLrn,
    // Reductions: one result over the axes.
    kReduceSum,
    kReduceMean,
    kReduceMax,
    kReduceMin,
    kReduceProd,
    kReduceL1,
    kReduceL2,
    kReduceSumSquare,
    kReduceLogSum,
    kReduceLogSumExp,
    kReduceInvStdDev,  ///< InvStdDev of LayerNormalization
    // Normalisations: one result per element over the axes.
    kSoftmax,
    kLogSoftmax,
    kLayerNormalization,
    kRmsNormalization,
    kInstanceNormalization
};
inline constexpr std::size_t kTensorOperators = 78;

/// Type of a tensor's elements in memory; arithmetic is FP32.
enum class TensorType { kFp32, kFp16, kInt8, kUint8, kBf16 };
[[nodiscard]] constexpr std::uint32_t bytes_of(TensorType type) {
    const bool is_half = type == TensorType::kFp16 || type == TensorType::kBf16;
    return type == TensorType::kFp32 ? 4 : is_half ? 2 : 1;
}

/// "fp32", "fp16", "int8", "uint8" or "bf16".
[[nodiscard]] constexpr std::string_view name_of(TensorType type) {
    switch (type) {
        case TensorType::kFp32:
            return "fp32";
        case TensorType::kFp16:
            return "fp16";
        case TensorType::kInt8:
            return "int8";
        case TensorType::kBf16:
            return "bf16";
        default:
            return "uint8";
    }
}

/// An operator and its tensors, for runs of a single operator.
struct TensorConfig {
    TensorOperator operation = TensorOperator::kRelu;
    std::string shape{"8x56x56x64"};
    std::string other;  ///< empty: equal to `shape`
    TensorType type = TensorType::kFp16;
    static constexpr std::uint32_t kLastAxis = 0xffffffff;
    std::uint32_t axis = kLastAxis;
    std::uint32_t window = 2, stride = 2, pad = 0;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera

#include "sc_models/workload/operators/tensor_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/operators/tensor_costs.h"
#include "sc_models/workload/operators/tensor_passes.h"

namespace tessera {
namespace {

using Op = TensorOperator;

float sigmoid(float x) {
    return 1.0F / (1.0F + exp_float(-x));
}

/// PyTorch's SiLU has this form.
float swish(float x) {
    return x / (1.0F + exp_float(-x));
}

float gelu(float x, bool with_tanh) {
    constexpr float kSqrtHalf = 0.70710678F;
    constexpr float kSqrtTwoOverPi = 0.79788456F;
    constexpr float kCubic = 0.044715F;
    if (!with_tanh) {
        return 0.5F * x * (1.0F + static_cast<float>(erf_of(x * kSqrtHalf)));
    }
    const float inner = kSqrtTwoOverPi * (x + kCubic * (x * x * x));
    return 0.5F * x * (1.0F + static_cast<float>(tanh_of(inner)));
}

float expm1_float(float x) {
    return static_cast<float>(expm1_of(x));
}

/// log(1 + exp(x)) with an exponential of -|x|, which cannot overflow.
float softplus(float x) {
    const float tail = exp_float(-std::fabs(x));
    return larger(x, 0.0F) + static_cast<float>(log_of(1 + double{tail}));
}

void unary(TensorFormula& f, OperatorCost cost, std::function<float(float)> function) {
    f.cost = cost;
    f.result = [function = std::move(function)](const float* x, PassResults) {
        return function(x[0]);
    };
}

void binary(TensorFormula& f, OperatorCost cost, float (*function)(float, float)) {
    f.operands = 2;
    f.cost = cost;
    f.result = [function](const float* x, PassResults) { return function(x[0], x[1]); };
}

float mish(float x) {
    return x * static_cast<float>(tanh_of(softplus(x)));
}

/// Sets activations with exponentials and similar ones.
void set_activation(TensorFormula& f, const TensorOperation& o) {
    const float alpha = o.alpha, scale = o.beta;
    switch (o.op) {
        case Op::kElu:
            return unary(f, kExp + OperatorCost{4, 0},
                         [alpha](float x) { return x < 0 ? alpha * expm1_float(x) : x; });
        case Op::kCelu:
            return unary(f, kExp + kDivision + OperatorCost{5, 0}, [alpha](float x) {
                return larger(x, 0.0F) + smaller(alpha * expm1_float(x / alpha), 0.0F);
            });
        case Op::kSelu:
            return unary(f, kExp + OperatorCost{5, 0}, [alpha, scale](float x) {
                return scale * (x < 0 ? alpha * expm1_float(x) : x);
            });
        case Op::kSoftplus:
            return unary(f, kExp + kLog + OperatorCost{3, 0}, softplus);
        case Op::kSoftsign:
            return unary(f, kDivision + OperatorCost{2, 0},
                         [](float x) { return x / (1.0F + std::fabs(x)); });
        default:
            return unary(f, {2, 0}, [alpha](float x) { return x > alpha ? x : 0.0F; });
    }
}

void set_unary(TensorFormula& f, const TensorOperation& o) {
    const float alpha = o.alpha, beta = o.beta;
    switch (o.op) {
        case Op::kRelu:
            return unary(f, kOne, [](float x) { return larger(x, 0.0F); });
        case Op::kLeakyRelu:
            return unary(f, {3, 0}, [alpha](float x) { return x < 0 ? alpha * x : x; });
        case Op::kClip:
            return unary(f, {2, 0}, [alpha, beta](float x) {
                const float raised = x < alpha ? alpha : x;
                return beta < raised ? beta : raised;
            });
        case Op::kSigmoid:
            return unary(f, kExp + kOne + kDivision, sigmoid);
        case Op::kHardSigmoid:
            return unary(f, {3, 0}, [alpha, beta](float x) {
                return smaller(larger(alpha * x + beta, 0.0F), 1.0F);
            });
        case Op::kHardSwish:
            return unary(f, {4, 0}, [](float x) {
                constexpr float kSixth = 1.0F / 6;
                return x * smaller(larger(kSixth * x + 0.5F, 0.0F), 1.0F);
            });
        case Op::kSwish:
            return unary(f, kExp + kOne + kDivision, swish);
        case Op::kTanh:
            return unary(f, kPolynomial, [](float x) { return static_cast<float>(tanh_of(x)); });
        case Op::kErf:
            return unary(f, kPolynomial, [](float x) { return static_cast<float>(erf_of(x)); });
        case Op::kGelu:
            return unary(f, kPolynomial + OperatorCost{5, 0},
                         [tanh = alpha != 0](float x) { return gelu(x, tanh); });
        case Op::kExp:
            return unary(f, kExp, exp_float);
        case Op::kLog:
            return unary(f, kLog, log_float);
        case Op::kSqrt:
            return unary(f, kRoot, [](float x) { return std::sqrt(x); });
        case Op::kReciprocal:
            return unary(f, kDivision, [](float x) { return 1.0F / x; });
        case Op::kNeg:
            return unary(f, kOne, [](float x) { return -x; });
        case Op::kAbs:
            return unary(f, kOne, [](float x) { return std::fabs(x); });
        case Op::kFloor:
            return unary(f, kOne, [](float x) { return std::floor(x); });
        case Op::kCeil:
            return unary(f, kOne, [](float x) { return std::ceil(x); });
        case Op::kRound:
            return unary(f, kOne, [](float x) { return std::nearbyint(x); });
        case Op::kSign:
            return unary(f, {3, 0}, [](float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; });
        case Op::kMish:
            return unary(f, kExp + kLog + kPolynomial + OperatorCost{4, 0}, mish);
        case Op::kSin:
            return unary(f, kCircle, [](float x) { return static_cast<float>(sin_of(x)); });
        case Op::kCos:
            return unary(f, kCircle, [](float x) { return static_cast<float>(cos_of(x)); });
        case Op::kElu:
        case Op::kCelu:
        case Op::kSelu:
        case Op::kSoftplus:
        case Op::kSoftsign:
        case Op::kThresholdedRelu:
            return set_activation(f, o);
        default:  // a copy
            return unary(f, {}, [](float x) { return x; });
    }
}

void set_binary(TensorFormula& f, Op op) {
    switch (op) {
        case Op::kPRelu:
            return binary(f, {3, 0}, [](float x, float y) { return x < 0 ? y * x : x; });
        case Op::kAdd:
            return binary(f, kOne, [](float x, float y) { return x + y; });
        case Op::kSub:
            return binary(f, kOne, [](float x, float y) { return x - y; });
        case Op::kMul:
            return binary(f, kOne, [](float x, float y) { return x * y; });
        case Op::kDiv:
            return binary(f, kDivision, [](float x, float y) { return x / y; });
        case Op::kMin:
            return binary(f, kOne, smaller);
        case Op::kMax:
            return binary(f, kOne, larger);
        case Op::kMod:
            return binary(f, kDivision + OperatorCost{4, 0},
                          [](float x, float y) { return std::fmod(x, y); });
        case Op::kSwiGlu:
            return binary(f, kExp + kOne + kDivision + OperatorCost{2, 0},
                          [](float x, float y) { return x * sigmoid(x) * y; });
        default:
            return binary(f, kLog + kExp + OperatorCost{10, 0},
                          [](float x, float y) { return static_cast<float>(pow_of(x, y)); });
    }
}

void set_several(TensorFormula& f, const TensorOperation& o) {
    const auto n = static_cast<std::uint32_t>(o.operands.size());
    f.operands = n;
    if (o.op == Op::kWhere) {
        f.cost = {2, 0};
        f.result = [](const float* x, PassResults) { return x[0] != 0 ? x[1] : x[2]; };
        return;
    }
    const bool mean = o.op == Op::kMean;
    f.cost = {n - 1, 0};
    if (mean) f.cost = f.cost + kDivision;
    const float divisor = mean && o.alpha != 0 ? o.alpha : static_cast<float>(n);
    f.result = [n, mean, divisor](const float* x, PassResults) {
        float sum = x[0];
        for (std::uint32_t i = 1; i < n; ++i) sum += x[i];
        return mean ? sum / divisor : sum;
    };
}

/// Sets recurrent steps; operands are those of recurrent_step() in tensor_plan.cpp.
void set_recurrent(TensorFormula& f, const TensorOperation& o) {
    const auto tanh = [](float x) { return static_cast<float>(tanh_of(x)); };
    constexpr OperatorCost kSigmoid = kExp + kOne + kDivision;
    switch (o.op) {
        case Op::kLstmCell: {
            // in, forget and cell gate, the old cell, peepholes of in and forget
            const bool peeps = o.operands.size() > 2;
            f.operands = peeps ? 6 : 4;
            f.cost = kSigmoid + kSigmoid + kPolynomial + OperatorCost{peeps ? 4U : 2U, 0};
            f.result = [tanh, peeps, couples = o.gamma != 0](const float* x, PassResults) {
                const float in = sigmoid(peeps ? x[0] + x[4] * x[3] : x[0]);
                const float forget = couples ? 1 - in : sigmoid(peeps ? x[1] + x[5] * x[3] : x[1]);
                return forget * x[3] + in * tanh(x[2]);
            };
            return;
        }
        case Op::kLstmHidden: {
            // out gate, the new cell, the peephole of out
            const bool peeps = o.operands.size() > 2;
            f.operands = peeps ? 3 : 2;
            f.cost = kSigmoid + kPolynomial + OperatorCost{peeps ? 2U : 1U, 0};
            f.result = [tanh, peeps](const float* x, PassResults) {
                return sigmoid(peeps ? x[0] + x[2] * x[1] : x[0]) * tanh(x[1]);
            };
            return;
        }
        case Op::kGruReset:  // of input and state, the state
            f.operands = 3;
            f.cost = kSigmoid + OperatorCost{2, 0};
            f.result = [](const float* x, PassResults) { return sigmoid(x[0] + x[1]) * x[2]; };
            return;
        default: {
            // update of input and state, the third gate of both, the state, reset of both
            const bool linear = o.operands.size() == 3;
            f.operands = linear ? 7 : 5;
            f.cost = kSigmoid + kPolynomial + OperatorCost{5, 0};
            if (linear) f.cost = f.cost + kSigmoid + OperatorCost{2, 0};
            f.result = [tanh, linear](const float* x, PassResults) {
                const float update = sigmoid(x[0] + x[1]);
                const float reset = linear ? sigmoid(x[5] + x[6]) * x[3] : x[3];
                return (1 - update) * tanh(x[2] + reset) + update * x[4];
            };
        }
    }
}

/// round(x / scale) + zero, saturated; or (x - zero) * scale. A missing zero point is 0.
void set_quantization(TensorFormula& f, const TensorOperation& o) {
    const bool moves = o.operands.size() == 3;
    f.operands = moves ? 3 : 2;
    if (o.op == Op::kDequantizeLinear) {
        f.cost = {moves ? 2U : 1U, 0};
        f.result = [moves](const float* x, PassResults) {
            return (moves ? x[0] - x[2] : x[0]) * x[1];
        };
        return;
    }
    const bool is_signed = o.result_type() == TensorType::kInt8;
    const float low = is_signed ? -128.0F : 0.0F, high = is_signed ? 127.0F : 255.0F;
    f.cost = kDivision + OperatorCost{moves ? 4U : 3U, 0};  // a rounding, a sum, both clamps
    const Float16 format = format_of(o.operand_type(0));
    f.result = [=, halves = o.alpha != 0](const float* x, PassResults) {
        float quotient = x[0] / x[1];
        if (halves) quotient = rounded(quotient, format);
        const float whole = std::nearbyint(quotient) + (moves ? x[2] : 0.0F);
        return whole > low ? std::min(whole, high) : low;  // NaN: the least
    };
}

/// round((a + b) / scale) + zero of dequantised operands, between the bounds.
void set_sum_of_bytes(TensorFormula& f, const TensorOperation& o) {
    f.operands = 2;
    // Two of each operand, their sum; a rounding, the zero point, both bounds.
    f.cost = kDivision + OperatorCost{9, 0};
    f.result = [s = o.scales](const float* x, PassResults) {
        const float sum = (x[0] - s[1]) * s[0] + (x[1] - s[3]) * s[2];
        const float whole = std::nearbyint(sum / s[4]) + s[5];
        return std::min(std::max(whole, s[6]), s[7]);
    };
}

}  // namespace

TensorFormula formula_of(const TensorOperation& o, PassCount passes) {
    TensorFormula f;
    if (is_sum_of_bytes(o)) {
        set_sum_of_bytes(f, o);
    } else if (is_binary(o.op)) {
        set_binary(f, o.op);
    } else if (o.op == Op::kBatchNormalization) {
        f.operands = 5;  // x, scale, bias, mean, variance
        f.cost = OperatorCost{4, 0} + kRoot + kDivision;
        f.result = [epsilon = o.beta](const float* x, PassResults) {
            return (x[0] - x[3]) / std::sqrt(x[4] + epsilon) * x[1] + x[2];
        };
    } else if (is_of_several(o.op)) {
        set_several(f, o);
    } else if (is_quantization(o.op)) {
        set_quantization(f, o);
    } else if (is_recurrent(o.op)) {
        set_recurrent(f, o);
    } else if (o.op == Op::kLrn) {
        set_lrn(f, o);
    } else if (is_reduction(o.op) || is_pool(o.op) ||
               (o.op == Op::kResize && o.resize != ResizeMode::kNearest)) {
        f.passes = {reduction_pass(o.op)};
        f.ends = 1;
        if (o.op == Op::kReduceLogSumExp) set_log_sum_exp(f, passes);
        if (o.op == Op::kReduceInvStdDev) set_normalization(f, o);
        f.outside = o.op == Op::kMaxPool ? -kInfinity : 0;
        if (o.op == Op::kResize) f.passes[0].step_cost = {2, 0};
        f.operands = 0;
        f.maps = false;
        f.result = [last = f.ends - 1](const float*, PassResults ends) { return ends[last]; };
    } else if (o.op == Op::kSoftmax || o.op == Op::kLogSoftmax) {
        set_softmax(f, o.op == Op::kLogSoftmax, passes);
    } else if (is_normalization(o.op)) {
        set_normalization(f, o);
    } else {
        set_unary(f, o);
        if (o.op == Op::kPad) f.outside = o.alpha;
    }
    if (o.op == Op::kResize) f.outside = o.beta;
    return f;
}

}  // namespace tessera

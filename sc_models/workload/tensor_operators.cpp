#include "sc_models/workload/tensor_operators.h"

#include <cmath>
#include <limits>

#include "sc_models/workload/tensor_math.h"

// Costs are chosen: what CUDA's functions in FP32 come to on Volta, of FMNMX, FADD, FMUL and FFMA
// on the FP32 lanes and MUFU on the special-function units (CUDA C++ Programming Guide, arithmetic
// instructions). Large tensors wait for DRAM and not for these.

namespace tessera {
namespace {

using Op = TensorOperator;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr OperatorCost kOne = {1, 0};
constexpr OperatorCost kExp = {6, 1};       // ex2 with its range, two multiplications before
constexpr OperatorCost kLog = {8, 1};       // lg2 with its range
constexpr OperatorCost kDivision = {8, 1};  // reciprocal, two Newton steps and a check
constexpr OperatorCost kRoot = {6, 1};
constexpr OperatorCost kPolynomial = {20, 1};  // tanh, erf: two ranges

constexpr OperatorCost operator+(OperatorCost a, OperatorCost b) {
    return {a.fp32 + b.fp32, a.sfu + b.sfu};
}

float exp_float(float x) {
    return static_cast<float>(exp_of(x));
}
float log_float(float x) {
    return static_cast<float>(log_of(x));
}
float sigmoid(float x) {
    return 1.0F / (1.0F + exp_float(-x));
}

/// NaNs are handed on, as ONNX's reference does.
float larger(float a, float b) {
    return a > b || a != a ? a : b;
}
float smaller(float a, float b) {
    return a < b || a != a ? a : b;
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

void unary(TensorFormula& f, OperatorCost cost, std::function<float(float)> function) {
    f.cost = cost;
    f.result = [function = std::move(function)](const float* x, PassEnds) {
        return function(x[0]);
    };
}

void binary(TensorFormula& f, OperatorCost cost, float (*function)(float, float)) {
    f.operands = 2;
    f.cost = cost;
    f.result = [function](const float* x, PassEnds) { return function(x[0], x[1]); };
}

void set_unary(TensorFormula& f, const TensorOperation& o) {
    const float alpha = o.alpha, beta = o.beta;
    switch (o.op) {
        case Op::kRelu:
            return unary(f, kOne, [](float x) { return larger(x, 0.0F); });
        case Op::kLeakyRelu:
            return unary(f, {3, 0}, [alpha](float x) { return x < 0 ? alpha * x : x; });
        case Op::kClip:
            return unary(f, {2, 0},
                         [alpha, beta](float x) { return smaller(larger(x, alpha), beta); });
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
        default:
            return binary(f, kLog + kExp + OperatorCost{10, 0},
                          [](float x, float y) { return static_cast<float>(pow_of(x, y)); });
    }
}

float sum_end(float sum, float, PassEnds) {
    return sum;
}
float mean_end(float sum, float count, PassEnds) {
    return sum / count;
}
float plus(float a, float b) {
    return a + b;
}

TensorPass sum_pass() {
    return {0, [](float sum, float x, PassEnds) { return sum + x; }, plus, sum_end, kOne, kOne, {}};
}
TensorPass max_pass() {
    return {-kInfinity, [](float sum, float x, PassEnds) { return larger(sum, x); },
            larger,     sum_end,
            kOne,       kOne,
            {}};
}
TensorPass mean_pass() {
    TensorPass pass = sum_pass();
    pass.end = mean_end;
    pass.end_cost = kDivision;
    return pass;
}

TensorPass reduction(Op op) {
    TensorPass pass = sum_pass();
    switch (op) {
        case Op::kReduceMean:
        case Op::kAveragePool:
            return mean_pass();
        case Op::kReduceMax:
        case Op::kMaxPool:
            return max_pass();
        case Op::kReduceMin:
            return {kInfinity, [](float sum, float x, PassEnds) { return smaller(sum, x); },
                    smaller,   sum_end,
                    kOne,      kOne,
                    {}};
        case Op::kReduceProd:
            return {1,
                    [](float sum, float x, PassEnds) { return sum * x; },
                    [](float a, float b) { return a * b; },
                    sum_end,
                    kOne,
                    kOne,
                    {}};
        case Op::kReduceL1:
            pass.step = [](float sum, float x, PassEnds) { return sum + std::fabs(x); };
            return pass;
        case Op::kReduceL2:
            pass.end = [](float sum, float, PassEnds) { return std::sqrt(sum); };
            pass.end_cost = kRoot;
            [[fallthrough]];
        case Op::kReduceSumSquare:
            pass.step = [](float sum, float x, PassEnds) { return sum + x * x; };
            return pass;
        default:
            return pass;
    }
}

void set_softmax(TensorFormula& f, bool logarithm) {
    TensorPass sum = sum_pass();
    sum.step = [](float s, float x, PassEnds ends) { return s + exp_float(x - ends[0]); };
    sum.step_cost = kExp + OperatorCost{2, 0};
    if (logarithm) {
        sum.end = [](float s, float, PassEnds) { return log_float(s); };
        sum.end_cost = kLog;
        f.result = [](const float* x, PassEnds ends) { return x[0] - ends[0] - ends[1]; };
        f.cost = {2, 0};
    } else {
        f.result = [](const float* x, PassEnds ends) {
            return exp_float(x[0] - ends[0]) / ends[1];
        };
        f.cost = kExp + kOne + kDivision;
    }
    f.passes = {max_pass(), sum};
}

/// Variances of two passes: nothing is lost where the mean is large.
void set_normalization(TensorFormula& f, const TensorOperation& o) {
    TensorPass variance = mean_pass();
    variance.step = [](float sum, float x, PassEnds ends) {
        const float d = x - ends[0];
        return sum + d * d;
    };
    variance.step_cost = {2, 0};
    variance.end = [epsilon = o.beta](float sum, float count, PassEnds) {
        return 1.0F / std::sqrt(sum / count + epsilon);
    };
    variance.end_cost = kDivision + kOne + kRoot + kDivision;
    f.passes = {mean_pass(), variance};
    f.operands = static_cast<std::uint32_t>(o.operands.size());
    f.cost = {1 + f.operands, 0};
    f.result = [n = f.operands](const float* x, PassEnds ends) {
        float y = (x[0] - ends[0]) * ends[1];
        if (n > 1) y = y * x[1];
        return n > 2 ? y + x[2] : y;
    };
}

}  // namespace

TensorFormula formula_of(const TensorOperation& o) {
    TensorFormula f;
    if (is_binary(o.op)) {
        set_binary(f, o.op);
    } else if (o.op == Op::kBatchNormalization) {
        f.operands = 5;  // x, scale, bias, mean, variance
        f.cost = OperatorCost{4, 0} + kRoot + kDivision;
        f.result = [epsilon = o.beta](const float* x, PassEnds) {
            return (x[0] - x[3]) / std::sqrt(x[4] + epsilon) * x[1] + x[2];
        };
    } else if (is_reduction(o.op) || is_pool(o.op) ||
               (o.op == Op::kResize && o.resize == ResizeMode::kLinear)) {
        f.passes = {reduction(o.op)};
        f.outside = o.op == Op::kMaxPool ? -kInfinity : 0;
        if (o.op == Op::kResize) f.passes[0].step_cost = {2, 0};
        f.operands = 0;
        f.maps = false;
        f.result = [](const float*, PassEnds ends) { return ends[0]; };
    } else if (o.op == Op::kSoftmax || o.op == Op::kLogSoftmax) {
        set_softmax(f, o.op == Op::kLogSoftmax);
    } else if (is_normalization(o.op)) {
        set_normalization(f, o);
    } else {
        set_unary(f, o);
        if (o.op == Op::kPad) f.outside = o.alpha;
    }
    return f;
}

}  // namespace tessera

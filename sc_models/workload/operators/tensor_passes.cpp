#include "sc_models/workload/operators/tensor_passes.h"

#include <cmath>

#include "sc_models/workload/operators/tensor_costs.h"

namespace tessera {

using Op = TensorOperator;

namespace {

using Scalar = float (*)(float sum, float x);

/// A pass with one number, whose end has index `place`.
TensorPass scalar_pass(float first, Scalar step, float (*join)(float, float),
                       std::size_t place = 0) {
    TensorPass pass;
    pass.first = {first};
    pass.step = [step](const PassState& sum, float x, PassResults) {
        return PassState{step(sum[0], x)};
    };
    pass.join = [join](const PassState& a, const PassState& b) {
        return PassState{join(a[0], b[0])};
    };
    pass.end = [place](const PassState& sum, float, float* ends) { ends[place] = sum[0]; };
    pass.step_cost = pass.join_cost = kOne;
    return pass;
}

float plus(float a, float b) {
    return a + b;
}
TensorPass sum_pass(std::size_t place = 0) {
    return scalar_pass(0, plus, plus, place);
}
TensorPass max_pass() {
    return scalar_pass(-kInfinity, larger, larger);
}
TensorPass mean_pass() {
    TensorPass pass = sum_pass();
    pass.end = [](const PassState& sum, float count, float* ends) { ends[0] = sum[0] / count; };
    pass.end_cost = kDivision;
    return pass;
}

}  // namespace

TensorPass reduction_pass(Op op) {
    TensorPass pass = sum_pass();
    switch (op) {
        case Op::kReduceMean:
        case Op::kAveragePool:
            return mean_pass();
        case Op::kReduceMax:
        case Op::kMaxPool:
            return max_pass();
        case Op::kReduceMin:
            return scalar_pass(kInfinity, smaller, smaller);
        case Op::kReduceProd: {
            const auto times = [](float a, float b) { return a * b; };
            return scalar_pass(1, times, times);
        }
        case Op::kReduceL1:
            return scalar_pass(
                0, [](float sum, float x) { return sum + std::fabs(x); }, plus);
        case Op::kReduceLogSum:
            pass.end = [](const PassState& sum, float, float* ends) {
                ends[0] = log_float(sum[0]);
            };
            pass.end_cost = kLog;
            return pass;
        case Op::kReduceL2:
        case Op::kReduceSumSquare:
            pass = scalar_pass(
                0, [](float sum, float x) { return sum + x * x; }, plus);
            if (op == Op::kReduceSumSquare) return pass;
            pass.end = [](const PassState& sum, float, float* ends) {
                ends[0] = std::sqrt(sum[0]);
            };
            pass.end_cost = kRoot;
            return pass;
        default:
            return pass;
    }
}

namespace {

/// The number subtracted from exponents, which must not be infinite.
float finite_or_zero(float largest) {
    return std::fabs(largest) < kInfinity ? largest : 0;
}

/// The largest number, or 0 before any: an infinity less itself has to stay NaN.
float largest_or_zero(float largest) {
    return largest == -kInfinity ? 0 : largest;
}

/// Computes the largest number and the sum of exp(x - base) in one pass; `base_of` is the base for
/// a largest number.
TensorPass online_exp_sum(float (*base_of)(float)) {
    TensorPass pass;
    pass.states = 2;
    pass.first = {-kInfinity, 0};
    pass.step = [base_of](const PassState& s, float x, PassResults) {
        const float most = larger(s[0], x);
        const float base = base_of(most);
        return PassState{most, s[1] * exp_float(s[0] - base) + exp_float(x - base)};
    };
    pass.join = [base_of](const PassState& a, const PassState& b) {
        const float most = larger(a[0], b[0]);
        const float base = base_of(most);
        return PassState{most, a[1] * exp_float(a[0] - base) + b[1] * exp_float(b[0] - base)};
    };
    pass.end = [](const PassState& s, float, float* ends) {
        ends[0] = s[0];
        ends[1] = s[1];
    };
    pass.step_cost = pass.join_cost = kExp + kExp + OperatorCost{4, 0};
    return pass;
}

}  // namespace

void set_softmax(TensorFormula& f, bool logarithm, PassCount passes) {
    TensorPass sum = sum_pass(1);
    sum.step = [](const PassState& s, float x, PassResults ends) {
        return PassState{s[0] + exp_float(x - ends[0])};
    };
    sum.step_cost = kExp + OperatorCost{2, 0};
    const bool one = passes == PassCount::kOne;
    if (one) sum = online_exp_sum(largest_or_zero);
    if (logarithm) {
        sum.end = [one](const PassState& s, float, float* ends) {
            if (one) ends[0] = s[0];
            ends[1] = log_float(s[one ? 1 : 0]);
        };
        sum.end_cost = kLog;
        f.result = [](const float* x, PassResults ends) { return x[0] - ends[0] - ends[1]; };
        f.cost = {2, 0};
    } else {
        f.result = [](const float* x, PassResults ends) {
            return exp_float(x[0] - ends[0]) / ends[1];
        };
        f.cost = kExp + kOne + kDivision;
    }
    f.passes = {sum};
    if (!one) f.passes.insert(f.passes.begin(), max_pass());
    f.ends = 2;
}

/// log(sum(exp)) relative to the largest element, which prevents overflow.
void set_log_sum_exp(TensorFormula& f, PassCount passes) {
    TensorPass sum = sum_pass(1);
    sum.step = [](const PassState& s, float x, PassResults ends) {
        return PassState{s[0] + exp_float(x - finite_or_zero(ends[0]))};
    };
    sum.step_cost = kExp + OperatorCost{2, 0};
    const bool one = passes == PassCount::kOne;
    if (one) sum = online_exp_sum(finite_or_zero);
    sum.end = [one](const PassState& s, float, float* ends) {
        const float most = one ? s[0] : ends[0];
        ends[1] = log_float(s[one ? 1 : 0]) + finite_or_zero(most);
    };
    sum.end_cost = kLog + kOne;
    f.passes = {sum};
    if (!one) f.passes.insert(f.passes.begin(), max_pass());
    f.ends = 2;
}

/// x / (bias + alpha / size * squares) ^ beta, with the squares of the neighbouring channels.
void set_lrn(TensorFormula& f, const TensorOperation& o) {
    TensorPass squares = scalar_pass(
        0, [](float sum, float x) { return sum + x * x; }, plus);
    squares.end = [bias = o.gamma, share = o.alpha / static_cast<float>(o.window[0]),
                   beta = o.beta](const PassState& sum, float, float* ends) {
        ends[0] = static_cast<float>(pow_of(bias + share * sum[0], beta));
    };
    squares.end_cost = kLog + kExp + OperatorCost{12, 0};
    f.passes = {squares};
    f.ends = 1;
    f.first_operand = 1;
    f.cost = kDivision;
    f.maps = false;
    f.result = [](const float* x, PassResults ends) { return x[0] / ends[0]; };
}

namespace {

/// Mean and sum of squared deviations in one pass, as in layer_norm_kernel.cu of PyTorch 2.1
/// (cuWelfordOnlineSum, cuWelfordCombine): precise even if the mean is large.
TensorPass welford_pass(float epsilon) {
    TensorPass pass;
    pass.states = 3;
    pass.step = [](const PassState& s, float x, PassResults) {
        const float delta = x - s[0];
        const float count = s[2] + 1;
        const float mean = s[0] + delta * (1.0F / count);
        return PassState{mean, s[1] + delta * (x - mean), count};
    };
    pass.join = [](const PassState& a, const PassState& b) {
        const float count = a[2] + b[2];
        if (count == 0) return PassState{};
        const float share = 1.0F / count;
        const float delta = b[0] - a[0];
        const float of_a = a[2] * share, of_b = b[2] * share;
        return PassState{of_a * a[0] + of_b * b[0], a[1] + b[1] + delta * delta * a[2] * of_b,
                         count};
    };
    pass.end = [epsilon](const PassState& s, float count, float* ends) {
        ends[0] = s[0];
        ends[1] = 1.0F / std::sqrt(s[1] / count + epsilon);
    };
    pass.step_cost = {4, 0};
    pass.row_cost = kOne + kDivision;  // the count, and its reciprocal
    pass.join_cost = OperatorCost{9, 0} + kDivision;
    pass.end_cost = kDivision + kOne + kRoot + kDivision;
    return pass;
}

}  // namespace

namespace {

/// x divided by the root of the mean square, times a scale.
void set_root_mean_square(TensorFormula& f, const TensorOperation& o) {
    TensorPass squares = scalar_pass(
        0, [](float sum, float x) { return sum + x * x; }, plus);
    squares.end = [epsilon = o.beta](const PassState& sum, float count, float* ends) {
        ends[0] = 1.0F / std::sqrt(sum[0] / count + epsilon);
    };
    squares.end_cost = kDivision + kOne + kRoot + kDivision;
    f.passes = {squares};
    f.ends = 1;
    f.operands = static_cast<std::uint32_t>(o.operands.size());
    f.cost = {f.operands, 0};
    f.result = [n = f.operands](const float* x, PassResults ends) {
        const float y = x[0] * ends[0];
        return n > 1 ? y * x[1] : y;
    };
}

}  // namespace

void set_normalization(TensorFormula& f, const TensorOperation& o) {
    if (o.op == Op::kRmsNormalization) return set_root_mean_square(f, o);
    f.passes = {welford_pass(o.beta)};
    f.ends = 2;
    if (o.op == Op::kReduceInvStdDev) return;
    f.operands = static_cast<std::uint32_t>(o.operands.size());
    f.cost = {1 + f.operands, 0};
    f.result = [n = f.operands](const float* x, PassResults ends) {
        float y = (x[0] - ends[0]) * ends[1];
        if (n > 1) y = y * x[1];
        return n > 2 ? y + x[2] : y;
    };
}

}  // namespace tessera

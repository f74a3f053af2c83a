#include <algorithm>
#include <cmath>
#include <limits>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/tensor/tensor_golden.h"

// Operators according to ONNX's documentation (Operators.md), one element at a time.

namespace tessera {
namespace {

using Op = TensorOperator;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns NaN if either is a NaN, like numpy.
double larger(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
double smaller(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}

}  // namespace

std::int64_t TensorDefinition::size(std::size_t operand, std::size_t d) const {
    return static_cast<std::int64_t>(o_.operands[operand][d]);
}

double TensorDefinition::get(std::size_t operand, const ElementIndex& at) const {
    std::size_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
        index = index * o_.operands[operand][d] + static_cast<std::size_t>(at[d]);
    }
    return values_[operand][index];
}

double TensorDefinition::broadcast(std::size_t operand, const ElementIndex& at) const {
    const TensorShape& shape = o_.operands[operand];
    ElementIndex own(at.end() - static_cast<std::ptrdiff_t>(shape.size()), at.end());
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) own[d] = 0;
    }
    return get(operand, own);
}

/// Calls `use` with each element that equals `at` in all axes except `axes`, from `depth` on.
template <class Use>
void TensorDefinition::each(ElementIndex& at, std::size_t depth,
                            const std::vector<std::uint32_t>& axes, const Use& use) const {
    if (depth == axes.size()) return use(get(0, at));
    for (std::int64_t i = 0; i < size(0, axes[depth]); ++i) {
        at[axes[depth]] = i;
        each(at, depth + 1, axes, use);
    }
}

const TensorDefinition::Row& TensorDefinition::row(ElementIndex at) const {
    std::vector<std::uint32_t> axes = o_.axes;
    if (o_.op == Op::kInstanceNormalization) {
        axes.clear();
        for (std::uint32_t d = 1; d < at.size(); ++d) {
            if (d != o_.axes[0]) axes.push_back(d);
        }
    }
    for (const std::uint32_t axis : axes) at[axis] = 0;
    const auto [known, is_new] = rows_.try_emplace(at);
    Row& row = known->second;
    if (!is_new) return row;
    row.most = -kInfinity;
    row.least = kInfinity;
    each(at, 0, axes, [&row](double x) {
        ++row.n;
        row.sum += x;
        row.product *= x;
        row.magnitude += std::fabs(x);
        row.squares += x * x;
        row.most = larger(row.most, x);
        row.least = smaller(row.least, x);
    });
    each(at, 0, axes, [&row](double x) {
        const double d = x - row.sum / row.n;
        row.exponentials += std::exp(x - row.most);
        row.deviations += d * d;
    });
    return row;
}

TensorReference TensorDefinition::element(std::size_t result, std::uint64_t index) const {
    const TensorShape& shape = shapes_[result];
    ElementIndex at(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        at[d] = static_cast<std::int64_t>(index % shape[d]);
        index /= shape[d];
    }
    if (is_sum_of_bytes(o_)) return sum_of_bytes(broadcast(0, at), broadcast(1, at));
    if (is_binary(o_.op)) return binary(broadcast(0, at), broadcast(1, at));
    if (is_of_several(o_.op)) return several(at);
    if (is_quantization(o_.op)) return quantization(at);
    if (is_recurrent(o_.op)) return recurrent(at);
    if (o_.op == Op::kLrn) return lrn(at);
    if (is_reduction(o_.op)) return reduction(at);
    if (is_pool(o_.op)) return pool(at);
    if (is_normalization(o_.op)) return normalization(at);
    if (is_row_wise(o_.op)) return softmax(at);
    switch (o_.op) {
        case Op::kBatchNormalization:
            return batch_normalization(at);
        case Op::kResize:
            return resize(at);
        case Op::kPad:
            return pad(at);
        default:
            break;
    }
    if (is_in(o_.op, Op::kTranspose, Op::kExpand)) return copy(result, at);
    return unary(get(0, at));
}

TensorReference TensorDefinition::copy(std::size_t result, ElementIndex at) const {
    switch (o_.op) {
        case Op::kTranspose: {
            ElementIndex from(at.size());
            for (std::size_t d = 0; d < at.size(); ++d) from[o_.order[d]] = at[d];
            return exact(get(0, from));
        }
        case Op::kSlice:
            for (std::size_t d = 0; d < at.size(); ++d) at[d] = o_.begins[d] + at[d] * o_.steps[d];
            return exact(get(0, at));
        case Op::kConcat: {
            std::size_t i = 0;
            while (at[o_.axes[0]] >= size(i, o_.axes[0])) at[o_.axes[0]] -= size(i++, o_.axes[0]);
            return exact(get(i, at));
        }
        case Op::kGather: {
            std::uint64_t index = 0;
            for (std::size_t d = 0; d < o_.sizes.size(); ++d) {
                index = index * o_.sizes[d] + static_cast<std::uint64_t>(at[o_.axes[0] + d]);
            }
            const auto first = at.begin() + o_.axes[0];
            const auto row = static_cast<std::int64_t>(gathered_index(o_, index));
            at.insert(at.erase(first, first + static_cast<std::ptrdiff_t>(o_.sizes.size())), row);
            return exact(get(0, at));
        }
        case Op::kGatherElements: {
            std::uint64_t index = 0;
            for (std::size_t d = 0; d < at.size(); ++d) {
                index = index * o_.sizes[d] + static_cast<std::uint64_t>(at[d]);
            }
            at[o_.axes[0]] = static_cast<std::int64_t>(gathered_index(o_, index));
            return exact(get(0, at));
        }
        case Op::kSplit:
            for (std::size_t i = 0; i < result; ++i) {
                at[o_.axes[0]] += static_cast<std::int64_t>(o_.results[i][o_.axes[0]]);
            }
            return exact(get(0, at));
        default:
            return exact(broadcast(0, at));
    }
}

TensorReference TensorDefinition::batch_normalization(const ElementIndex& at) const {
    const auto channel = static_cast<std::size_t>(at[o_.axes[0]]);
    const double x = get(0, at), mean = values_[3][channel];
    const double root = std::sqrt(double{values_[4][channel]} + double{o_.beta});
    const double scale = values_[1][channel] / root, bias = values_[2][channel];
    return {(x - mean) * scale + bias,
            (std::fabs(x) + std::fabs(mean)) * std::fabs(scale) + std::fabs(bias)};
}

TensorReference TensorDefinition::unary(double x) const {
    const double a = o_.alpha, b = o_.beta;
    const auto of = [](double value, double magnitude) {
        return TensorReference{value, magnitude};
    };
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    switch (o_.op) {
        case Op::kRelu:
            return exact(x < 0 ? 0 : x);
        case Op::kLeakyRelu:
            return of(x < 0 ? a * x : x, std::fabs(a * x));
        case Op::kClip:
            return exact(b < (x < a ? a : x) ? b : x < a ? a : x);
        case Op::kSigmoid:
            return of(sigmoid(x), (1 + std::fabs(x)) * sigmoid(x));
        case Op::kHardSigmoid:
            return of(std::clamp(a * x + b, 0.0, 1.0), std::fabs(a * x) + std::fabs(b));
        case Op::kHardSwish:
            return of(x * std::clamp(x / 6 + 0.5, 0.0, 1.0), std::fabs(x) * (1 + std::fabs(x)));
        case Op::kSwish:
            return of(x / (1 + std::exp(-x)), std::fabs(x) * (1 + std::fabs(x)));
        case Op::kTanh:
            return of(std::tanh(x), std::fabs(x));
        case Op::kErf:
            return of(std::erf(x), std::fabs(x));
        case Op::kGelu: {
            const double cubic = 0.7978845608028654 * (x + 0.044715 * x * x * x);
            const double share = a != 0 ? std::tanh(cubic) : std::erf(x * 0.7071067811865476);
            return of(0.5 * x * (1 + share), std::fabs(x) * (1 + std::fabs(x)));
        }
        case Op::kExp:
            return of(std::exp(x), std::exp(x));
        case Op::kLog:
            return of(std::log(x), std::fabs(std::log(x)));
        case Op::kSqrt:
            return of(std::sqrt(x), std::sqrt(std::fabs(x)));
        case Op::kReciprocal:
            return of(1 / x, std::fabs(1 / x));
        case Op::kNeg:
            return exact(-x);
        case Op::kAbs:
            return exact(std::fabs(x));
        case Op::kFloor:
            return exact(std::floor(x));
        case Op::kCeil:
            return exact(std::ceil(x));
        case Op::kRound:
            return exact(std::rint(x));
        case Op::kSign:
            return exact(x > 0 ? 1 : x < 0 ? -1 : x);
        case Op::kSin:
            return of(std::sin(x), 1);
        case Op::kCos:
            return of(std::cos(x), 1);
        case Op::kElu:
            return of(x < 0 ? a * std::expm1(x) : x, std::fabs(a * std::expm1(std::min(x, 0.0))));
        case Op::kCelu: {
            const double below = smaller(0.0, a * std::expm1(x / a));
            return of(larger(0.0, x) + below,
                      std::fabs(x) + std::fabs(below) * (1 + std::fabs(x / a)));
        }
        case Op::kSelu:
            return of(b * (x < 0 ? a * std::expm1(x) : x), std::fabs(b * x) * (1 + std::fabs(a)));
        case Op::kSoftplus:
            return of(std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0), std::fabs(x) + 1);
        case Op::kSoftsign:
            return of(x / (1 + std::fabs(x)), std::fabs(x));
        case Op::kMish: {
            const double softplus = std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0);
            return of(x * std::tanh(softplus), std::fabs(x) * (2 + std::fabs(x)));
        }
        case Op::kThresholdedRelu:
            return exact(x > a ? x : 0);
        default:
            return exact(x);
    }
}

TensorReference TensorDefinition::several(const ElementIndex& at) const {
    if (o_.op == Op::kWhere) {
        return exact(broadcast(broadcast(0, at) != 0 ? 1 : 2, at));
    }
    double sum = 0, magnitude = 0;
    for (std::size_t i = 0; i < o_.operands.size(); ++i) {
        sum += broadcast(i, at);
        magnitude += std::fabs(broadcast(i, at));
    }
    const double n = o_.alpha != 0 ? o_.alpha : static_cast<double>(o_.operands.size());
    return o_.op == Op::kMean ? TensorReference{sum / n, magnitude / std::fabs(n)}
                              : TensorReference{sum, magnitude};
}

/// Products, sum and quotient are of FP32, as ONNX has them; what follows is exact.
TensorReference TensorDefinition::sum_of_bytes(double x, double y) const {
    const auto real = [&](double whole, std::size_t of) {
        return static_cast<float>((whole - double{o_.scales[of + 1]}) * double{o_.scales[of]});
    };
    const auto sum = static_cast<float>(double{real(x, 0)} + double{real(y, 2)});
    const auto quotient = static_cast<float>(double{sum} / double{o_.scales[4]});
    return exact(std::clamp(std::rint(double{quotient}) + double{o_.scales[5]},
                            double{o_.scales[6]}, double{o_.scales[7]}));
}

/// ONNX's quotient has the type of the scale; what follows is exact.
TensorReference TensorDefinition::quantization(const ElementIndex& at) const {
    const double x = get(0, at), scale = broadcast(1, at);
    const double zero = o_.operands.size() > 2 ? broadcast(2, at) : 0;
    if (o_.op == Op::kDequantizeLinear) return {(x - zero) * scale, std::fabs((x - zero) * scale)};
    const auto quotient = static_cast<float>(x / scale);
    const double stored =
        o_.alpha != 0 ? rounded(quotient, format_of(o_.operand_type(0))) : quotient;
    const bool is_signed = o_.result_type() == TensorType::kInt8;
    if (std::isnan(stored)) return exact(is_signed ? -128 : 0);
    return exact(
        std::clamp(std::rint(stored) + zero, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0));
}

/// ONNX's gate order: an LSTM has input, output, forget and cell, a GRU update, reset and hidden.
TensorReference TensorDefinition::recurrent(const ElementIndex& at) const {
    const std::size_t n = o_.operands.size();
    const auto hidden = static_cast<std::int64_t>(shapes_[0][1]);
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    const auto gate = [&](std::size_t operand, std::int64_t which) {
        return get(operand, {at[0], which * hidden + at[1]});
    };
    const auto peephole = [&](std::int64_t which, double cell) {
        return n > 2 ? get(2, {which * hidden + at[1]}) * cell : 0;
    };
    switch (o_.op) {
        case Op::kLstmCell: {
            const double cell = get(1, at);
            const double in = sigmoid(gate(0, 0) + peephole(0, cell));
            const double forget = o_.gamma != 0 ? 1 - in : sigmoid(gate(0, 2) + peephole(2, cell));
            const double magnitude = 2 + std::fabs(cell);
            const double sums = 1 + std::fabs(gate(0, 0)) + std::fabs(gate(0, 2)) +
                                std::fabs(peephole(0, cell)) + std::fabs(peephole(2, cell));
            return {forget * cell + in * std::tanh(gate(0, 3)), magnitude * sums};
        }
        case Op::kLstmHidden: {
            const double cell = get(1, at), sum = gate(0, 1) + peephole(1, cell);
            return {sigmoid(sum) * std::tanh(cell),
                    1 + std::fabs(gate(0, 1)) + std::fabs(peephole(1, cell))};
        }
        case Op::kGruReset: {
            const double state = get(2, at);
            return {sigmoid(gate(0, 1) + gate(1, 1)) * state,
                    std::fabs(state) * (1 + std::fabs(gate(0, 1)) + std::fabs(gate(1, 1)))};
        }
        default: {
            const double state = get(n - 1, at);
            const double update = sigmoid(gate(0, 0) + gate(1, 0));
            const double of_state =
                n == 3 ? sigmoid(gate(0, 1) + gate(1, 1)) * gate(1, 2) : get(2, at);
            const double value = (1 - update) * std::tanh(gate(0, 2) + of_state) + update * state;
            const double sums = 1 + std::fabs(gate(0, 0)) + std::fabs(gate(1, 0)) +
                                std::fabs(gate(0, 1)) + std::fabs(gate(1, 1)) +
                                std::fabs(gate(0, 2)) + std::fabs(of_state);
            return {value, (1 + std::fabs(state)) * sums * (1 + std::fabs(of_state))};
        }
    }
}

TensorReference TensorDefinition::lrn(const ElementIndex& at) const {
    const std::uint32_t channel = o_.axes[0];
    const auto size = static_cast<std::int64_t>(o_.window[0]);
    double squares = 0;
    for (std::int64_t i = 0; i < size; ++i) {
        ElementIndex from = at;
        from[channel] += i - (size - 1) / 2;
        if (from[channel] < 0 || from[channel] >= this->size(0, channel)) continue;
        squares += get(0, from) * get(0, from);
    }
    const double base = double{o_.gamma} + double{o_.alpha} / static_cast<double>(size) * squares;
    const double value = get(0, at) / std::pow(base, double{o_.beta});
    // The error of the base is one rounding per square, of the larger of its two parts.
    const double parts = std::fabs(o_.gamma) + std::fabs(base - double{o_.gamma});
    const double share = static_cast<double>(size) * parts / std::fabs(base);
    return {value, std::fabs(value) * (1 + std::fabs(o_.beta) * (1 + share))};
}

TensorReference TensorDefinition::binary(double x, double y) const {
    switch (o_.op) {
        case Op::kPRelu:
            return {x < 0 ? x * y : x, std::fabs(x * y)};
        case Op::kAdd:
            return {x + y, std::fabs(x + y)};
        case Op::kSub:
            return {x - y, std::fabs(x - y)};
        case Op::kMul:
            return {x * y, std::fabs(x * y)};
        case Op::kDiv:
            return {x / y, std::fabs(x / y)};
        case Op::kMin:
            return exact(smaller(x, y));
        case Op::kMax:
            return exact(larger(x, y));
        case Op::kMod:
            return exact(std::fmod(x, y));
        case Op::kSwiGlu: {
            const double value = x / (1 + std::exp(-x)) * y;
            return {value, std::fabs(value)};
        }
        default:
            return {std::pow(x, y), std::fabs(std::pow(x, y))};
    }
}

TensorReference TensorDefinition::reduction(const ElementIndex& at) const {
    const Row& r = row(at);
    switch (o_.op) {
        case Op::kReduceMax:
            return exact(r.most);
        case Op::kReduceMin:
            return exact(r.least);
        case Op::kReduceMean:
            return {r.sum / r.n, r.magnitude};
        case Op::kReduceProd:
            return {r.product, r.n * std::fabs(r.product)};
        case Op::kReduceL1:
            return {r.magnitude, r.n * r.magnitude};
        case Op::kReduceL2:
            return {std::sqrt(r.squares), r.n * std::sqrt(r.squares)};
        case Op::kReduceSumSquare:
            return {r.squares, r.n * r.squares};
        case Op::kReduceLogSum:
            return {std::log(r.sum),
                    std::fabs(std::log(r.sum)) + r.n * r.magnitude / std::fabs(r.sum)};
        case Op::kReduceLogSumExp: {
            // With an infinite or NaN extreme the sum equals it.
            const double value = std::isfinite(r.most) ? r.most + std::log(r.exponentials) : r.most;
            return {value, std::fabs(value) + std::fabs(r.most) + std::log(r.n) + r.n};
        }
        case Op::kReduceInvStdDev: {
            const double deviation = std::sqrt(r.deviations / r.n + double{o_.beta});
            // The error of the mean is a rounding of the sum of magnitudes.
            return {1 / deviation, (r.n + 8 + r.magnitude / deviation) / deviation};
        }
        default:
            return {r.sum, r.n * r.magnitude};
    }
}

TensorReference TensorDefinition::softmax(const ElementIndex& at) const {
    const Row& r = row(at);
    const double x = get(0, at) - r.most;
    if (o_.op == Op::kLogSoftmax) {
        const double logarithm = std::log(r.exponentials);
        return {x - logarithm, std::fabs(x) + logarithm + r.n + std::fabs(r.most)};
    }
    const double y = std::exp(x) / r.exponentials;
    return {y, y * (r.n + std::fabs(x) + 4)};
}

TensorReference TensorDefinition::normalization(const ElementIndex& at) const {
    const Row& r = row(at);
    if (o_.op == Op::kRmsNormalization) {
        const ElementIndex inner(at.end() - static_cast<std::ptrdiff_t>(o_.axes.size()), at.end());
        const double factor = o_.operands.size() > 1 ? get(1, inner) : 1;
        const double value = get(0, at) / std::sqrt(r.squares / r.n + double{o_.beta}) * factor;
        return {value, (r.n + 8) * std::fabs(value)};
    }
    const double deviation = std::sqrt(r.deviations / r.n + double{o_.beta});
    double scale = 1, bias = 0;
    if (o_.op == Op::kInstanceNormalization) {
        const auto channel = static_cast<std::size_t>(at[o_.axes[0]]);
        scale = values_[1][channel];
        bias = values_[2][channel];
    } else {
        const ElementIndex inner(at.end() - static_cast<std::ptrdiff_t>(o_.axes.size()), at.end());
        if (o_.operands.size() > 1) scale = get(1, inner);
        if (o_.operands.size() > 2) bias = get(2, inner);
    }
    const double x = get(0, at) - r.sum / r.n;
    // The error of the mean is n roundings of the sum of magnitudes, the only term left if all
    // elements are equal.
    const double off = (std::fabs(x) + r.magnitude) / deviation;
    return {x / deviation * scale + bias, (r.n + 8) * off * std::fabs(scale) + std::fabs(bias)};
}

}  // namespace tessera

// Elementwise operators on numbers, some with broadcasting.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

double one_each(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    return static_cast<double>(outputs[0].elements());
}

/// Integer arithmetic modulo 2^64. ONNX leaves overflow undefined; other implementations wrap, too.
template <class Combine>
std::int64_t wrapped(std::int64_t a, std::int64_t b, const Combine& combine) {
    return static_cast<std::int64_t>(
        combine(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

// Operators with one operand

/// A function of an element and up to two attributes.
struct Unary {
    const char* name;
    float (*apply)(float x, float first, float second);
    const char* first = nullptr;  ///< attribute names, with ONNX's defaults
    float first_default = 0;
    const char* second = nullptr;
    float second_default = 0;
};

/// Clamps the value to [low, high]; NaN stays NaN, as in all operators here.
float clamped(float x, float low, float high) {
    const float raised = x < low ? low : x;
    return high < raised ? high : raised;
}

float sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}

constexpr float kSqrtHalf = 0.70710678118654752440F;

float softplus(float x) {
    return std::max(x, 0.0F) + std::log1p(std::exp(-std::fabs(x)));
}

/// Gelu, or its approximation by tanh.
float gelu(float x, bool by_tanh) {
    if (!by_tanh) return 0.5F * x * (1.0F + std::erf(x * kSqrtHalf));
    constexpr float kSqrtTwoOverPi = 0.79788456080286535588F;
    return 0.5F * x * (1.0F + std::tanh(kSqrtTwoOverPi * (x + 0.044715F * x * x * x)));
}

const Unary kUnary[] = {
    {"Abs", [](float x, float, float) { return std::fabs(x); }},
    {"Ceil", [](float x, float, float) { return std::ceil(x); }},
    {"Celu",
     [](float x, float alpha, float) {
         return std::max(x, 0.0F) + std::min(alpha * std::expm1(x / alpha), 0.0F);
     },
     "alpha", 1},
    {"Cos", [](float x, float, float) { return std::cos(x); }},
    {"Elu", [](float x, float alpha, float) { return x < 0 ? alpha * std::expm1(x) : x; }, "alpha",
     1},
    {"Erf", [](float x, float, float) { return std::erf(x); }},
    {"Exp", [](float x, float, float) { return std::exp(x); }},
    {"Floor", [](float x, float, float) { return std::floor(x); }},
    // recognise_patterns() makes Gelu in graphs of any set. run_unary() sets the parameter.
    {"Gelu", [](float x, float by_tanh, float) { return gelu(x, by_tanh != 0); }},
    {"HardSigmoid",
     [](float x, float alpha, float beta) { return clamped(alpha * x + beta, 0, 1); }, "alpha",
     0.2F, "beta", 0.5F},
    {"HardSwish", [](float x, float, float) { return x * clamped(x / 6.0F + 0.5F, 0, 1); }},
    {"LeakyRelu", [](float x, float alpha, float) { return x < 0 ? alpha * x : x; }, "alpha",
     0.01F},
    {"Log", [](float x, float, float) { return std::log(x); }},
    {"Mish", [](float x, float, float) { return x * std::tanh(softplus(x)); }},
    {"Neg", [](float x, float, float) { return -x; }},
    {"Reciprocal", [](float x, float, float) { return 1.0F / x; }},
    {"Relu", [](float x, float, float) { return x < 0 ? 0.0F : x; }},
    {"Round", [](float x, float, float) { return std::nearbyint(x); }},
    {"Selu",
     [](float x, float alpha, float gamma) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); },
     "alpha", 1.67326319217681884765625F, "gamma", 1.05070102214813232421875F},
    {"Sigmoid", [](float x, float, float) { return sigmoid(x); }},
    {"Sign", [](float x, float, float) { return x > 0   ? 1.0F
                                                : x < 0 ? -1.0F
                                                        : x; }},
    {"Sin", [](float x, float, float) { return std::sin(x); }},
    {"Softplus", [](float x, float, float) { return softplus(x); }},
    {"Softsign", [](float x, float, float) { return x / (1.0F + std::fabs(x)); }},
    {"Sqrt", [](float x, float, float) { return std::sqrt(x); }},
    {"Swish", [](float x, float, float) { return x * sigmoid(x); }},
    {"Tanh", [](float x, float, float) { return std::tanh(x); }},
    {"ThresholdedRelu", [](float x, float alpha, float) { return x > alpha ? x : 0.0F; }, "alpha",
     1},
};

/// Whether the operator is defined on integers, too: computations of shapes and axes need it.
bool takes_integers(const OperatorCall& call) {
    const std::string& name = call.node->operation;
    const bool defined = name == "Abs" || name == "Neg" || name == "Sign" ||
                         (name == "Relu" && call.node->version >= 14);
    return defined && call.type(0).type != ElementType::kBool;
}

std::vector<TensorType> infer_unary(const OperatorCall& call) {
    if (!takes_integers(call)) call.expect_real(0);
    if (call.node->operation == "Gelu") (void)is_gelu_by_tanh(call);
    return {call.type(0)};
}

void run_unary_on_integers(const OperatorCall& call, Tensor& out) {
    const std::string& name = call.node->operation;
    for (std::size_t i = 0; i < out.integers.size(); ++i) {
        const std::int64_t x = call.indices(0)[i];
        const std::int64_t negated = wrapped(0, x, std::minus<>());
        out.integers[i] = name == "Neg"    ? negated
                          : name == "Relu" ? std::max<std::int64_t>(x, 0)
                          : name == "Sign" ? (x > 0   ? 1
                                              : x < 0 ? -1
                                                      : 0)
                          : x < 0          ? negated
                                           : x;
    }
}

void run_unary(const OperatorCall& call, std::vector<Tensor>& outputs) {
    if (!is_real(call.type(0).type)) {
        run_unary_on_integers(call, outputs[0]);
        return;
    }
    const auto* row = std::find_if(std::begin(kUnary), std::end(kUnary), [&](const Unary& unary) {
        return call.node->operation == unary.name;
    });
    const auto parameter = [&](const char* name, float otherwise) {
        return name == nullptr ? otherwise : call.attributes().real(name, otherwise);
    };
    float first = parameter(row->first, row->first_default);
    if (call.node->operation == "Gelu") first = is_gelu_by_tanh(call) ? 1 : 0;
    const float second = parameter(row->second, row->second_default);
    const auto apply = row->apply;
    std::transform(call.reals(0).begin(), call.reals(0).end(), outputs[0].reals.begin(),
                   [=](float x) { return apply(x, first, second); });
}

// Operators with several operands, broadcast and combined from left to right

struct Combination {
    const char* name;
    float (*reals)(float a, float b);
    std::int64_t (*integers)(std::int64_t a, std::int64_t b);  ///< null: real numbers only
    bool mean = false;
};

std::int64_t power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    std::uint64_t result = 1;
    auto square = static_cast<std::uint64_t>(base);
    for (; exponent > 0; exponent /= 2, square *= square) {
        if (exponent % 2 != 0) result *= square;
    }
    return static_cast<std::int64_t>(result);
}

/// ONNX leaves division by zero undefined; the result here is 0.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (b == 0) return 0;
    return b == -1 ? wrapped(0, a, std::minus<>()) : a / b;
}

/// The result has the divisor's sign, as in Python.
std::int64_t remainder(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// The result has the dividend's sign, as in C.
std::int64_t truncated_remainder(std::int64_t a, std::int64_t b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

const Combination kCombinations[] = {
    {"Add", [](float a, float b) { return a + b; },
     [](std::int64_t a, std::int64_t b) { return wrapped(a, b, std::plus<>()); }},
    {"Div", [](float a, float b) { return a / b; }, quotient},
    {"Max", [](float a, float b) { return a < b || std::isnan(b) ? b : a; },
     [](std::int64_t a, std::int64_t b) { return std::max(a, b); }},
    {"Mean", [](float a, float b) { return a + b; }, nullptr, true},
    {"Min", [](float a, float b) { return b < a || std::isnan(b) ? b : a; },
     [](std::int64_t a, std::int64_t b) { return std::min(a, b); }},
    {"Mod", [](float a, float b) { return std::fmod(a, b); }, remainder},
    {"Mul", [](float a, float b) { return a * b; },
     [](std::int64_t a, std::int64_t b) { return wrapped(a, b, std::multiplies<>()); }},
    {"Pow", [](float a, float b) { return std::pow(a, b); }, power},
    {"PRelu", [](float a, float b) { return a < 0 ? a * b : a; }, nullptr},
    {"Sub", [](float a, float b) { return a - b; },
     [](std::int64_t a, std::int64_t b) { return wrapped(a, b, std::minus<>()); }},
    {"Sum", [](float a, float b) { return a + b; }, nullptr},
};

std::vector<TensorType> infer_combination(const OperatorCall& call) {
    const std::string& name = call.node->operation;
    const auto* row =
        std::find_if(std::begin(kCombinations), std::end(kCombinations),
                     [&](const Combination& combination) { return name == combination.name; });
    if (row->integers == nullptr || call.type(0).type == ElementType::kBool) call.expect_real(0);
    for (std::size_t input = 1; input < call.inputs(); ++input) {
        if (name != "Pow") {  // only Pow allows two types
            call.expect_same_type(0, input);
        }
    }
    if (name == "Mod" && is_real(call.type(0).type) && call.attributes().integer("fmod") != 1) {
        call.fail("fmod: got 0, expected 1 for real numbers");
    }
    if (name == "PRelu") {
        expect_broadcast(call, 1, call.shape(0));
        return {call.type(0)};
    }
    return {{call.type(0).type, broadcast_shape(call)}};
}

double flop_of_combination(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    return static_cast<double>(outputs[0].elements()) *
           static_cast<double>(std::max<std::size_t>(call.inputs() - 1, 1));
}

template <class Element, class Combine>
void combine(const OperatorCall& call, std::vector<Element>& out, const Shape& shape,
             std::vector<Element> Tensor::*values, const Combine& apply) {
    const std::vector<Element>& first = call.tensor(0).*values;
    walk(shape, broadcast_strides(call.shape(0), shape),
         [&](std::size_t i, std::size_t from) { out[i] = first[from]; });
    for (std::size_t input = 1; input < call.inputs(); ++input) {
        const std::vector<Element>& next = call.tensor(input).*values;
        walk(shape, broadcast_strides(call.shape(input), shape),
             [&](std::size_t i, std::size_t from) { out[i] = apply(out[i], next[from]); });
    }
}

/// Pow of a real base and an integer exponent, or the reverse.
void run_mixed_power(const OperatorCall& call, Tensor& out) {
    const Shape& shape = out.type.shape;
    const bool real_base = is_real(out.type.type);
    std::vector<double> bases(out.elements());
    walk(shape, broadcast_strides(call.shape(0), shape), [&](std::size_t i, std::size_t from) {
        bases[i] = real_base ? call.reals(0)[from] : static_cast<double>(call.indices(0)[from]);
    });
    walk(shape, broadcast_strides(call.shape(1), shape), [&](std::size_t i, std::size_t from) {
        if (real_base) {
            out.reals[i] =
                static_cast<float>(std::pow(bases[i], static_cast<double>(call.indices(1)[from])));
        } else {
            out.integers[i] = to_integer(std::pow(bases[i], call.reals(1)[from]), out.type.type);
        }
    });
}

void run_combination(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const auto* row = std::find_if(
        std::begin(kCombinations), std::end(kCombinations),
        [&](const Combination& combination) { return call.node->operation == combination.name; });
    Tensor& out = outputs[0];
    if (call.node->operation == "Pow" && is_real(call.type(0).type) != is_real(call.type(1).type)) {
        run_mixed_power(call, out);
        return;
    }
    if (!is_real(out.type.type)) {
        if (call.attributes().integer("fmod") != 0) {
            combine(call, out.integers, out.type.shape, &Tensor::integers, truncated_remainder);
            return;
        }
        combine(call, out.integers, out.type.shape, &Tensor::integers, row->integers);
        return;
    }
    combine(call, out.reals, out.type.shape, &Tensor::reals, row->reals);
    if (!row->mean) return;
    for (float& value : out.reals) value /= static_cast<float>(call.inputs());
}

// Clip: bounds are attributes up to operator set 10 and inputs from 11 on

std::vector<TensorType> infer_clip(const OperatorCall& call) {
    if (call.node->version < 12 || call.type(0).type == ElementType::kBool) call.expect_real(0);
    for (const std::size_t bound : {1U, 2U}) {
        if (!call.has(bound)) continue;
        call.expect_same_type(0, bound);
        if (call.type(bound).elements() != 1) {
            call.fail_input(
                bound, "got shape " + shape_text(call.shape(bound)) + ", expected one element");
        }
    }
    return {call.type(0)};
}

void run_clip(const OperatorCall& call, std::vector<Tensor>& outputs) {
    if (!is_real(call.type(0).type)) {
        auto [low, high] = integer_range(call.type(0).type);
        if (call.has(1)) low = call.indices(1)[0];
        if (call.has(2)) high = call.indices(2)[0];
        std::transform(
            call.indices(0).begin(), call.indices(0).end(), outputs[0].integers.begin(),
            [low = low, high = high](std::int64_t x) { return std::min(std::max(x, low), high); });
        return;
    }
    const std::pair<float, float> bounds = clip_bounds(call);
    std::transform(call.reals(0).begin(), call.reals(0).end(), outputs[0].reals.begin(),
                   [=](float x) { return clamped(x, bounds.first, bounds.second); });
}

}  // namespace

bool is_gelu_by_tanh(const OperatorCall& call) {
    const std::string way = call.attributes().text("approximate", "none");
    if (way != "none" && way != "tanh") {
        call.fail("approximate: got '" + way + "', expected one of {none, tanh}");
    }
    return way == "tanh";
}

std::pair<float, float> clip_bounds(const OperatorCall& call) {
    const auto bound = [&](const char* attribute, std::size_t input, float otherwise) {
        return call.has(input) ? call.reals(input)[0]
                               : call.attributes().real(attribute, otherwise);
    };
    // A missing bound defaults to the limit of the type.
    constexpr float kLargestHalf = 65504, kLargestBf16 = 0x1.fep127F;
    const ElementType type = call.type(0).type;
    const float most = type == ElementType::kHalf   ? kLargestHalf
                       : type == ElementType::kBf16 ? kLargestBf16
                                                    : std::numeric_limits<float>::max();
    return {bound("min", 1, -most), bound("max", 2, most)};
}

std::vector<Operator> elementwise_operators() {
    std::vector<Operator> all = {{"Clip", WorkKind::kElementwise, infer_clip, run_clip, one_each}};
    for (const Unary& unary : kUnary) {
        all.push_back({unary.name, WorkKind::kElementwise, infer_unary, run_unary, one_each});
    }
    for (const Combination& combination : kCombinations) {
        all.push_back({combination.name, WorkKind::kElementwise, infer_combination, run_combination,
                       flop_of_combination});
    }
    return all;
}

}  // namespace tessera::network

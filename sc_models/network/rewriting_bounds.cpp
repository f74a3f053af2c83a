#include "sc_models/network/rewriting_bounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/attention_bounds.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/rounding_errors.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

enum class Rewriting {
    kNone,
    kUnary,
    kLayerNormalization,
    kRmsNormalization,
    kAttention,
    kBatchNormalization,
    kTakenApart,
    kIntegers
};

bool is_taken_apart(const Node& node) {
    const WorkKind kind = find_operator(node.operation)->kind;
    return kind == WorkKind::kRecurrent || kind == WorkKind::kComposite;
}

Rewriting kind_of(const RewrittenNode& r) {
    const std::string& name = r.node.operation;
    if (name == r.last.operation) return Rewriting::kNone;
    if (is_taken_apart(r.last)) return Rewriting::kTakenApart;
    if (is_quantized_product(r.node)) return Rewriting::kIntegers;
    if (name == "Gelu" || name == "Swish" || name == "HardSwish") return Rewriting::kUnary;
    if (name == "RMSNormalization") return Rewriting::kRmsNormalization;
    if (name == "Attention") return Rewriting::kAttention;
    if (name == "LayerNormalization") return Rewriting::kLayerNormalization;
    const bool folded = r.last.operation == "BatchNormalization" && r.product != nullptr &&
                        r.product->operation == name;
    return folded ? Rewriting::kBatchNormalization : Rewriting::kNone;
}

std::vector<double> unary_bounds(const RewrittenNode& r) {
    const std::vector<float>& x = r.tensor_of(r.node.inputs[0])->reals;
    std::vector<double> bounds(r.result.reals.size());
    for (std::size_t i = 0; i < bounds.size() && i < x.size(); ++i) {
        bounds[i] = kRoundings * rounding_of(r.result) * magnitude_of(x[i]);
    }
    return bounds;
}

/// The mean is rounded before it is subtracted from x, so an error of x's magnitude is divided by
/// the deviation. The deviation's error is as large, times the normalized element.
std::vector<double> layer_normalization_bounds(const RewrittenNode& r) {
    const Tensor& x = *r.tensor_of(r.node.inputs[0]);
    const std::vector<float>& scale = r.tensor_of(r.node.inputs[1])->reals;
    const std::vector<float>& shift = r.tensor_of(r.node.inputs[2])->reals;
    const double epsilon = r.node.attributes.real("epsilon", 1e-5F);
    const double rounding = kRoundings * rounding_of(r.result);
    const std::size_t row = scale.size();
    std::vector<double> bounds(r.result.reals.size());
    for (std::size_t first = 0; first + row <= std::min(bounds.size(), x.reals.size());
         first += row) {
        const float* values = &x.reals[first];
        double sum = 0, largest = 0, squares = 0;
        for (std::size_t i = 0; i < row; ++i) {
            sum += values[i];
            largest = std::max(largest, magnitude_of(values[i]));
        }
        const double mean = sum / static_cast<double>(row);
        for (std::size_t i = 0; i < row; ++i) {
            squares += (values[i] - mean) * (values[i] - mean);
        }
        const double deviation = std::sqrt(squares / static_cast<double>(row) + epsilon);
        for (std::size_t i = 0; i < row; ++i) {
            const double normalized = std::fabs(values[i] - mean) / deviation;
            bounds[first + i] =
                rounding * (largest / deviation * (1 + normalized) * magnitude_of(scale[i]) +
                            magnitude_of(shift[i]));
        }
    }
    return bounds;
}

/// The root has the relative error of a sum of squares, and the element those of products.
std::vector<double> rms_normalization_bounds(const RewrittenNode& r) {
    constexpr double kLambda = 8;  // Higham and Mary's lambda
    const auto row = static_cast<double>(r.tensor_of(r.node.inputs[1])->elements());
    const double relative =
        kRoundings * rounding_of(r.result) + kLambda * std::sqrt(row) * kFloatRounding;
    std::vector<double> bounds;
    for (const float x : r.result.reals) bounds.push_back(relative * magnitude_of(x));
    return bounds;
}

/// A Conv, ConvTranspose or Gemm with the scale of a BatchNormalization folded into its weights.
class FoldedProduct {
public:
    explicit FoldedProduct(const RewrittenNode& r)
        : r_(r),
          weights_(*r.tensor_of(r.node.inputs[1])),
          transposed_(r.node.operation == "ConvTranspose"),
          is_gemm_(r.node.operation == "Gemm"),
          groups_(is_gemm_ ? 1 : static_cast<std::size_t>(r.node.attributes.integer("group", 1))) {
        channels_ = r.tensor_of(r.last.inputs[1])->elements();
        depth_ = weights_.elements() / channels_;
    }

    [[nodiscard]] std::vector<double> bounds() const {
        const std::vector<double> lengths = filter_lengths();
        const std::vector<double> shifts = shift_magnitudes();
        const Tensor windows = window_squares();
        constexpr double kLambda = 8;  // Higham and Mary's lambda; 1e-10 for sums of 5,000 products
        const double own = rounding_of(r_.result);
        const double sums = 2 * kLambda * std::sqrt(static_cast<double>(depth_)) * kFloatRounding +
                            kRoundings * own;
        std::vector<double> bounds(r_.result.reals.size());
        const AxisView view(r_.result.type.shape, 1);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const std::size_t channel = i / view.inner % view.side;
            const std::size_t image = i / view.inner / view.side;
            const std::size_t group = channel / (channels_ / groups_);
            const std::size_t window = (image * groups_ + group) * view.inner + i % view.inner;
            bounds[i] = sums * lengths[channel] * std::sqrt(windows.reals.at(window)) +
                        kRoundings * own * shifts[channel];
        }
        return bounds;
    }

private:
    /// L2 norm of each channel's weights.
    [[nodiscard]] std::vector<double> filter_lengths() const {
        std::vector<double> squares(channels_);
        const Shape& shape = weights_.type.shape;
        const auto columns = static_cast<std::size_t>(shape[1]);
        const bool by_columns = is_gemm_ && r_.node.attributes.integer("transB") == 0;
        std::size_t taps = 1;
        for (std::size_t i = 2; i < shape.size(); ++i) taps *= static_cast<std::size_t>(shape[i]);
        const std::size_t rows_of_group = static_cast<std::size_t>(shape[0]) / groups_;
        for (std::size_t i = 0; i < weights_.reals.size(); ++i) {
            const std::size_t row = i / taps / columns, column = i / taps % columns;
            const std::size_t channel = transposed_  ? row / rows_of_group * columns + column
                                        : by_columns ? column
                                                     : row;
            squares[channel] += static_cast<double>(weights_.reals[i]) * weights_.reals[i];
        }
        for (double& square : squares) square = std::sqrt(square);
        return squares;
    }

    /// Sum of the magnitudes of the added terms, per channel.
    [[nodiscard]] std::vector<double> shift_magnitudes() const {
        const auto input = [&](std::size_t i) -> const std::vector<float>& {
            return r_.tensor_of(r_.last.inputs[i])->reals;
        };
        const bool biased = r_.product->inputs.size() > 2 && r_.product->inputs[2].valid();
        const double epsilon = r_.last.attributes.real("epsilon", 1e-5F);
        std::vector<double> sums(channels_);
        for (std::size_t c = 0; c < channels_; ++c) {
            const double scale = magnitude_of(input(1)[c]) / std::sqrt(input(4)[c] + epsilon);
            double bias = 0;
            if (biased) {
                // A bias without one element per channel may apply any element to a channel.
                for (const float b : r_.tensor_of(r_.product->inputs[2])->reals) {
                    bias = std::max(bias, magnitude_of(b));
                }
            }
            sums[c] = scale * (bias + magnitude_of(input(3)[c])) + magnitude_of(input(2)[c]);
        }
        return sums;
    }

    /// Sum of squares of the elements in each window, per group: the product itself, applied to
    /// squares and with one filter of ones per group.
    [[nodiscard]] Tensor window_squares() const {
        const Tensor& x = *r_.tensor_of(r_.node.inputs[0]);
        Tensor squares = Tensor::of_reals(x.type.shape, x.reals);
        for (float& value : squares.reals) value *= value;
        Shape shape = weights_.type.shape;
        const bool first = !transposed_ && !(is_gemm_ && r_.node.attributes.integer("transB") == 0);
        shape[first ? 0 : 1] = first ? static_cast<std::int64_t>(groups_) : 1;
        Tensor ones = Tensor::of_reals(shape, std::vector<float>(element_count(shape), 1.0F));
        Graph graph;
        Node node = r_.node;
        node.inputs = {graph.add({"squares", squares.type, nullptr}),
                       graph.add({"ones", ones.type, nullptr})};
        const std::vector<const Tensor*> tensors = {&squares, &ones};
        return std::move(
            run_node(graph, node, [&](ValueId id) { return tensors.at(id.value()); }).at(0));
    }

    const RewrittenNode& r_;
    const Tensor& weights_;
    bool transposed_, is_gemm_;
    std::size_t groups_, channels_ = 0, depth_ = 0;
};

std::vector<double> taken_apart_bounds(const RewrittenNode& r) {
    constexpr double kFloatSteps = 0x1p12, kHalfSteps = 0x1p5;
    double largest = 1;
    for (const float x : r.result.reals) {
        if (std::isfinite(x)) largest = std::max(largest, magnitude_of(x));
    }
    const double steps = is_half(r.result.type.type) ? kHalfSteps : kFloatSteps;
    const double bound = steps * rounding_of(r.result);
    return std::vector<double>(r.result.reals.size(), bound * largest);
}

/// The quotients of a QLinearMatMul or QLinearConv, which it rounds to integers.
class QuantizedProduct {
public:
    QuantizedProduct(const RewrittenNode& r, const Node& node)
        : r_(r), node_(node), is_conv_(node.operation == "QLinearConv") {}

    [[nodiscard]] Quotients quotients() const {
        const Tensor sums = integer_sums();
        const Tensor magnitudes = magnitude_sums();
        const Shape& shape = sums.type.shape;
        const AxisView columns(shape, is_conv_ ? 1 : shape.size() - 1);
        const std::size_t rows =
            is_conv_ || shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[shape.size() - 2]);
        const double depth = static_cast<double>(operand(QuantizedInputs::kB).elements()) /
                             static_cast<double>(std::max<std::size_t>(columns.side, 1));
        constexpr double kLambda = 8;  // Higham and Mary's lambda
        const double of_sums = (kLambda * std::sqrt(depth) + kRoundings) * kFloatRounding;
        const bool is_biased = QuantizedInputs::kBias < node_.inputs.size() &&
                               node_.inputs[QuantizedInputs::kBias].valid();
        Quotients made;
        for (std::size_t i = 0; i < sums.integers.size(); ++i) {
            const std::size_t column = i / columns.inner % columns.side;
            const std::size_t row = is_conv_ ? 0 : i / columns.side % rows;
            const double unit =
                scale(QuantizedInputs::kAScale, row) * scale(QuantizedInputs::kBScale, column);
            const double step = scale(QuantizedInputs::kResultScale, row);
            const double bias =
                is_biased ? static_cast<double>(operand(QuantizedInputs::kBias).integers.at(column))
                          : 0;
            const double magnitude = unit * (magnitudes.reals[i] + std::fabs(bias));
            // A bias of real numbers became a whole number of units.
            const double error = of_sums * magnitude + (is_biased ? unit / 2 : 0);
            const double quotient = unit * (static_cast<double>(sums.integers[i]) + bias) / step;
            made.values.push_back(quotient + zero(QuantizedInputs::kResultZero, row));
            made.errors.push_back(error / step);
        }
        return made;
    }

private:
    [[nodiscard]] const Tensor& operand(std::size_t input) const {
        return *r_.tensor_of(node_.inputs[input]);
    }
    [[nodiscard]] double scale(std::size_t input, std::size_t line) const {
        const std::vector<float>& scales = operand(input).reals;
        return scales.at(scales.size() == 1 ? 0 : line);
    }
    [[nodiscard]] double zero(std::size_t input, std::size_t line) const {
        const std::vector<std::int64_t>& zeros = operand(input).integers;
        return static_cast<double>(zeros.at(zeros.size() == 1 ? 0 : line));
    }

    /// The exact sums of products, without bias.
    [[nodiscard]] Tensor integer_sums() const {
        Node node = node_;
        node.operation = is_conv_ ? "ConvInteger" : "MatMulInteger";
        node.inputs = {node_.inputs[QuantizedInputs::kA], node_.inputs[QuantizedInputs::kB],
                       node_.inputs[QuantizedInputs::kAZero],
                       node_.inputs[QuantizedInputs::kBZero]};
        return std::move(run_node(r_.graph, node, r_.tensor_of).at(0));
    }

    /// A factor's magnitudes; `line` maps an element to that of its zero point.
    template <class Line>
    [[nodiscard]] Tensor magnitudes_of(std::size_t input, std::size_t zeros,
                                       const Line& line) const {
        const Tensor& whole = operand(input);
        std::vector<float> reals;
        reals.reserve(whole.integers.size());
        for (std::size_t i = 0; i < whole.integers.size(); ++i) {
            reals.push_back(static_cast<float>(
                std::fabs(static_cast<double>(whole.integers[i]) - zero(zeros, line(i)))));
        }
        return Tensor::of_reals(whole.type.shape, std::move(reals));
    }

    /// The sums of the products' magnitudes.
    [[nodiscard]] Tensor magnitude_sums() const {
        const auto a_row = static_cast<std::size_t>(operand(QuantizedInputs::kA).type.shape.back());
        const Shape& b_shape = operand(QuantizedInputs::kB).type.shape;
        const AxisView b_lines(b_shape, is_conv_ || b_shape.size() < 2 ? 0 : b_shape.size() - 1);
        const Tensor a = magnitudes_of(QuantizedInputs::kA, QuantizedInputs::kAZero,
                                       [&](std::size_t i) { return is_conv_ ? 0 : i / a_row; });
        const Tensor b =
            magnitudes_of(QuantizedInputs::kB, QuantizedInputs::kBZero,
                          [&](std::size_t i) { return i / b_lines.inner % b_lines.side; });
        Graph graph;
        Node node = node_;
        node.operation = is_conv_ ? "Conv" : "MatMul";
        node.inputs = {graph.add({"a", a.type, nullptr}), graph.add({"b", b.type, nullptr})};
        const std::vector<const Tensor*> tensors = {&a, &b};
        return std::move(
            run_node(graph, node, [&](ValueId id) { return tensors.at(id.value()); }).at(0));
    }

    const RewrittenNode& r_;
    const Node& node_;
    const bool is_conv_;
};

}  // namespace

std::optional<Quotients> quotients_of(const RewrittenNode& r) {
    if (kind_of(r) == Rewriting::kNone) return std::nullopt;
    const bool is_taken = is_quantized_product(r.node);
    if (!is_taken && !is_quantized_product(r.last)) return std::nullopt;
    return QuantizedProduct(r, is_taken ? r.node : r.last).quotients();
}

std::string rewriting_of(const RewrittenNode& r) {
    const std::string last = r.last.operation + " " + in_quotes(r.last.name);
    switch (kind_of(r)) {
        case Rewriting::kTakenApart:
            return last + " taken apart into steps";
        case Rewriting::kUnary:
        case Rewriting::kLayerNormalization:
        case Rewriting::kRmsNormalization:
        case Rewriting::kAttention:
        case Rewriting::kIntegers:
            return "nodes up to " + last + " taken as " + r.node.operation;
        case Rewriting::kBatchNormalization:
            return last + " in the weights of " + r.node.operation + " " + in_quotes(r.node.name);
        default:
            return "";
    }
}

std::vector<double> rewriting_bounds(const RewrittenNode& r) {
    std::vector<double> bounds(r.result.reals.size());
    switch (kind_of(r)) {
        case Rewriting::kNone:
        case Rewriting::kIntegers:
            return bounds;
        case Rewriting::kUnary:
            bounds = unary_bounds(r);
            break;
        case Rewriting::kLayerNormalization:
            bounds = layer_normalization_bounds(r);
            break;
        case Rewriting::kRmsNormalization:
            bounds = rms_normalization_bounds(r);
            break;
        case Rewriting::kAttention:
            bounds = attention_bounds(r);
            break;
        case Rewriting::kBatchNormalization:
            bounds = FoldedProduct(r).bounds();
            break;
        case Rewriting::kTakenApart:
            bounds = taken_apart_bounds(r);
            break;
    }
    for (double& bound : bounds) bound += kRoundings * least_of(r.result);
    return bounds;
}

}  // namespace tessera::network

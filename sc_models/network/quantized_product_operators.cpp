// Products and convolutions of integers of 8 bits, with sums of 32 bits: MatMulInteger,
// ConvInteger, QLinearMatMul and QLinearConv. Where the latter two take the place of several nodes
// (recognise_integer_products()), a product of matrices may have a bias as its ninth input, one
// INT32 for each column, and attributes `least` and `most` bound the result.
#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/walk.h"
#include "sc_models/network/window.h"

namespace tessera::network {
namespace {

constexpr std::size_t kNoInput = ~std::size_t{0};

/// Input numbers of a product's operands.
struct ProductInputs {
    std::size_t a = 0, b = 1, a_zero = 2, b_zero = 3;
    std::size_t a_scale = kNoInput, b_scale = kNoInput, y_scale = kNoInput, y_zero = kNoInput,
                bias = kNoInput;

    [[nodiscard]] bool scales() const { return y_scale != kNoInput; }
};

constexpr ProductInputs kIntegerInputs{};
constexpr ProductInputs kScaledInputs{0, 3, 2, 5, 1, 4, 6, 7, 8};

const ProductInputs& inputs_of(const OperatorCall& call) {
    return call.node->operation.compare(0, 7, "QLinear") == 0 ? kScaledInputs : kIntegerInputs;
}

/// Types of the operands, apart from their shapes. Returns the type of the result.
ElementType checked_types(const OperatorCall& call) {
    const ProductInputs& in = inputs_of(call);
    for (const auto& [factor, zero] : {std::pair(in.a, in.a_zero), std::pair(in.b, in.b_zero)}) {
        expect_byte_type(call, factor);
        if (call.has(zero)) call.expect_same_type(factor, zero);
    }
    if (!in.scales()) return ElementType::kInt32;
    for (const std::size_t scale : {in.a_scale, in.b_scale, in.y_scale}) call.expect_real(scale);
    if (call.has(in.bias) && call.type(in.bias).type != ElementType::kInt32) {
        call.fail_input(in.bias, "got " + call.type(in.bias).str() + ", expected INT32");
    }
    expect_byte_type(call, in.y_zero);
    return call.type(in.y_zero).type;
}

/// Throws unless the input has one element, or the shape of one element for each line: a vector or
/// `lines`, a shape of the rank of the factor.
void expect_lines(const OperatorCall& call, std::size_t input, const Shape& lines) {
    if (!call.has(input) || call.type(input).elements() == 1) return;
    Shape vector;
    for (const std::int64_t side : lines) {
        if (side != 1) vector.push_back(side);
    }
    const bool is_vector = lines.size() <= 2 && call.shape(input) == vector;
    if (is_vector || call.shape(input) == lines) return;
    call.fail_input(input, "got shape " + shape_text(call.shape(input)) +
                               ", expected one element, or " + shape_text(lines));
}

/// One value of all lines of a factor, or one for each.
template <class Value>
class ForLines {
public:
    ForLines(const std::vector<Value>* values, Value otherwise)
        : values_(values), otherwise_(otherwise) {}
    [[nodiscard]] Value operator[](std::size_t line) const {
        if (values_ == nullptr) return otherwise_;
        return values_->size() == 1 ? values_->front() : values_->at(line);
    }

private:
    const std::vector<Value>* values_;
    Value otherwise_;
};

ForLines<std::int64_t> zeros_of(const OperatorCall& call, std::size_t input) {
    return {call.has(input) ? &call.indices(input) : nullptr, 0};
}

ForLines<float> scales_of(const OperatorCall& call, std::size_t input) {
    return {input == kNoInput ? nullptr : &call.reals(input), 1};
}

using Sums = std::vector<std::int32_t>;

/// c += a b for a of m x k, b of k x n and c of m x n, all contiguous, modulo 2^32.
void multiply_add_integers(std::size_t m, std::size_t n, std::size_t k, const std::int32_t* a,
                           const std::int32_t* b, std::uint32_t* c) {
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t p = 0; p < k; ++p) {
            const auto factor = static_cast<std::uint32_t>(a[i * k + p]);
            if (factor == 0) continue;
            for (std::size_t j = 0; j < n; ++j) {
                c[i * n + j] += factor * static_cast<std::uint32_t>(b[p * n + j]);
            }
        }
    }
}

/// Requantises a sum, or returns it: saturate(round(sum * scale) + zero), by one multiplication in
/// FP32 (chosen; ONNX leaves the precision open).
class ResultOf {
public:
    ResultOf(const OperatorCall& call, ElementType type)
        : scales_(inputs_of(call).scales()),
          zeros_(zeros_of(call, inputs_of(call).y_zero)),
          type_(type) {
        if (!scales_) return;
        const auto [low, high] = integer_range(type);
        least_ = call.attributes().integer("least", low);
        most_ = call.attributes().integer("most", high);
    }
    [[nodiscard]] std::int64_t operator()(std::uint32_t sum, float scale,
                                          std::size_t y_line) const {
        const auto whole = static_cast<std::int32_t>(sum);
        if (!scales_) return whole;
        const std::int64_t result =
            saturated(static_cast<float>(whole) * scale, zeros_[y_line], type_);
        return std::clamp(result, least_, most_);
    }

private:
    bool scales_;
    ForLines<std::int64_t> zeros_;
    ElementType type_;
    std::int64_t least_ = 0, most_ = 0;
};

/// The bias of a column or filter.
std::uint32_t bias_of(const OperatorCall& call, std::size_t line) {
    const ProductInputs& in = inputs_of(call);
    const bool adds = in.scales() && call.has(in.bias);
    return adds ? static_cast<std::uint32_t>(call.indices(in.bias)[line]) : 0U;
}

// Products of matrices

/// Shape of one element for each row (or column) of a factor of these sides.
Shape lines_of(Shape sides, bool rows) {
    if (sides.size() == 1) return {1};
    sides[sides.size() - (rows ? 1 : 2)] = 1;
    return sides;
}

std::vector<TensorType> infer_matrices(const OperatorCall& call) {
    const ElementType type = checked_types(call);
    const MatMulSides sides(factors_of(call));
    const ProductInputs& in = inputs_of(call);
    const Shape rows = lines_of(call.shape(in.a), true);
    const Shape columns = lines_of(call.shape(in.b), false);
    const Shape result = sides.result();
    expect_lines(call, in.a_zero, rows);
    expect_lines(call, in.b_zero, columns);
    if (in.scales()) {
        expect_lines(call, in.a_scale, rows);
        expect_lines(call, in.b_scale, columns);
        const Shape of_result = result.empty() || sides.row ? Shape{1} : lines_of(result, true);
        expect_lines(call, in.y_scale, of_result);
        expect_lines(call, in.y_zero, of_result);
        if (call.has(in.bias)) call.expect_shape(in.bias, {sides.n});
    }
    return {{type, result}};
}

double flop_of_matrices(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    return 2.0 * static_cast<double>(outputs[0].elements()) *
           static_cast<double>(call.shape(inputs_of(call).a).back());
}

void run_matrices(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const MatMulSides sides(factors_of(call));
    const ProductInputs& in = inputs_of(call);
    const auto m = static_cast<std::size_t>(sides.m), n = static_cast<std::size_t>(sides.n),
               k = static_cast<std::size_t>(sides.k);
    Sums a(call.type(in.a).elements()), b(call.type(in.b).elements());
    const ForLines<std::int64_t> a_zero = zeros_of(call, in.a_zero),
                                 b_zero = zeros_of(call, in.b_zero);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::int32_t>(call.indices(in.a)[i] - a_zero[i / k]);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        const std::size_t column = i / (k * n) * n + i % n;
        b[i] = static_cast<std::int32_t>(call.indices(in.b)[i] - b_zero[column]);
    }
    const ForLines<float> a_scale = scales_of(call, in.a_scale),
                          b_scale = scales_of(call, in.b_scale),
                          y_scale = scales_of(call, in.y_scale);
    std::vector<std::size_t> first_of_a(element_count(sides.batch));
    walk(sides.batch, broadcast_strides(sides.batch_a, sides.batch),
         [&](std::size_t i, std::size_t matrix) { first_of_a[i] = matrix; });
    std::vector<std::uint32_t> sums(m * n);
    const ResultOf result(call, outputs[0].type.type);
    walk(sides.batch, broadcast_strides(sides.batch_b, sides.batch),
         [&](std::size_t i, std::size_t matrix) {
             for (std::size_t e = 0; e < sums.size(); ++e) sums[e] = bias_of(call, e % n);
             multiply_add_integers(m, n, k, a.data() + first_of_a[i] * m * k,
                                   b.data() + matrix * k * n, sums.data());
             for (std::size_t e = 0; e < sums.size(); ++e) {
                 const std::size_t row = e / n, column = e % n;
                 const std::size_t y_line = i * m + row;
                 const float scale = a_scale[first_of_a[i] * m + row] *
                                     b_scale[matrix * n + column] / y_scale[y_line];
                 outputs[0].integers[i * m * n + e] = result(sums[e], scale, y_line);
             }
         });
}

// Convolutions: a scale and a zero point of the image, and one for each filter

std::vector<TensorType> infer_convolution(const OperatorCall& call) {
    const ElementType type = checked_types(call);
    const ProductInputs& in = inputs_of(call);
    const Shape result = convolution_result(factors_of(call));
    const Shape filters = {call.shape(in.b)[0]};
    expect_lines(call, in.a_zero, {1});
    expect_lines(call, in.b_zero, filters);
    if (in.scales()) {
        expect_lines(call, in.a_scale, {1});
        expect_lines(call, in.b_scale, filters);
        expect_lines(call, in.y_scale, {1});
        expect_lines(call, in.y_zero, {1});
        if (call.has(in.bias)) call.expect_shape(in.bias, filters);
    }
    return {{type, result}};
}

double flop_of_convolution(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const ProductInputs& in = inputs_of(call);
    const OperatorCall factors = factors_of(call);
    const double products = static_cast<double>(factors.shape(1)[1]) *
                            static_cast<double>(Window::of_convolution(factors).tap_count());
    const bool adds = in.scales() && call.has(in.bias);
    return static_cast<double>(outputs[0].elements()) * (2 * products + (adds ? 1 : 0));
}

/// The rows of an image that the windows' taps read, one per channel and tap; 0 in the padding.
void lower(const Window& window, const std::int64_t* image, std::int64_t zero, std::size_t channels,
           std::vector<std::int32_t>& rows) {
    std::fill(rows.begin(), rows.end(), 0);
    std::int32_t* row = rows.data();
    for (std::size_t channel = 0; channel < channels; ++channel) {
        for (std::size_t tap = 0; tap < window.tap_count(); ++tap) {
            window.for_each_window(tap, [&](std::size_t at, std::size_t pixel) {
                row[at] = static_cast<std::int32_t>(image[pixel] - zero);
            });
            row += window.output_count();
        }
        image += window.image_count();
    }
}

void run_convolution(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const ProductInputs& in = inputs_of(call);
    const OperatorCall factors = factors_of(call);
    const Window window = Window::of_convolution(factors);
    const auto groups = static_cast<std::size_t>(call.attributes().integer("group", 1));
    const auto images = static_cast<std::size_t>(factors.shape(0)[0]);
    const auto filters = static_cast<std::size_t>(factors.shape(1)[0]);
    const auto channels = static_cast<std::size_t>(factors.shape(1)[1]);
    const std::size_t pixels = window.output_count(), k = channels * window.tap_count();
    const std::size_t made = filters / groups;  // filters of a group
    const ForLines<std::int64_t> w_zero = zeros_of(call, in.b_zero);
    std::vector<std::int32_t> weights(filters * k), rows(k * pixels);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<std::int32_t>(call.indices(in.b)[i] - w_zero[i / k]);
    }
    const ForLines<float> x_scale = scales_of(call, in.a_scale),
                          w_scale = scales_of(call, in.b_scale),
                          y_scale = scales_of(call, in.y_scale);
    const ResultOf result(call, outputs[0].type.type);
    std::vector<std::uint32_t> sums(made * pixels);
    for (std::size_t i = 0; i < images * groups; ++i) {
        const std::size_t first = i % groups * made;  // filter
        lower(window, call.indices(in.a).data() + i * channels * window.image_count(),
              zeros_of(call, in.a_zero)[0], channels, rows);
        for (std::size_t e = 0; e < sums.size(); ++e) {
            sums[e] = bias_of(call, first + e / pixels);
        }
        multiply_add_integers(made, pixels, k, weights.data() + first * k, rows.data(),
                              sums.data());
        for (std::size_t e = 0; e < sums.size(); ++e) {
            const float scale = x_scale[0] * w_scale[first + e / pixels] / y_scale[0];
            outputs[0].integers[i * made * pixels + e] = result(sums[e], scale, 0);
        }
    }
}

}  // namespace

bool is_quantized_product(const Node& node) {
    return node.operation == "QLinearMatMul" || node.operation == "QLinearConv";
}

OperatorCall factors_of(const OperatorCall& call) {
    OperatorCall factors;
    factors.node = call.node;
    const ProductInputs& in = inputs_of(call);
    for (const std::size_t input : {in.a, in.b}) {
        factors.types.push_back(&call.type(input));
        factors.tensors.push_back(call.tensors[input]);
        factors.names.push_back(call.names.at(input));
    }
    return factors;
}

std::vector<Operator> quantized_product_operators() {
    return {
        {"ConvInteger", WorkKind::kConvolution, infer_convolution, run_convolution,
         flop_of_convolution},
        {"MatMulInteger", WorkKind::kProduct, infer_matrices, run_matrices, flop_of_matrices},
        {"QLinearConv", WorkKind::kComposite, infer_convolution, run_convolution,
         flop_of_convolution},
        {"QLinearMatMul", WorkKind::kComposite, infer_matrices, run_matrices, flop_of_matrices}};
}

}  // namespace tessera::network

// Normalizations and softmax.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

/// Counts `operations` for each element of the input.
template <int operations>
double each_of_input(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    return operations * static_cast<double>(call.type(0).elements());
}

/// Number of channels: the second dimension, or 1 if there is only a batch.
std::int64_t channels_of(const OperatorCall& call) {
    const Shape& shape = call.shape(0);
    if (shape.empty()) call.fail_input(0, "got a scalar, expected images");
    return shape.size() < 2 ? 1 : shape[1];
}

// BatchNormalization, for inference

std::vector<TensorType> infer_batch(const OperatorCall& call) {
    call.expect_real(0);
    if (call.attributes().integer("training_mode") != 0) {
        call.fail("training_mode: got 1, expected 0: training is not supported");
    }
    if (call.attributes().integer("spatial", 1) != 1) {
        call.fail("spatial: got 0, expected 1");
    }
    for (std::size_t input = 1; input < 5; ++input) {
        call.expect_real(input);
        call.expect_shape(input, {channels_of(call)});
    }
    for (std::size_t output = 1; output < call.node->outputs.size(); ++output) {
        if (call.makes(output)) call.fail("got outputs of training, expected one output");
    }
    return {call.type(0)};
}

void run_batch(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0), 1);
    const double epsilon = call.attributes().real("epsilon", 1e-5F);
    for (std::size_t i = 0; i < view.outer * view.side; ++i) {
        const std::size_t channel = i % view.side;
        const double scale = call.reals(1)[channel] / std::sqrt(call.reals(4)[channel] + epsilon);
        const double shift = call.reals(2)[channel] - call.reals(3)[channel] * scale;
        for (std::size_t x = i * view.inner; x < (i + 1) * view.inner; ++x) {
            outputs[0].reals[x] = static_cast<float>(call.reals(0)[x] * scale + shift);
        }
    }
}

// InstanceNormalization and LayerNormalization: mean and variance per row

struct Moments {
    double mean = 0, inverse_deviation = 0;

    Moments(const float* row, std::size_t count, double epsilon) {
        for (std::size_t i = 0; i < count; ++i) mean += row[i];
        mean /= static_cast<double>(count);
        double variance = 0;
        for (std::size_t i = 0; i < count; ++i) variance += (row[i] - mean) * (row[i] - mean);
        inverse_deviation = 1 / std::sqrt(variance / static_cast<double>(count) + epsilon);
    }
};

std::vector<TensorType> infer_instance(const OperatorCall& call) {
    call.expect_real(0);
    for (const std::size_t input : {1U, 2U}) {
        call.expect_same_type(0, input);
        call.expect_shape(input, {channels_of(call)});
    }
    return {call.type(0)};
}

void run_instance(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0), 1);
    const double epsilon = call.attributes().real("epsilon", 1e-5F);
    for (std::size_t i = 0; i < view.outer * view.side; ++i) {
        const float* row = call.reals(0).data() + i * view.inner;
        const Moments moments(row, view.inner, epsilon);
        const std::size_t channel = i % view.side;
        for (std::size_t x = 0; x < view.inner; ++x) {
            outputs[0].reals[i * view.inner + x] = static_cast<float>(
                (row[x] - moments.mean) * moments.inverse_deviation * call.reals(1)[channel] +
                call.reals(2)[channel]);
        }
    }
}

// GroupNormalization: moments of each group of channels

std::vector<TensorType> infer_group(const OperatorCall& call) {
    call.expect_real(0);
    if (call.shape(0).size() < 2) {
        call.fail_input(0, "got shape " + shape_text(call.shape(0)) + ", expected channels");
    }
    const std::int64_t channels = call.shape(0)[1];
    const std::int64_t groups =
        call.bounded("num_groups", 0, 1, std::max<std::int64_t>(channels, 1));
    if (channels % groups != 0) {
        call.fail("num_groups: got " + std::to_string(groups) + ", expected a divisor of " +
                  std::to_string(channels) + " channels");
    }
    (void)call.bounded("stash_type", 1, 1, 1);  // FLOAT
    // Operator set 18 had a scale and a bias for each group.
    const std::int64_t parameters = call.node->version < 21 ? groups : channels;
    for (const std::size_t input : {1U, 2U}) {
        call.expect_same_type(0, input);
        call.expect_shape(input, {parameters});
    }
    return {call.type(0)};
}

void run_group(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0), 1);
    const auto groups = static_cast<std::size_t>(call.attributes().integer("num_groups"));
    const std::size_t channels = view.side / groups;  // of a group
    const std::size_t row = channels * view.inner;
    const double epsilon = call.attributes().real("epsilon", 1e-5F);
    for (std::size_t i = 0; i < view.outer * groups; ++i) {
        const float* first = call.reals(0).data() + i * row;
        const Moments moments(first, row, epsilon);
        for (std::size_t x = 0; x < row; ++x) {
            const std::size_t group = i % groups;
            const std::size_t parameter =
                call.node->version < 21 ? group : group * channels + x / view.inner;
            outputs[0].reals[i * row + x] = static_cast<float>(
                (first[x] - moments.mean) * moments.inverse_deviation * call.reals(1)[parameter] +
                call.reals(2)[parameter]);
        }
    }
}

std::size_t first_of_row(const OperatorCall& call) {
    return call.axis(call.attributes().integer("axis", -1), call.shape(0).size());
}

std::vector<TensorType> infer_layer(const OperatorCall& call) {
    call.expect_real(0);
    (void)call.bounded("stash_type", 1, 1, 1);  // FLOAT
    const std::size_t axis = first_of_row(call);
    for (const std::size_t input : {1U, 2U}) {
        if (input == 2 && !call.has(2)) continue;
        call.expect_same_type(0, input);
        expect_broadcast(call, input, call.shape(0));
        if (call.shape(input).size() > call.shape(0).size() - axis) {
            call.fail_input(input, "got shape " + shape_text(call.shape(input)) +
                                       ", expected one of a row of " + shape_text(call.shape(0)) +
                                       " from axis " + std::to_string(axis) + " on");
        }
    }
    Shape rows = call.shape(0);
    std::fill(rows.begin() + static_cast<std::ptrdiff_t>(axis), rows.end(), 1);
    return {call.type(0), {ElementType::kFloat, rows}, {ElementType::kFloat, rows}};
}

void run_layer(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::vector<float>& in = call.reals(0);
    const std::size_t rows = outputs[1].reals.size();
    if (in.empty()) return;
    const std::size_t count = in.size() / rows;
    const double epsilon = call.attributes().real("epsilon", 1e-5F);
    const Shape& shape = call.shape(0);
    const Shape row_shape(shape.begin() + static_cast<std::ptrdiff_t>(first_of_row(call)),
                          shape.end());
    std::vector<float> scale(count);
    std::vector<float> shift(count);
    walk(row_shape, broadcast_strides(call.shape(1), row_shape),
         [&](std::size_t i, std::size_t from) { scale[i] = call.reals(1)[from]; });
    if (call.has(2)) {
        walk(row_shape, broadcast_strides(call.shape(2), row_shape),
             [&](std::size_t i, std::size_t from) { shift[i] = call.reals(2)[from]; });
    }
    for (std::size_t row = 0; row < rows; ++row) {
        const float* first = in.data() + row * count;
        const Moments moments(first, count, epsilon);
        outputs[1].reals[row] = static_cast<float>(moments.mean);
        outputs[2].reals[row] = static_cast<float>(moments.inverse_deviation);
        for (std::size_t i = 0; i < count; ++i) {
            outputs[0].reals[row * count + i] = static_cast<float>(
                (first[i] - moments.mean) * moments.inverse_deviation * scale[i] + shift[i]);
        }
    }
}

// RMSNormalization: rows divided by the root of their mean square

std::vector<TensorType> infer_root_mean_square(const OperatorCall& call) {
    call.expect_real(0);
    (void)call.bounded("stash_type", 1, 1, 1);  // FLOAT
    const std::size_t axis = first_of_row(call);
    const Shape& shape = call.shape(0);
    call.expect_same_type(0, 1);
    expect_broadcast(call, 1, {shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()});
    return {call.type(0)};
}

void run_root_mean_square(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Shape& shape = call.shape(0);
    const Shape row_shape(shape.begin() + static_cast<std::ptrdiff_t>(first_of_row(call)),
                          shape.end());
    const std::size_t count = element_count(row_shape);
    std::vector<float> scale(count);
    walk(row_shape, broadcast_strides(call.shape(1), row_shape),
         [&](std::size_t i, std::size_t from) { scale[i] = call.reals(1)[from]; });
    const double epsilon = call.attributes().real("epsilon", 1e-5F);
    const std::vector<float>& in = call.reals(0);
    for (std::size_t first = 0; first < in.size(); first += count) {
        double squares = 0;
        for (std::size_t i = 0; i < count; ++i) squares += double{in[first + i]} * in[first + i];
        const double root = std::sqrt(squares / static_cast<double>(count) + epsilon);
        for (std::size_t i = 0; i < count; ++i) {
            outputs[0].reals[first + i] = static_cast<float>(in[first + i] / root * scale[i]);
        }
    }
}

// LRN: across neighbouring channels

std::vector<TensorType> infer_lrn(const OperatorCall& call) {
    call.expect_real(0);
    (void)call.bounded("size", 1, 1, std::int64_t{1} << 31);
    if (call.shape(0).size() < 2) call.fail_input(0, "expected images and channels");
    return {call.type(0)};
}

double flop_of_lrn(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const double size = static_cast<double>(call.attributes().integer("size", 1));
    return (2 * size + 4) * static_cast<double>(outputs[0].elements());
}

void run_lrn(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0), 1);
    const auto size = static_cast<std::size_t>(call.attributes().integer("size", 1));
    const double alpha = call.attributes().real("alpha", 1e-4F);
    const double beta = call.attributes().real("beta", 0.75F);
    const double bias = call.attributes().real("bias", 1);
    const std::vector<float>& in = call.reals(0);
    const std::size_t before = (size - 1) / 2;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t channel = i / view.inner % view.side;
        const std::size_t base = i - channel * view.inner;
        const std::size_t first = channel - std::min(before, channel);
        const std::size_t last = std::min(view.side, channel + (size - before));
        double sum = 0;
        for (std::size_t c = first; c < last; ++c) {
            const double value = in[base + c * view.inner];
            sum += value * value;
        }
        outputs[0].reals[i] = static_cast<float>(
            in[i] / std::pow(bias + alpha / static_cast<double>(size) * sum, beta));
    }
}

// Softmax and LogSoftmax

/// Splits the input into rows; up to operator set 12 all axes from `axis` on form one row.
AxisView rows_of(const OperatorCall& call) {
    const bool flattened = call.node->version < 13;
    const std::size_t axis =
        call.axis(call.attributes().integer("axis", flattened ? 1 : -1), call.shape(0).size());
    AxisView view(call.shape(0), axis);
    if (flattened) {
        view.side *= view.inner;
        view.inner = 1;
    }
    return view;
}

std::vector<TensorType> infer_softmax(const OperatorCall& call) {
    call.expect_real(0);
    (void)rows_of(call);
    return {call.type(0)};
}

void run_softmax(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view = rows_of(call);
    const bool logarithm = call.node->operation == "LogSoftmax";
    for (std::size_t row = 0; row < view.outer * view.inner && view.side > 0; ++row) {
        const std::size_t first = row / view.inner * view.side * view.inner + row % view.inner;
        const auto at = [&](std::size_t i) { return first + i * view.inner; };
        const std::vector<float>& in = call.reals(0);
        double most = in[first];
        for (std::size_t i = 1; i < view.side; ++i) most = std::max<double>(most, in[at(i)]);
        double sum = 0;
        for (std::size_t i = 0; i < view.side; ++i) sum += std::exp(in[at(i)] - most);
        for (std::size_t i = 0; i < view.side; ++i) {
            const double shifted = in[at(i)] - most;
            outputs[0].reals[at(i)] =
                static_cast<float>(logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
        }
    }
}

}  // namespace

std::vector<Operator> normalization_operators() {
    return {
        {"BatchNormalization", WorkKind::kElementwise, infer_batch, run_batch, each_of_input<2>},
        {"GroupNormalization", WorkKind::kComposite, infer_group, run_group, each_of_input<8>},
        {"InstanceNormalization", WorkKind::kReduction, infer_instance, run_instance,
         each_of_input<8>},
        {"LayerNormalization", WorkKind::kReduction, infer_layer, run_layer, each_of_input<8>},
        {"LogSoftmax", WorkKind::kReduction, infer_softmax, run_softmax, each_of_input<5>},
        {"LRN", WorkKind::kReduction, infer_lrn, run_lrn, flop_of_lrn},
        {"RMSNormalization", WorkKind::kReduction, infer_root_mean_square, run_root_mean_square,
         each_of_input<4>},
        {"Softmax", WorkKind::kReduction, infer_softmax, run_softmax, each_of_input<5>}};
}

}  // namespace tessera::network

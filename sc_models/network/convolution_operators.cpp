// Conv and ConvTranspose, by lowering to matrix products.
#include <algorithm>
#include <utility>

#include "sc_models/network/multiply_add.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"

namespace tessera::network {
namespace {

/// Number of images, and channels of one group.
struct Channels {
    std::size_t images, groups, in, out;  ///< per group
};

void expect_real_factors(const OperatorCall& call) {
    call.expect_real(0);
    call.expect_same_type(0, 1);
}

std::int64_t checked_groups(const OperatorCall& call) {
    const std::int64_t channels = call.shape(0)[1];
    const std::int64_t groups = call.bounded("group", 1, 1, std::max<std::int64_t>(channels, 1));
    if (channels % groups != 0) {
        call.fail("group: got " + std::to_string(groups) + ", expected a divisor of the " +
                  std::to_string(channels) + " channels");
    }
    return groups;
}

void expect_bias(const OperatorCall& call, std::int64_t filters) {
    if (!call.has(2)) return;
    call.expect_same_type(0, 2);
    call.expect_shape(2, {filters});
}

void start_with_bias(const OperatorCall& call, std::vector<float>& out, std::size_t filters,
                     std::size_t pixels) {
    if (!call.has(2) || out.empty()) return;
    for (std::size_t i = 0; i < out.size() / pixels; ++i) {
        std::fill_n(&out[i * pixels], pixels, call.reals(2)[i % filters]);
    }
}

// Conv: the filters have shape out x (in / group) x taps

std::vector<TensorType> infer_conv(const OperatorCall& call) {
    const Shape shape = convolution_result(call);
    expect_real_factors(call);
    expect_bias(call, call.shape(1)[0]);
    return {{call.type(0).type, shape}};
}

double flop_of_conv(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const double products = static_cast<double>(call.shape(1)[1]) *
                            static_cast<double>(Window::of_convolution(call).tap_count());
    return static_cast<double>(outputs[0].elements()) * (2 * products + (call.has(2) ? 1 : 0));
}

/// Lowers an image to rows, one per channel and tap; zero where a tap lies in the padding.
void lower(const Window& window, const float* image, std::size_t channels, float* rows) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
        for (std::size_t tap = 0; tap < window.tap_count(); ++tap) {
            std::fill_n(rows, window.output_count(), 0.0F);
            window.for_each_window(
                tap, [&](std::size_t at, std::size_t pixel) { rows[at] = image[pixel]; });
            rows += window.output_count();
        }
        image += window.image_count();
    }
}

void run_conv(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Window window = Window::of_convolution(call);
    const auto groups = static_cast<std::size_t>(call.attributes().integer("group", 1));
    const auto filters = static_cast<std::size_t>(call.shape(1)[0]);
    const Channels channels = {static_cast<std::size_t>(call.shape(0)[0]), groups,
                               static_cast<std::size_t>(call.shape(1)[1]), filters / groups};
    const std::size_t pixels = window.output_count();
    const std::size_t k = channels.in * window.tap_count();
    start_with_bias(call, outputs[0].reals, filters, pixels);
    std::vector<float> rows(k * pixels);
    for (std::size_t i = 0; i < channels.images * groups; ++i) {
        lower(window, call.reals(0).data() + i * channels.in * window.image_count(), channels.in,
              rows.data());
        const float* weights = call.reals(1).data() + i % groups * channels.out * k;
        multiply_add(channels.out, pixels, k, {weights, k}, {rows.data(), pixels},
                     outputs[0].reals.data() + i * channels.out * pixels);
    }
}

// ConvTranspose: the filters have shape in x (out / group) x taps

std::vector<TensorType> infer_transposed(const OperatorCall& call) {
    const Window window = Window::of_transposed_convolution(call);
    expect_real_factors(call);
    const std::int64_t groups = checked_groups(call);
    const Shape& filters = call.shape(1);
    if (filters[0] != call.shape(0)[1]) {
        call.fail_input(1, "got shape " + shape_text(filters) + ", expected filters for " +
                               std::to_string(call.shape(0)[1]) + " channels");
    }
    std::int64_t made = 0;
    if (__builtin_mul_overflow(filters[1], groups, &made)) call.fail("too many channels");
    expect_bias(call, made);
    Shape shape = {call.shape(0)[0], made};
    for (const std::int64_t side : window.shape_of(window.image)) shape.push_back(side);
    return {{call.type(0).type, shape}};
}

double flop_of_transposed(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const Window window = Window::of_transposed_convolution(call);
    return 2.0 * static_cast<double>(call.type(0).elements()) *
               static_cast<double>(call.shape(1)[1]) * static_cast<double>(window.tap_count()) +
           (call.has(2) ? static_cast<double>(outputs[0].elements()) : 0);
}

void run_transposed(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Window window = Window::of_transposed_convolution(call);
    const auto groups = static_cast<std::size_t>(call.attributes().integer("group", 1));
    const Channels channels = {static_cast<std::size_t>(call.shape(0)[0]), groups,
                               static_cast<std::size_t>(call.shape(0)[1]) / groups,
                               static_cast<std::size_t>(call.shape(1)[1])};
    const std::size_t pixels = window.output_count();
    const std::size_t spread = channels.out * window.tap_count();
    start_with_bias(call, outputs[0].reals, channels.out * groups, window.image_count());
    for (std::size_t i = 0; i < channels.images * groups; ++i) {
        // Computes each input pixel's contribution to each tap of each filter, then adds it to the
        // output pixel under the tap.
        std::vector<float> rows(spread * pixels);
        const float* weights = call.reals(1).data() + i % groups * channels.in * spread;
        multiply_add(spread, pixels, channels.in, {weights, 1, spread},
                     {call.reals(0).data() + i * channels.in * pixels, pixels}, rows.data());
        const float* row = rows.data();
        for (std::size_t channel = 0; channel < channels.out; ++channel) {
            float* image =
                outputs[0].reals.data() + (i * channels.out + channel) * window.image_count();
            for (std::size_t tap = 0; tap < window.tap_count(); ++tap, row += pixels) {
                window.for_each_window(
                    tap, [&](std::size_t at, std::size_t pixel) { image[pixel] += row[at]; });
            }
        }
    }
}

}  // namespace

Shape convolution_result(const OperatorCall& call) {
    const Window window = Window::of_convolution(call);
    const std::int64_t groups = checked_groups(call);
    const Shape& filters = call.shape(1);
    if (filters[1] != call.shape(0)[1] / groups || filters[0] % groups != 0) {
        call.fail_input(1, "got shape " + shape_text(filters) + ", expected filters of " +
                               std::to_string(call.shape(0)[1] / groups) +
                               " channels, their number divisible by group " +
                               std::to_string(groups));
    }
    Shape shape = {call.shape(0)[0], filters[0]};
    for (const std::int64_t side : window.shape_of(window.output)) shape.push_back(side);
    return shape;
}

std::vector<Operator> convolution_operators() {
    return {{"Conv", WorkKind::kConvolution, infer_conv, run_conv, flop_of_conv},
            {"ConvTranspose", WorkKind::kConvolution, infer_transposed, run_transposed,
             flop_of_transposed}};
}

}  // namespace tessera::network

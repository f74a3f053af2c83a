// Pooling operators over windows of images and over whole images.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sc_models/common/types.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/window.h"

namespace tessera::network {
namespace {

/// Throws for a window all of whose taps lie in the padding: it has neither a maximum nor a mean.
void expect_taps_inside(const OperatorCall& call, const Window& window) {
    const auto meets = [&](std::size_t side, std::int64_t at) {
        const std::int64_t first = at * window.stride[side] - window.pad_begin[side];
        // The first tap that is not in front of the image.
        const std::int64_t tap = ceil_div(std::max<std::int64_t>(-first, 0), window.dilation[side]);
        return tap < window.taps[side] && first + tap * window.dilation[side] < window.image[side];
    };
    for (std::size_t side = 0; side < kImageSides; ++side) {
        const std::int64_t last = window.output[side] - 1;
        std::int64_t at = 0;
        while (at < last && at * window.stride[side] < window.pad_begin[side] && meets(side, at)) {
            ++at;
        }
        for (const std::int64_t one : {at, last}) {
            if (one < 0 || meets(side, one)) continue;
            call.fail("pads: got window " + std::to_string(one) +
                      ", which meets no element of a side of " +
                      std::to_string(window.image[side]) + ", expected less padding");
        }
    }
}

TensorType pooled(const OperatorCall& call) {
    const Window window = Window::of_pooling(call);
    const bool counts_padding = call.attributes().integer("count_include_pad") != 0;
    if (!counts_padding) expect_taps_inside(call, window);
    Shape shape = {call.shape(0)[0], call.shape(0)[1]};
    for (const std::int64_t side : window.shape_of(window.output)) shape.push_back(side);
    return {call.type(0).type, shape};
}

std::vector<TensorType> infer_average_pool(const OperatorCall& call) {
    call.expect_real(0);
    return {pooled(call)};
}

std::vector<TensorType> infer_max_pool(const OperatorCall& call) {
    if (!is_byte(call.type(0).type)) call.expect_real(0);
    (void)call.bounded("storage_order", 0, 0, 1);
    const TensorType type = pooled(call);
    return {type, {ElementType::kInt64, type.shape}};
}

double flop_of_pool(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    return static_cast<double>(outputs[0].elements()) *
           static_cast<double>(Window::of_pooling(call).tap_count());
}

/// Number of planes: images times channels.
std::size_t planes_of(const Shape& shape) {
    return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
}

/// Column-major index of a pixel in its plane: the first spatial dimension varies fastest.
std::size_t column_major(const Window& window, std::size_t pixel) {
    const auto w = static_cast<std::size_t>(window.image[2]);
    const auto h = static_cast<std::size_t>(window.image[1]);
    const auto d = static_cast<std::size_t>(window.image[0]);
    return pixel % w * h * d + pixel / w % h * d + pixel / w / h;
}

/// Whether `x` replaces the maximum so far. NaN exceeds all numbers, as in numpy; ONNX leaves that
/// open.
bool is_new_maximum(float x, float so_far) {
    return x > so_far || (std::isnan(x) && !std::isnan(so_far));
}
bool is_new_maximum(std::int64_t x, std::int64_t so_far) {
    return x > so_far;
}

template <class Element>
void take_maxima(const OperatorCall& call, const std::vector<Element>& in,
                 std::vector<Element>& out, std::vector<Tensor>& outputs) {
    const Window window = Window::of_pooling(call);
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> from(window.output_count());
    const bool columns = call.attributes().integer("storage_order") != 0;
    for (std::size_t plane = 0; plane < planes_of(call.shape(0)); ++plane) {
        const Element* image = in.data() + plane * window.image_count();
        Element* maxima = out.data() + plane * window.output_count();
        std::fill(from.begin(), from.end(), kNone);
        for (std::size_t tap = 0; tap < window.tap_count(); ++tap) {
            window.for_each_window(tap, [&](std::size_t at, std::size_t pixel) {
                if (from[at] != kNone && !is_new_maximum(image[pixel], maxima[at])) return;
                maxima[at] = image[pixel];
                from[at] = pixel;
            });
        }
        if (!call.makes(1)) continue;
        for (std::size_t at = 0; at < from.size(); ++at) {
            outputs[1].integers[plane * window.output_count() + at] =
                static_cast<std::int64_t>(plane * window.image_count() +
                                          (columns ? column_major(window, from[at]) : from[at]));
        }
    }
}

void run_max_pool(const OperatorCall& call, std::vector<Tensor>& outputs) {
    if (is_real(call.type(0).type)) {
        take_maxima(call, call.reals(0), outputs[0].reals, outputs);
    } else {
        take_maxima(call, call.indices(0), outputs[0].integers, outputs);
    }
}

void run_average_pool(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Window window = Window::of_pooling(call);
    // count_include_pad counts the padding, but not the part that ceil_mode adds at the end.
    Window counted = window;
    if (call.attributes().integer("count_include_pad") != 0) {
        for (std::size_t side = 0; side < kImageSides; ++side) {
            counted.image[side] += window.pad_begin[side] + window.pad_end[side];
            counted.pad_begin[side] = 0;
        }
    }
    std::vector<float> taps(window.output_count());
    for (std::size_t tap = 0; tap < window.tap_count(); ++tap) {
        counted.for_each_window(tap, [&](std::size_t at, std::size_t) { taps[at] += 1; });
    }
    std::vector<double> sums(window.output_count());
    for (std::size_t plane = 0; plane < planes_of(call.shape(0)); ++plane) {
        const float* image = call.reals(0).data() + plane * window.image_count();
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::size_t tap = 0; tap < window.tap_count(); ++tap) {
            window.for_each_window(
                tap, [&](std::size_t at, std::size_t pixel) { sums[at] += image[pixel]; });
        }
        for (std::size_t at = 0; at < sums.size(); ++at) {
            outputs[0].reals[plane * sums.size() + at] =
                taps[at] > 0 ? static_cast<float>(sums[at] / taps[at]) : 0.0F;
        }
    }
}

// Whole images

std::vector<TensorType> infer_global(const OperatorCall& call) {
    call.expect_real(0);
    Shape shape = call.shape(0);
    if (shape.size() < 3) {
        call.fail_input(0, "got shape " + shape_text(shape) + ", expected at least 3 dimensions");
    }
    std::fill(shape.begin() + 2, shape.end(), 1);
    return {{call.type(0).type, shape}};
}

double one_each_of_input(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    return static_cast<double>(call.type(0).elements());
}

template <class Pool>
void pool_planes(const OperatorCall& call, Tensor& out, const Pool& pool) {
    const std::vector<float>& in = call.reals(0);
    if (out.reals.empty()) return;
    const std::size_t pixels = in.size() / out.reals.size();
    for (std::size_t plane = 0; plane < out.reals.size(); ++plane) {
        const float* first = in.data() + plane * pixels;
        out.reals[plane] = pool(first, first + pixels);
    }
}

void run_global_average(const OperatorCall& call, std::vector<Tensor>& outputs) {
    pool_planes(call, outputs[0], [](const float* first, const float* last) {
        double sum = 0;
        for (const float* value = first; value != last; ++value) sum += *value;
        return static_cast<float>(sum / static_cast<double>(last - first));
    });
}

void run_global_max(const OperatorCall& call, std::vector<Tensor>& outputs) {
    pool_planes(call, outputs[0], [](const float* first, const float* last) {
        float most = -std::numeric_limits<float>::infinity();
        for (const float* value = first; value != last; ++value) {
            if (is_new_maximum(*value, most)) most = *value;
        }
        return most;
    });
}

}  // namespace

std::vector<Operator> pooling_operators() {
    return {
        {"AveragePool", WorkKind::kPooling, infer_average_pool, run_average_pool, flop_of_pool},
        {"GlobalAveragePool", WorkKind::kReduction, infer_global, run_global_average,
         one_each_of_input},
        {"GlobalMaxPool", WorkKind::kReduction, infer_global, run_global_max, one_each_of_input},
        {"MaxPool", WorkKind::kPooling, infer_max_pool, run_max_pool, flop_of_pool}};
}

}  // namespace tessera::network

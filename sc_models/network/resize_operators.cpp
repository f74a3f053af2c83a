// Resize and Upsample operators, computed one axis after the other.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

std::string choice(const OperatorCall& call, const char* attribute, const char* otherwise,
                   const std::vector<std::string>& allowed) {
    std::string given = call.attributes().text(attribute, otherwise);
    if (std::find(allowed.begin(), allowed.end(), given) != allowed.end()) return given;
    std::string list;
    for (const std::string& one : allowed) list += (list.empty() ? "" : ", ") + one;
    call.fail(std::string(attribute) + ": got '" + given + "', expected one of {" + list + "}");
}

/// Weighted input elements along an axis that make one output element.
struct Taps {
    std::vector<std::pair<std::int64_t, double>> taps;
    bool outside = false;
};

/// Position of an output index on the input's axis. Scales are FP32, and expressions of scales
/// alone are FP32, too, as in ONNX Runtime: in FP64 3 / 0.3F lies before element 10.
double coordinate(const Sizing& sizing, std::size_t axis, std::int64_t in, std::int64_t index) {
    const float scale = sizing.scales[axis];
    const auto x = static_cast<float>(index);
    const std::int64_t out = sizing.output[axis];
    const std::string& way = sizing.coordinates;
    if (way == "asymmetric") return x / scale;
    if (way == "tf_half_pixel_for_nn") return (x + 0.5F) / scale;
    if (way == "pytorch_half_pixel" && out == 1) return 0;
    if (way == "align_corners") {
        // ONNX's test cases take the side as scale x side, not rounded down.
        const double resized =
            sizing.by_sizes ? static_cast<double>(out) : double{scale} * static_cast<double>(in);
        return out == 1 ? 0 : x * static_cast<double>(in - 1) / (resized - 1);
    }
    if (way == "tf_crop_and_resize") {
        const double start = sizing.region[axis];
        const double end = sizing.region[sizing.output.size() + axis];
        const auto last = static_cast<double>(in - 1);
        return out == 1 ? 0.5 * (start + end) * last
                        : start * last + x * (end - start) * last / static_cast<double>(out - 1);
    }
    const float centred = (x + 0.5F) / scale - 0.5F;
    if (way != "half_pixel_symmetric") return centred;
    // The side before it was rounded down decides where the centre is.
    const float adjustment = static_cast<float>(out) / (scale * static_cast<float>(in));
    const float centre = static_cast<float>(in) / 2;
    return centre * (1 - adjustment) + centred;
}

double nearest_index(double x, const std::string& mode, float scale) {
    if (mode == "floor" || (mode == "ceil_or_floor" && !(scale < 1))) return std::floor(x);
    if (mode == "ceil" || mode == "ceil_or_floor") return std::ceil(x);
    const bool half = x - std::floor(x) == 0.5;
    if (half) return mode == "round_prefer_floor" ? std::floor(x) : std::ceil(x);
    return std::floor(x + 0.5);
}

/// Keys' kernel: the weights of four neighbours of a point at distance `t` behind the second.
std::vector<double> cubic_weights(double t, double a) {
    const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    return {far(1 + t), near(t), near(1 - t), far(2 - t)};
}

Taps taps_of(const Sizing& sizing, std::size_t axis, std::int64_t in, std::int64_t index) {
    const double x = coordinate(sizing, axis, in, index);
    Taps found;
    found.outside =
        sizing.coordinates == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(in - 1));
    const auto clamped = [in](double i) {
        return static_cast<std::int64_t>(std::clamp(i, 0.0, static_cast<double>(in - 1)));
    };
    if (sizing.mode == "nearest") {
        found.taps = {{clamped(nearest_index(x, sizing.nearest, sizing.scales[axis])), 1}};
        return found;
    }
    const double left = std::floor(x);
    const double t = x - left;
    const bool cubic = sizing.mode == "cubic";
    const std::vector<double> weights =
        cubic ? cubic_weights(t, sizing.cubic) : std::vector<double>{1 - t, t};
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double at = left + static_cast<double>(i) - (cubic ? 1 : 0);
        const bool beyond = at < 0 || at >= static_cast<double>(in);
        const double weight = sizing.exclude_outside && beyond ? 0 : weights[i];
        sum += weight;
        found.taps.emplace_back(clamped(at), weight);
    }
    if (sizing.exclude_outside) {
        for (auto& [at, weight] : found.taps) weight /= sum;
    }
    return found;
}

/// Whether elements keep their places on an axis: the scale is 1, and no formula moves them. Such
/// an axis is not interpolated. Elsewhere each neighbour counts, and 0 x NaN is NaN.
bool stays(const Sizing& sizing, std::size_t axis) {
    return sizing.scales[axis] == 1.0F && sizing.coordinates != "tf_crop_and_resize" &&
           sizing.coordinates != "tf_half_pixel_for_nn";
}

std::vector<Taps> all_taps(const Sizing& sizing, std::size_t axis, std::int64_t in) {
    std::vector<Taps> all;
    for (std::int64_t index = 0; index < sizing.output[axis]; ++index) {
        all.push_back(taps_of(sizing, axis, in, index));
    }
    return all;
}

std::vector<double> resized(const std::vector<double>& in, const AxisView& view,
                            const std::vector<Taps>& all) {
    std::vector<double> out(view.outer * all.size() * view.inner);
    for (std::size_t outer = 0; outer < view.outer; ++outer) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            double* to = out.data() + (outer * all.size() + i) * view.inner;
            for (const auto& [at, weight] : all[i].taps) {
                const double* from =
                    in.data() + (outer * view.side + static_cast<std::size_t>(at)) * view.inner;
                for (std::size_t x = 0; x < view.inner; ++x) to[x] += weight * from[x];
            }
        }
    }
    return out;
}

std::vector<TensorType> infer_resize(const OperatorCall& call) {
    const Sizing sizing(call);
    for (std::size_t axis = 0; axis < sizing.output.size(); ++axis) {
        if (call.shape(0)[axis] == 0 && sizing.output[axis] != 0) {
            call.fail_input(0, "got no elements to enlarge");
        }
    }
    return {{call.type(0).type, sizing.output}};
}

double flop_of_resize(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const Sizing sizing(call);
    if (sizing.mode == "nearest") return 0;
    // A multiplication and an addition for each tap along each axis that changes.
    double each = 0;
    for (std::size_t axis = 0; axis < sizing.output.size(); ++axis) {
        if (sizing.output[axis] != call.shape(0)[axis]) each += sizing.mode == "cubic" ? 8 : 4;
    }
    return each * static_cast<double>(outputs[0].elements());
}

void run_resize(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Sizing sizing(call);
    std::vector<float>& out = outputs[0].reals;
    if (out.empty()) return;
    Shape shape = call.shape(0);
    std::vector<double> values(call.reals(0).begin(), call.reals(0).end());
    std::vector<bool> outside(out.size());
    const std::vector<std::size_t> strides = strides_of(sizing.output);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (stays(sizing, axis)) continue;
        const std::vector<Taps> all = all_taps(sizing, axis, shape[axis]);
        values = resized(values, AxisView(shape, axis), all);
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (all[i / strides[axis] % all.size()].outside) outside[i] = true;
        }
        shape[axis] = sizing.output[axis];
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(outside[i] ? sizing.outside_value : values[i]);
    }
}

}  // namespace

Sizing::Sizing(const OperatorCall& call) : output(call.shape(0)) {
    call.expect_real(0);
    mode = choice(call, "mode", "nearest", {"nearest", "linear", "bilinear", "cubic"});
    if (mode == "bilinear") mode = "linear";
    // Up to operator set 10 there is a single mode, which ONNX's text leaves open: this is the one
    // of its node cases of that time and of ONNX Runtime.
    coordinates = "asymmetric";
    nearest = "ceil_or_floor";
    if (call.node->operation == "Upsample" && call.attributes().has("scales")) {
        for (const float scale : call.attributes().get<std::vector<float>>("scales")) {
            scales.push_back(scale);
        }
        read_scales(call, call.inputs());
        return;
    }
    if (call.node->operation == "Upsample" || call.node->version < 11) {
        read_scales(call, 1);
        return;
    }
    coordinates = choice(call, "coordinate_transformation_mode", "half_pixel",
                         {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                          "tf_half_pixel_for_nn", "tf_crop_and_resize", "half_pixel_symmetric"});
    if (coordinates == "half_pixel_symmetric" && call.node->version < 19) {
        call.fail(
            "coordinate_transformation_mode: got 'half_pixel_symmetric', which is of "
            "operator set 19 and later");
    }
    nearest = choice(call, "nearest_mode", "round_prefer_floor",
                     {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
    cubic = call.attributes().real("cubic_coeff_a", -0.75F);
    outside_value = call.attributes().real("extrapolation_value", 0);
    exclude_outside = call.attributes().integer("exclude_outside") != 0;
    if (call.attributes().has("axes")) {
        axes = call.axes(call.attributes().integers("axes"), output.size());
    } else {
        for (std::size_t axis = 0; axis < output.size(); ++axis) axes.push_back(axis);
    }
    if (coordinates == "tf_crop_and_resize") read_region(call);
    if (call.has(2) && call.type(2).elements() > 0) {
        read_scales(call, 2);
    } else {
        read_sizes(call, 3);
    }
    const bool shrinks =
        std::any_of(scales.begin(), scales.end(), [](float scale) { return scale < 1; });
    if (call.attributes().integer("antialias") != 0 && mode != "nearest" && shrinks) {
        call.fail(
            "antialias: got 1 for a tensor that shrinks, expected 0: filters that are wider "
            "than two or four elements are not supported");
    }
    // Where sides are whole numbers times their scales, both are the same.
    if (coordinates == "half_pixel_symmetric" && by_sizes) coordinates = "half_pixel";
}

void Sizing::read_region(const OperatorCall& call) {
    const std::vector<float>& given = call.reals(1);
    if (given.size() != 2 * axes.size()) {
        call.fail_input(1, "got " + std::to_string(given.size()) + " values, expected " +
                               std::to_string(2 * axes.size()));
    }
    region.assign(2 * output.size(), 0);
    std::fill(region.begin() + static_cast<std::ptrdiff_t>(output.size()), region.end(), 1);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        region[axes[i]] = given[i];
        region[output.size() + axes[i]] = given[axes.size() + i];
    }
}

/// Expands values of some axes to all of them.
template <class Number>
std::vector<Number> Sizing::of_all_axes(const OperatorCall& call, const std::string& what,
                                        const std::vector<Number>& given,
                                        std::vector<Number> otherwise) const {
    if (given.size() != axes.size()) {
        call.fail(what + "got " + std::to_string(given.size()) + " values, expected " +
                  std::to_string(axes.size()));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) otherwise[axes[i]] = given[i];
    return otherwise;
}

void Sizing::read_scales(const OperatorCall& call, std::size_t input) {
    if (call.has(input)) {
        call.expect_real(input);
        for (const float scale : call.reals(input)) scales.push_back(scale);
    }
    if (axes.empty()) {
        for (std::size_t axis = 0; axis < output.size(); ++axis) axes.push_back(axis);
    }
    scales = of_all_axes(call, "scales: ", scales, std::vector<float>(output.size(), 1));
    for (std::size_t axis = 0; axis < output.size(); ++axis) {
        const auto fraction =
            region.empty() ? 1.0F : static_cast<float>(region[output.size() + axis] - region[axis]);
        const float side = std::floor(static_cast<float>(output[axis]) * fraction * scales[axis]);
        if (call.node->operation == "Upsample" && scales[axis] < 1) {
            call.fail("scales: got " + std::to_string(scales[axis]) +
                      ", expected at least 1 to enlarge");
        }
        if (!(scales[axis] > 0) || !(side >= 0 && side < 0x1p31F)) {
            call.fail("scales: got " + std::to_string(scales[axis]) + " for a side of " +
                      std::to_string(output[axis]) + ", expected a side below 2^31");
        }
        output[axis] = static_cast<std::int64_t>(side);
    }
}

void Sizing::read_sizes(const OperatorCall& call, std::size_t input) {
    if (!call.has(input)) call.fail("expected scales or sizes");
    by_sizes = true;
    const Shape in = output;
    output = of_all_axes(call, "sizes: ", call.integers("", input), in);
    const std::string policy = choice(call, "keep_aspect_ratio_policy", "stretch",
                                      {"stretch", "not_larger", "not_smaller"});
    if (policy != "stretch") {
        keep_ratio(call, in, policy == "not_larger");
        return;
    }
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        if (in[axis] < 1 || output[axis] < 1 || output[axis] >= std::int64_t{1} << 31) {
            call.fail_input(input, "got side " + std::to_string(output[axis]) + " for " +
                                       std::to_string(in[axis]) + ", expected 1 to 2^31");
        }
        scales.push_back(static_cast<float>(output[axis]) / static_cast<float>(in[axis]));
    }
}

/// Sizes of the axes with the same scale, so that none is larger, or none smaller, than given.
void Sizing::keep_ratio(const OperatorCall& call, const Shape& in, bool not_larger) {
    double scale = 0;
    for (const std::size_t axis : axes) {
        if (in[axis] < 1 || output[axis] < 1) {
            call.fail("sizes: got side " + std::to_string(output[axis]) + " for " +
                      std::to_string(in[axis]) + ", expected 1 or more");
        }
        const double one = static_cast<double>(output[axis]) / static_cast<double>(in[axis]);
        const bool first = axis == axes.front();
        scale = first ? one : not_larger ? std::min(scale, one) : std::max(scale, one);
    }
    by_sizes = false;  // elements lie as the scale says
    scales.assign(in.size(), 1);
    for (const std::size_t axis : axes) {
        // ONNX rounds halves up.
        output[axis] =
            static_cast<std::int64_t>(std::floor(scale * static_cast<double>(in[axis]) + 0.5));
        scales[axis] = static_cast<float>(scale);
    }
}

std::vector<Operator> resize_operators() {
    constexpr std::uint32_t kResize = 14, kUpsample = 2;  // roi, scales and sizes; scales
    return {{"Resize", WorkKind::kCopy, infer_resize, run_resize, flop_of_resize, kResize},
            {"Upsample", WorkKind::kCopy, infer_resize, run_resize, flop_of_resize, kUpsample}};
}

}  // namespace tessera::network

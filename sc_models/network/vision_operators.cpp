// GridSample and NonMaxSuppression.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

// GridSample: elements of images, or of volumes, at positions that a grid names

enum class Padding : std::uint8_t { kZeros, kBorder, kReflection };

/// Attributes of a GridSample and sides of its tensors.
struct Sampling {
    std::size_t taps = 1;  ///< of each side: 1 nearest, 2 linear, 4 cubic
    Padding padding = Padding::kZeros;
    bool align_corners = false;
    Shape sides;             ///< spatial sides of the input
    std::size_t points = 1;  ///< of the grid, for each image

    explicit Sampling(const OperatorCall& call) {
        call.expect_real(0);
        call.expect_real(1);
        const Shape& x = call.shape(0);
        const Shape& grid = call.shape(1);
        const bool new_names = call.node->version >= 20;
        const bool volumes = new_names && x.size() == 5;
        if (x.size() != 4 && !volumes) {
            call.fail_input(0, "got shape " + shape_text(x) + ", expected images" +
                                   (new_names ? " or volumes" : ""));
        }
        sides.assign(x.begin() + 2, x.end());
        if (grid.size() != x.size() || grid[0] != x[0] ||
            grid.back() != static_cast<std::int64_t>(sides.size())) {
            call.fail_input(
                1, "got shape " + shape_text(grid) + ", expected " + std::to_string(sides.size()) +
                       " coordinates for each point of " + std::to_string(x[0]) + " grids");
        }
        for (std::size_t axis = 1; axis + 1 < grid.size(); ++axis) {
            points *= static_cast<std::size_t>(grid[axis]);
        }
        if (points > 0 && std::find(sides.begin(), sides.end(), 0) != sides.end()) {
            call.fail_input(0, "got no elements to sample");
        }
        align_corners = call.attributes().integer("align_corners") != 0;
        read_mode(call, new_names);
        const std::string how = call.attributes().text("padding_mode", "zeros");
        if (how != "zeros" && how != "border" && how != "reflection") {
            call.fail("padding_mode: got '" + how +
                      "', expected one of {zeros, border, reflection}");
        }
        padding = how == "zeros"    ? Padding::kZeros
                  : how == "border" ? Padding::kBorder
                                    : Padding::kReflection;
    }

    void read_mode(const OperatorCall& call, bool new_names) {
        const std::string linear = new_names ? "linear" : "bilinear";
        const std::string cubic = new_names ? "cubic" : "bicubic";
        const std::string mode = call.attributes().text("mode", linear);
        if (mode != "nearest" && mode != linear && mode != cubic) {
            call.fail("mode: got '" + mode + "', expected one of {nearest, " + linear + ", " +
                      cubic + "}");
        }
        if (mode == cubic && sides.size() != 2) {
            call.fail("mode: got '" + mode + "' for volumes, expected nearest or " + linear);
        }
        taps = mode == "nearest" ? 1 : mode == linear ? 2 : 4;
    }

    /// Reflects a position at the borders until it lies between them.
    [[nodiscard]] double reflected(double x, double side) const {
        const double low = align_corners ? 0 : -0.5;
        const double high = align_corners ? side - 1 : side - 0.5;
        const double range = high - low;
        if (range <= 0) return 0;
        const bool is_below = x < low;
        if (!is_below && x <= high) return x;
        const double beyond = is_below ? low - x : x - high;
        const double turns = std::floor(beyond / range);
        const double rest = beyond - turns * range;
        const bool from_same_end = std::fmod(turns, 2) == 0;
        return from_same_end == is_below ? low + rest : high - rest;
    }

    /// The index that a tap reads; -1: none.
    [[nodiscard]] std::int64_t index(double at, std::int64_t side) const {
        const double last = static_cast<double>(side - 1);
        if (at >= 0 && at <= last) return static_cast<std::int64_t>(at);
        if (padding == Padding::kZeros || std::isnan(at)) return -1;
        if (padding == Padding::kReflection) at = reflected(at, static_cast<double>(side));
        return static_cast<std::int64_t>(std::clamp(at, 0.0, last));
    }

    /// Position on a side of a coordinate from -1 to 1.
    [[nodiscard]] double position(double coordinate, std::int64_t side) const {
        const auto n = static_cast<double>(side);
        double at = align_corners ? (coordinate + 1) / 2 * (n - 1) : ((coordinate + 1) * n - 1) / 2;
        if (taps == 1) at = std::nearbyint(at);
        if (padding == Padding::kBorder) at = std::clamp(at, 0.0, n - 1);
        if (padding == Padding::kReflection) at = reflected(at, n);
        return at;
    }
};

/// Indices and weights of the taps along one side.
struct SideTaps {
    std::array<std::int64_t, 4> indices{};
    std::array<double, 4> weights{};
};

SideTaps taps_at(const Sampling& sampling, double at, std::int64_t side) {
    SideTaps found;
    const double first = std::floor(at);
    const double t = at - first;
    if (sampling.taps == 1) {
        found.indices[0] = sampling.index(std::nearbyint(at), side);
        found.weights[0] = 1;
    } else if (sampling.taps == 2) {
        found.weights = {1 - t, t};
        for (std::size_t i = 0; i < 2; ++i) {
            found.indices[i] = sampling.index(first + static_cast<double>(i), side);
        }
    } else {
        // Keys' kernel with a = -0.75.
        constexpr double kA = -0.75;
        const auto near = [](double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
        const auto far = [](double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
        found.weights = {far(1 + t), near(t), near(1 - t), far(2 - t)};
        for (std::size_t i = 0; i < 4; ++i) {
            found.indices[i] = sampling.index(first - 1 + static_cast<double>(i), side);
        }
    }
    return found;
}

std::vector<TensorType> infer_grid_sample(const OperatorCall& call) {
    (void)Sampling(call);
    const Shape& grid = call.shape(1);
    Shape shape = {call.shape(0)[0], call.shape(0)[1]};
    shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
    return {{call.type(0).type, shape}};
}

double flop_of_grid_sample(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const Sampling sampling(call);
    if (sampling.taps == 1) return 0;
    const double each = 2 * std::pow(static_cast<double>(sampling.taps),
                                     static_cast<double>(sampling.sides.size()));
    return each * static_cast<double>(outputs[0].elements());
}

void run_grid_sample(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Sampling sampling(call);
    const std::size_t count = sampling.sides.size();
    const std::size_t pixels = element_count(sampling.sides);
    const auto channels = static_cast<std::size_t>(call.shape(0)[1]);
    const std::vector<std::size_t> strides = strides_of(sampling.sides);
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < count; ++i) combinations *= sampling.taps;
    const auto grids = static_cast<std::size_t>(call.shape(1)[0]);
    for (std::size_t point = 0; point < grids * sampling.points; ++point) {
        // The last coordinate of a point is that of the first side.
        std::vector<SideTaps> taps;
        for (std::size_t side = 0; side < count; ++side) {
            const double coordinate = call.reals(1)[point * count + count - 1 - side];
            taps.push_back(taps_at(sampling, sampling.position(coordinate, sampling.sides[side]),
                                   sampling.sides[side]));
        }
        const std::size_t image = point / sampling.points;
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const float* plane = call.reals(0).data() + (image * channels + channel) * pixels;
            double sum = 0;
            for (std::size_t i = 0; i < combinations; ++i) {
                double weight = 1;
                std::size_t at = 0;
                bool is_inside = true;
                for (std::size_t side = 0, rest = i; side < count; ++side) {
                    const std::size_t tap = rest % sampling.taps;
                    rest /= sampling.taps;
                    is_inside = is_inside && taps[side].indices[tap] >= 0;
                    weight *= taps[side].weights[tap];
                    at += static_cast<std::size_t>(
                              std::max<std::int64_t>(taps[side].indices[tap], 0)) *
                          strides[side];
                }
                if (is_inside) sum += weight * plane[at];
            }
            outputs[0]
                .reals[(image * channels + channel) * sampling.points + point % sampling.points] =
                static_cast<float>(sum);
        }
    }
}

// NonMaxSuppression: boxes in the order of their scores, less those that overlap a better one

struct Box {
    float top = 0, left = 0, bottom = 0, right = 0;

    [[nodiscard]] float area() const { return (bottom - top) * (right - left); }
};

Box box_of(const OperatorCall& call, std::size_t number) {
    const float* given = call.reals(0).data() + 4 * number;
    if (call.attributes().integer("center_point_box") != 0) {
        const float half_width = given[2] / 2, half_height = given[3] / 2;
        return {given[1] - half_height, given[0] - half_width, given[1] + half_height,
                given[0] + half_width};
    }
    return {std::min(given[0], given[2]), std::min(given[1], given[3]),
            std::max(given[0], given[2]), std::max(given[1], given[3])};
}

/// Intersection over union.
float overlap(const Box& a, const Box& b) {
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0) return 0;
    const float both = height * width;
    const float either = a.area() + b.area() - both;
    return either <= 0 ? 0 : both / either;
}

float threshold_of(const OperatorCall& call, std::size_t input, float otherwise) {
    return call.has(input) && !call.reals(input).empty() ? call.reals(input)[0] : otherwise;
}

/// Triples of image, class and box.
std::vector<std::int64_t> chosen_boxes(const OperatorCall& call) {
    const Shape& boxes = call.shape(0);
    const Shape& scores = call.shape(1);
    if (boxes.size() != 3 || boxes[2] != 4) {
        call.fail_input(0, "got shape " + shape_text(boxes) + ", expected images x boxes x 4");
    }
    if (scores.size() != 3 || scores[0] != boxes[0] || scores[2] != boxes[1]) {
        call.fail_input(1, "got shape " + shape_text(scores) + ", expected images x classes x " +
                               std::to_string(boxes[1]) + " boxes");
    }
    const std::int64_t most = call.has(2) && !call.indices(2).empty() ? call.indices(2)[0] : 0;
    const float most_overlap = threshold_of(call, 3, 0);
    const bool has_least = call.has(4) && !call.reals(4).empty();
    const float least_score = threshold_of(call, 4, 0);
    const auto count = static_cast<std::size_t>(boxes[1]);
    std::vector<std::int64_t> chosen;
    for (std::int64_t row = 0; row < scores[0] * scores[1]; ++row) {
        const std::int64_t image = row / scores[1];
        const float* score = call.reals(1).data() + static_cast<std::size_t>(row) * count;
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
        std::vector<Box> kept;
        for (const std::size_t box : order) {
            if (static_cast<std::int64_t>(kept.size()) >= most) break;
            if (has_least && !(score[box] > least_score)) break;
            const Box one = box_of(call, static_cast<std::size_t>(image) * count + box);
            if (std::any_of(kept.begin(), kept.end(),
                            [&](const Box& other) { return overlap(one, other) > most_overlap; })) {
                continue;
            }
            kept.push_back(one);
            chosen.insert(chosen.end(), {image, row % scores[1], static_cast<std::int64_t>(box)});
        }
    }
    return chosen;
}

std::vector<TensorType> infer_suppression(const OperatorCall& call) {
    return {{ElementType::kInt64, {static_cast<std::int64_t>(chosen_boxes(call).size() / 3), 3}}};
}

void run_suppression(const OperatorCall& call, std::vector<Tensor>& outputs) {
    outputs[0].integers = chosen_boxes(call);
}

}  // namespace

std::vector<Operator> vision_operators() {
    constexpr std::uint32_t kAllInputs = 31;
    return {{"GridSample", WorkKind::kReduction, infer_grid_sample, run_grid_sample,
             flop_of_grid_sample},
            {"NonMaxSuppression", WorkKind::kCopy, infer_suppression, run_suppression, nullptr,
             kAllInputs}};
}

}  // namespace tessera::network

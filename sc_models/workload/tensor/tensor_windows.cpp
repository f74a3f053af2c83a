#include "sc_models/workload/tensor/tensor_windows.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// A view of a dense tensor with its strides.
TensorView view_of(const TensorShape& shape) {
    TensorView view;
    view.axes.resize(shape.size());
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        view.axes[d].kept = view.axes[d].reduced = stride;
        stride *= static_cast<std::int64_t>(shape[d]);
    }
    return view;
}

TensorPart part_of(const TensorShape& result, const TensorShape& operand) {
    TensorPart part;
    part.kept = result;
    part.reduced.assign(result.size(), 1);
    part.result = view_of(result);
    part.operands = {view_of(operand)};
    return part;
}

}  // namespace

std::int64_t padded_index(std::int64_t at, std::int64_t size, PadMode mode) {
    if (at >= 0 && at < size) return at;
    switch (mode) {
        case PadMode::kEdge:
            return std::clamp<std::int64_t>(at, 0, size - 1);
        case PadMode::kReflect:
            return at < 0 ? -at : 2 * (size - 1) - at;
        case PadMode::kConstant:
            break;
    }
    return kOutside;
}

TensorPart pool_part(const TensorOperation& o) {
    TensorPart part = part_of(result_shapes(o)[0], o.operands[0]);
    const bool mean = o.op == TensorOperator::kAveragePool;
    if (mean) part.counts.resize(part.kept.size());
    for (std::size_t i = 0; i < o.axes.size(); ++i) {
        const std::uint32_t d = o.axes[i];
        TensorAxis& axis = part.operands[0].axes[d];
        const auto size = static_cast<std::int64_t>(o.operands[0][d]);
        const std::int64_t stride = axis.kept;
        part.reduced[d] = o.window[i];
        for (std::uint64_t k = 0; k < part.kept[d]; ++k) {
            float counted = 0;
            for (std::uint32_t r = 0; r < o.window[i]; ++r) {
                const std::int64_t at = static_cast<std::int64_t>(k) * o.strides[i] -
                                        o.pads_before[i] + std::int64_t{r} * o.dilations[i];
                const std::int64_t within = padded_index(at, size, PadMode::kConstant);
                axis.table.push_back(within == kOutside ? kOutside : within * stride);
                // Positions beyond the padding, reached by a rounded-up number of windows, do not
                // count.
                const bool counts = o.count_padding ? at < size + o.pads_after[i] : at == within;
                if (counts) ++counted;
            }
            if (mean) part.counts[d].push_back(counted);
        }
    }
    return part;
}

double resized_place(const TensorOperation& o, std::size_t axis, std::uint64_t k) {
    const auto from = static_cast<double>(o.operands[0][axis]);
    const auto to = static_cast<double>(o.results[0][axis]);
    // FP32, the precision of scales.
    const float scale =
        o.scales.empty() ? static_cast<float>(to) / static_cast<float>(from) : o.scales[axis];
    const auto at = static_cast<float>(k);
    switch (o.coordinates) {
        case ResizeCoordinates::kAsymmetric:
            return at / scale;
        case ResizeCoordinates::kAlignCorners:
            // The output size is not rounded down here, as in ONNX's test cases.
            return to == 1 ? 0
                           : at * (from - 1) / ((o.scales.empty() ? to : double{scale} * from) - 1);
        case ResizeCoordinates::kHalfPixelForNn:
            return (at + 0.5F) / scale;
        case ResizeCoordinates::kCropAndResize: {
            const double begin = o.region[axis], end = o.region[o.results[0].size() + axis];
            if (to == 1) return 0.5 * (begin + end) * (from - 1);
            return begin * (from - 1) + at * (end - begin) * (from - 1) / (to - 1);
        }
        case ResizeCoordinates::kPytorchHalfPixel:
            if (to <= 1) return 0;
            [[fallthrough]];
        case ResizeCoordinates::kHalfPixel:
            break;
    }
    return (at + 0.5F) / scale - 0.5F;
}

std::int64_t nearest_index(double place, ResizeRounding rounding) {
    switch (rounding) {
        case ResizeRounding::kFloor:
            return static_cast<std::int64_t>(std::floor(place));
        case ResizeRounding::kCeil:
            return static_cast<std::int64_t>(std::ceil(place));
        case ResizeRounding::kRoundPreferCeil:
            return static_cast<std::int64_t>(std::floor(place + 0.5));
        case ResizeRounding::kRoundPreferFloor:
            break;
    }
    return static_cast<std::int64_t>(std::ceil(place - 0.5));
}

/// Weights of the neighbours of a position that is the fraction `share` behind one: two, or, by
/// Keys' cubic convolution, four, starting one before it.
std::vector<double> resize_weights(const TensorOperation& o, double share) {
    if (o.resize == ResizeMode::kLinear) return {1 - share, share};
    const double a = o.alpha;
    const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    return {far(1 + share), near(share), near(1 - share), far(2 - share)};
}

TensorPart resize_part(const TensorOperation& o) {
    TensorPart part = part_of(o.results[0], o.operands[0]);
    const bool nearest = o.resize == ResizeMode::kNearest;
    const bool crops = o.coordinates == ResizeCoordinates::kCropAndResize;
    const bool moves = crops || o.coordinates == ResizeCoordinates::kHalfPixelForNn;
    if (!nearest) part.weights.resize(part.kept.size());
    for (std::size_t d = 0; d < part.kept.size(); ++d) {
        const auto size = static_cast<std::int64_t>(o.operands[0][d]);
        TensorAxis& axis = part.operands[0].axes[d];
        const bool same =
            part.kept[d] == o.operands[0][d] && (o.scales.empty() || o.scales[d] == 1.0F);
        if (same && !moves) continue;
        if (!nearest) part.reduced[d] = o.resize == ResizeMode::kLinear ? 2 : 4;
        for (std::uint64_t k = 0; k < part.kept[d]; ++k) {
            const double place = resized_place(o, d, k);
            const bool outside = crops && (place < 0 || place > static_cast<double>(size - 1));
            const auto add = [&](std::int64_t at) {
                const std::int64_t within = std::clamp<std::int64_t>(at, 0, size - 1);
                axis.table.push_back(outside ? kOutside : within * axis.kept);
            };
            if (nearest) {
                add(nearest_index(place, o.rounding));
                continue;
            }
            const double low = std::floor(place);
            std::vector<double> weights = resize_weights(o, place - low);
            const auto first =
                static_cast<std::int64_t>(low) - (o.resize == ResizeMode::kCubic ? 1 : 0);
            double sum = 0;
            for (std::size_t i = 0; i < weights.size(); ++i) {
                const std::int64_t at = first + static_cast<std::int64_t>(i);
                add(at);
                if (o.exclude_outside && (at < 0 || at >= size)) weights[i] = 0;
                sum += weights[i];
            }
            if (outside) {  // all taps are the replacement value
                weights.assign(weights.size(), 0);
                weights[0] = sum = 1;
            }
            for (const double weight : weights) {
                part.weights[d].push_back(
                    static_cast<float>(o.exclude_outside ? weight / sum : weight));
            }
        }
    }
    return part;
}

}  // namespace tessera

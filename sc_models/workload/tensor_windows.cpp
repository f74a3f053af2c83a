#include "sc_models/workload/tensor_windows.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// Strides of a dense tensor, as the axes of a view of it.
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
                // What a rounded-up number of windows reaches beyond the padding is not counted.
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
    const double scale = o.scales.empty() ? to / from : static_cast<double>(o.scales[axis]);
    const auto at = static_cast<double>(k);
    switch (o.coordinates) {
        case ResizeCoordinates::kAsymmetric:
            return at / scale;
        case ResizeCoordinates::kAlignCorners:
            // As ONNX's cases have it, sides are not rounded down for this.
            return to == 1 ? 0 : at * (from - 1) / ((o.scales.empty() ? to : scale * from) - 1);
        case ResizeCoordinates::kPytorchHalfPixel:
            if (to <= 1) return 0;
            [[fallthrough]];
        case ResizeCoordinates::kHalfPixel:
            break;
    }
    return (at + 0.5) / scale - 0.5;
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

TensorPart resize_part(const TensorOperation& o) {
    TensorPart part = part_of(o.results[0], o.operands[0]);
    const bool linear = o.resize == ResizeMode::kLinear;
    if (linear) part.weights.resize(part.kept.size());
    for (std::size_t d = 0; d < part.kept.size(); ++d) {
        const auto size = static_cast<std::int64_t>(o.operands[0][d]);
        TensorAxis& axis = part.operands[0].axes[d];
        const bool same =
            part.kept[d] == o.operands[0][d] && (o.scales.empty() || o.scales[d] == 1.0F);
        if (same) continue;
        if (linear) part.reduced[d] = 2;
        const auto add = [&](std::int64_t at) {
            axis.table.push_back(std::clamp<std::int64_t>(at, 0, size - 1) * axis.kept);
        };
        for (std::uint64_t k = 0; k < part.kept[d]; ++k) {
            const double place = resized_place(o, d, k);
            if (!linear) {
                add(nearest_index(place, o.rounding));
                continue;
            }
            const double low = std::floor(place);
            const auto share = static_cast<float>(place - low);
            add(static_cast<std::int64_t>(low));
            add(static_cast<std::int64_t>(low) + 1);
            part.weights[d].push_back(1 - share);
            part.weights[d].push_back(share);
        }
    }
    return part;
}

}  // namespace tessera

#include <algorithm>
#include <cmath>
#include <limits>

#include "sc_models/workload/tensor/tensor_golden.h"

// Operators with windows, padding and positions between elements, according to ONNX.

namespace tessera {

TensorReference TensorDefinition::pool(const ElementIndex& at) const {
    double sum = 0, magnitude = 0, most = -std::numeric_limits<double>::infinity(), taps = 0;
    ElementIndex window(o_.axes.size(), 0);
    while (true) {
        ElementIndex from = at;
        bool within = true, counted = true;
        for (std::size_t i = 0; i < o_.axes.size(); ++i) {
            const std::uint32_t d = o_.axes[i];
            from[d] = at[d] * o_.strides[i] + window[i] * o_.dilations[i] - o_.pads_before[i];
            within = within && from[d] >= 0 && from[d] < size(0, d);
            counted = counted && from[d] < size(0, d) + o_.pads_after[i];
        }
        if (within || (o_.count_padding && counted)) ++taps;
        if (within) {
            const double x = get(0, from);
            sum += x;
            magnitude += std::fabs(x);
            most = x > most || std::isnan(x) ? x : most;
        }
        std::size_t i = window.size();
        while (i > 0 && ++window[i - 1] == o_.window[i - 1]) window[--i] = 0;
        if (i == 0) break;
    }
    if (o_.op == TensorOperator::kMaxPool) return exact(most);
    return {sum / taps, magnitude};
}

TensorReference TensorDefinition::pad(ElementIndex at) const {
    for (std::size_t d = 0; d < at.size(); ++d) {
        at[d] -= o_.pads_before[d];
        const std::int64_t last = size(0, d) - 1;
        if (at[d] >= 0 && at[d] <= last) continue;
        if (o_.pad_mode == PadMode::kConstant) {
            return exact(o_.alpha);
        }
        if (o_.pad_mode == PadMode::kEdge) {
            at[d] = at[d] < 0 ? 0 : last;
        } else {
            at[d] = at[d] < 0 ? -at[d] : last - (at[d] - last);
        }
    }
    return exact(get(0, at));
}

double TensorDefinition::input_place(std::size_t d, double k) const {
    const auto from = static_cast<double>(o_.operands[0][d]);
    const auto to = static_cast<double>(o_.results[0][d]);
    const float scale =
        o_.scales.empty() ? static_cast<float>(to) / static_cast<float>(from) : o_.scales[d];
    const auto index = static_cast<float>(k);
    switch (o_.coordinates) {
        case ResizeCoordinates::kAsymmetric:
            return index / scale;
        case ResizeCoordinates::kAlignCorners:
            return to == 1 ? 0
                           : k * (from - 1) / ((o_.scales.empty() ? to : double{scale} * from) - 1);
        case ResizeCoordinates::kHalfPixelForNn:
            return (index + 0.5F) / scale;
        case ResizeCoordinates::kCropAndResize: {
            const double begin = o_.region[d] * (from - 1);
            const double end = o_.region[o_.operands[0].size() + d] * (from - 1);
            return to == 1 ? (begin + end) / 2 : begin + k * (end - begin) / (to - 1);
        }
        case ResizeCoordinates::kPytorchHalfPixel:
            return to > 1 ? (index + 0.5F) / scale - 0.5F : 0;
        default:
            return (index + 0.5F) / scale - 0.5F;
    }
}

std::vector<TensorDefinition::ResizeTap> TensorDefinition::resize_taps(std::size_t d,
                                                                       double place) const {
    const double low = std::floor(place), t = place - low, a = o_.alpha;
    const auto at = static_cast<std::int64_t>(low);
    std::vector<ResizeTap> taps;
    if (o_.resize == ResizeMode::kNearest) {
        const double middle = low + 0.5;
        const bool up = o_.rounding == ResizeRounding::kCeil              ? place > low
                        : o_.rounding == ResizeRounding::kFloor           ? false
                        : o_.rounding == ResizeRounding::kRoundPreferCeil ? place >= middle
                                                                          : place > middle;
        taps = {{at + (up ? 1 : 0), 1}};
    } else if (o_.resize == ResizeMode::kLinear) {
        taps = {{at, 1 - t}, {at + 1, t}};
    } else {
        for (std::int64_t i = -1; i <= 2; ++i) {
            const double x = std::fabs(t - static_cast<double>(i));
            const double weight = x <= 1 ? (a + 2) * x * x * x - (a + 3) * x * x + 1
                                         : a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a;
            taps.push_back({at + i, weight});
        }
    }
    double sum = 0;
    for (ResizeTap& tap : taps) {
        const bool outside = tap.at < 0 || tap.at >= size(0, d);
        if (o_.exclude_outside && outside && o_.resize != ResizeMode::kNearest) tap.weight = 0;
        sum += tap.weight;
        tap.at = std::clamp<std::int64_t>(tap.at, 0, size(0, d) - 1);
    }
    if (o_.exclude_outside) {
        for (ResizeTap& tap : taps) tap.weight /= sum;
    }
    return taps;
}

TensorReference TensorDefinition::resize(const ElementIndex& at) const {
    std::vector<std::vector<ResizeTap>> taps;
    for (std::size_t d = 0; d < at.size(); ++d) {
        const double place = input_place(d, static_cast<double>(at[d]));
        const bool crops = o_.coordinates == ResizeCoordinates::kCropAndResize;
        if (crops && (place < 0 || place > static_cast<double>(size(0, d) - 1))) {
            return {o_.beta, o_.resize == ResizeMode::kNearest ? 0 : 16 * std::fabs(o_.beta)};
        }
        const bool same =
            o_.results[0][d] == o_.operands[0][d] && (o_.scales.empty() || o_.scales[d] == 1.0F);
        const bool moves = crops || o_.coordinates == ResizeCoordinates::kHalfPixelForNn;
        if (same && !moves) {
            taps.push_back({{at[d], 1}});
        } else {
            taps.push_back(resize_taps(d, place));
        }
    }
    double sum = 0, magnitude = 0;
    std::vector<std::size_t> tap(at.size());
    while (true) {
        ElementIndex from = at;
        double weight = 1;
        for (std::size_t d = 0; d < at.size(); ++d) {
            from[d] = taps[d][tap[d]].at;
            weight *= taps[d][tap[d]].weight;
        }
        sum += weight * get(0, from);  // with a weight of 0, too: 0 x NaN is NaN
        if (weight != 0) {
            magnitude += std::max(1.0, std::fabs(weight)) * std::fabs(get(0, from));
        }
        std::size_t d = tap.size();
        while (d > 0 && ++tap[d - 1] == taps[d - 1].size()) tap[--d] = 0;
        if (d == 0) break;
    }
    return {sum, o_.resize == ResizeMode::kNearest ? 0 : 4 * magnitude};
}

}  // namespace tessera

#include "sc_models/workload/convolution_pass.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kAligned = 8;  // halves

std::uint64_t to_index(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

ConvolutionAxis axis(std::uint32_t size, std::uint32_t filter, std::uint32_t pad,
                     std::uint32_t stride, std::uint32_t dilation) {
    return {size, filter, pad, stride, dilation};
}

void check_axis(const ConvolutionAxis& axis, const char* side) {
    const std::int64_t wide = (axis.filter - 1) * axis.dilation + 1;
    if (wide <= axis.size + 2 * axis.pad) return;
    throw ConfigError(std::string("workload.layer.filter_") + side + ": got " +
                      std::to_string(axis.filter) + ", expected a filter that covers at most the " +
                      std::to_string(axis.size + 2 * axis.pad) +
                      " of the padded input (with its dilation: " + std::to_string(wide) + ")");
}

/// Taps that meet input coordinates of class `of_class`.
std::vector<std::int64_t> taps_of_class(const ConvolutionAxis& axis, std::int64_t of_class) {
    std::vector<std::int64_t> taps;
    for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
        if ((of_class + axis.pad - tap * axis.dilation) % axis.stride == 0) taps.push_back(tap);
    }
    return taps;
}

std::uint64_t most_taps_of_class(const ConvolutionAxis& axis) {
    std::size_t most = 0;
    for (std::int64_t of_class = 0; of_class < std::min(axis.stride, axis.size); ++of_class) {
        most = std::max(most, taps_of_class(axis, of_class).size());
    }
    return most;
}

std::vector<std::int64_t> all_taps(const ConvolutionAxis& axis) {
    std::vector<std::int64_t> taps(to_index(axis.filter));
    for (std::size_t i = 0; i < taps.size(); ++i) taps[i] = static_cast<std::int64_t>(i);
    return taps;
}

}  // namespace

ConvolutionPass::ConvolutionPass(const LayerConfig& layer, LayerPass pass, SumOrder order)
    : pass_(pass),
      order_(order),
      y_(axis(layer.height, layer.filter_height, layer.pad_of_height(), layer.stride_of_height(),
              layer.dilation)),
      x_(axis(layer.width, layer.filter_width, layer.pad_of_width(), layer.stride_of_width(),
              layer.dilation)),
      batch_(layer.batch),
      groups_(layer.groups),
      channels_(layer.channels / groups_),
      filters_(layer.filters / groups_),
      input_pitch_(round_up(std::uint64_t{layer.channels}, kAligned)),
      output_pitch_(round_up(std::uint64_t{layer.filters}, kAligned)) {
    check_groups(layer);
    check_axis(y_, "height");
    check_axis(x_, "width");
    if (groups_ == 1) {
        channels_ = input_pitch_;
        filters_ = output_pitch_;
    }
    const std::uint64_t pixels =
        batch_ * to_index(std::max(y_.size * x_.size, y_.outputs() * x_.outputs()));
    if (pixels > std::numeric_limits<std::int32_t>::max()) {
        throw ConfigError("workload.layer.batch: got " + std::to_string(batch_) +
                          ", expected tensors of less than 2^31 pixels");
    }
    if (pass == LayerPass::kBackwardData) {
        add_classes();
        return;
    }
    const std::uint64_t outputs = batch_ * to_index(y_.outputs() * x_.outputs());
    for (std::uint32_t group = 0; group < groups_; ++group) {
        Member member{group,  0, 0, y_.outputs(), x_.outputs(), all_taps(y_), all_taps(x_),
                      taps(), 0, 0};
        const bool forward = pass == LayerPass::kForward;
        member.m = forward ? outputs : filters_;
        member.k = forward ? taps() * k_of_tap() : outputs;
        members_.push_back(std::move(member));
    }
}

ConvolutionPass::PartOfTap ConvolutionPass::part_of_tap(std::uint64_t taps, std::uint64_t k) const {
    if (order_ == SumOrder::kTapsOuter) {
        const std::uint64_t of_tap = k_of_tap();
        return {k / of_tap, k % of_tap, of_tap - k % of_tap};
    }
    constexpr std::uint64_t kPart = DenseKernel::kStep;
    const std::uint64_t of_taps = taps * kPart;
    return {k % of_taps / kPart, k / of_taps * kPart + k % kPart, kPart - k % kPart};
}

void ConvolutionPass::add_classes() {
    const std::uint64_t most_taps = most_taps_of_class(y_) * most_taps_of_class(x_);
    for (std::int64_t class_y = 0; class_y < std::min(y_.stride, y_.size); ++class_y) {
        for (std::int64_t class_x = 0; class_x < std::min(x_.stride, x_.size); ++class_x) {
            Member member;
            member.class_y = class_y;
            member.class_x = class_x;
            member.height = (y_.size - class_y - 1) / y_.stride + 1;
            member.width = (x_.size - class_x - 1) / x_.stride + 1;
            member.taps_y = taps_of_class(y_, class_y);
            member.taps_x = taps_of_class(x_, class_x);
            member.m = batch_ * to_index(member.height * member.width);
            member.taps = member.taps_y.empty() || member.taps_x.empty() ? 0 : most_taps;
            member.k = member.taps * k_of_tap();
            for (member.group = 0; member.group < groups_; ++member.group) {
                members_.push_back(member);
            }
        }
    }
}

std::uint64_t ConvolutionPass::input_elements() const {
    return batch_ * to_index(y_.size * x_.size) * input_pitch_;
}

std::uint64_t ConvolutionPass::output_elements() const {
    return batch_ * to_index(y_.outputs() * x_.outputs()) * output_pitch_;
}

std::uint64_t ConvolutionPass::filter_elements() const {
    return groups_ * filters_ * filter_pitch();
}

std::uint64_t ConvolutionPass::result_elements() const {
    switch (pass_) {
        case LayerPass::kForward:
            return output_elements();
        case LayerPass::kBackwardData:
            return input_elements();
        case LayerPass::kBackwardWeight:
            break;
    }
    return groups_ * filters_ * columns_of_d();
}

std::uint64_t ConvolutionPass::columns_of_d() const {
    switch (pass_) {
        case LayerPass::kForward:
            return filters_;
        case LayerPass::kBackwardData:
            return channels_;
        case LayerPass::kBackwardWeight:
            break;
    }
    return taps() * columns_of_tap();
}

std::uint32_t ConvolutionPass::lane_halves() const {
    std::uint32_t halves = kAligned;
    while (channels_ % halves != 0 || filters_ % halves != 0) halves /= 2;
    return halves;
}

std::uint64_t ConvolutionPass::element(std::uint32_t index, std::uint64_t row) const {
    const Member& member = members_[index];
    switch (pass_) {
        case LayerPass::kForward:
            return row * output_pitch_ + member.group * filters_;
        case LayerPass::kBackwardWeight:
            return (member.group * filters_ + row) * columns_of_d();
        case LayerPass::kBackwardData:
            break;
    }
    const std::uint64_t width = to_index(member.width);
    const std::uint64_t of_image = to_index(member.height) * width;
    const std::uint64_t y = row % of_image / width * to_index(y_.stride) + to_index(member.class_y);
    const std::uint64_t x = row % width * to_index(x_.stride) + to_index(member.class_x);
    const std::uint64_t pixel = (row / of_image * to_index(y_.size) + y) * to_index(x_.size) + x;
    return pixel * input_pitch_ + member.group * channels_;
}

void PixelSource::runs(std::uint32_t index, std::uint64_t outer, std::uint64_t first,
                       std::uint64_t end, std::vector<ElementRun>& out) const {
    const ConvolutionPass::Member& member = pass_.members()[index];
    const std::uint64_t width = to_index(member.width);
    const std::uint64_t of_image = to_index(member.height) * width;
    const std::uint64_t image = outer / of_image;
    if (image >= pass_.batch()) return;
    constexpr std::uint64_t kHalf = sizeof(HalfBits);
    const ConvolutionAxis &rows = pass_.rows(), &columns = pass_.columns();
    if (pass_.pass() == LayerPass::kBackwardWeight && of_ == Of::kOutput) {
        const std::uint64_t behind = std::min(end, pass_.filters());
        if (first >= behind) return;
        const std::uint64_t at =
            outer * pass_.output_pitch() + member.group * pass_.filters() + first;
        out.push_back({base_ + at * kHalf, first, behind - first});
        return;
    }
    const bool backward = of_ == Of::kOutput;
    const std::uint64_t channels = backward ? pass_.filters() : pass_.channels();
    const std::uint64_t pitch = backward ? pass_.output_pitch() : pass_.input_pitch();
    const std::int64_t height = backward ? rows.outputs() : rows.size;
    const std::int64_t breadth = backward ? columns.outputs() : columns.size;
    const auto y = static_cast<std::int64_t>(outer % of_image / width);
    const auto x = static_cast<std::int64_t>(outer % width);
    const std::uint64_t met_taps = member.taps_y.size() * member.taps_x.size();
    const bool are_columns = pass_.pass() == LayerPass::kBackwardWeight;
    const std::uint64_t of_tap = pass_.columns_of_tap();
    const std::uint64_t all = are_columns ? met_taps * of_tap : member.k;
    for (std::uint64_t at = first; at < std::min(end, all);) {
        const auto [tap, inner, count] =
            are_columns ? ConvolutionPass::PartOfTap{at / of_tap, at % of_tap, of_tap - at % of_tap}
                        : pass_.part_of_tap(member.taps, at);
        const std::uint64_t next = at + count;
        if (inner >= channels || tap >= met_taps) {
            at = next;
            continue;
        }
        const std::uint64_t behind = std::min({end, next, at + (channels - inner)});
        const std::int64_t tap_y = member.taps_y[tap / member.taps_x.size()];
        const std::int64_t tap_x = member.taps_x[tap % member.taps_x.size()];
        // Exact: taps of a class are those that divide.
        const std::int64_t from_y =
            backward ? (y * rows.stride + member.class_y + rows.pad - tap_y * rows.dilation) /
                           rows.stride
                     : y * rows.stride - rows.pad + tap_y * rows.dilation;
        const std::int64_t from_x =
            backward
                ? (x * columns.stride + member.class_x + columns.pad - tap_x * columns.dilation) /
                      columns.stride
                : x * columns.stride - columns.pad + tap_x * columns.dilation;
        if (from_y >= 0 && from_y < height && from_x >= 0 && from_x < breadth) {
            const std::uint64_t pixel =
                (image * to_index(height) + to_index(from_y)) * to_index(breadth) +
                to_index(from_x);
            const std::uint64_t element = pixel * pitch + member.group * channels + inner;
            const Address address = base_ + element * kHalf;
            const bool joins = !out.empty() && out.back().first + out.back().count == at &&
                               out.back().address + out.back().count * kHalf == address;
            if (joins) {
                out.back().count += behind - at;
            } else {
                out.push_back({address, at, behind - at});
            }
        }
        at = next;
    }
}

void FilterSource::runs(std::uint32_t index, std::uint64_t outer, std::uint64_t first,
                        std::uint64_t end, std::vector<ElementRun>& out) const {
    const ConvolutionPass::Member& member = pass_.members()[index];
    const std::uint64_t met_taps = member.taps_y.size() * member.taps_x.size();
    const std::uint64_t channels = pass_.channels();
    constexpr std::uint64_t kHalf = sizeof(HalfBits);
    if (pass_.pass() != LayerPass::kForward) {
        const std::uint64_t behind = std::min(end, channels);
        if (first >= behind || outer >= member.k) return;
        const auto [tap, filter, count] = pass_.part_of_tap(member.taps, outer);
        if (filter >= pass_.filters() || tap >= met_taps) return;
        const std::int64_t tap_y = member.taps_y[tap / member.taps_x.size()];
        const std::int64_t tap_x = member.taps_x[tap % member.taps_x.size()];
        const std::uint64_t element = pass_.filter_element(member.group, filter) +
                                      to_index(tap_y * pass_.columns().filter + tap_x) * channels;
        out.push_back({base_ + (element + first) * kHalf, first, behind - first});
        return;
    }
    if (outer >= pass_.filters()) return;
    for (std::uint64_t at = first; at < std::min(end, member.k);) {
        const auto [tap, inner, count] = pass_.part_of_tap(member.taps, at);
        if (inner < channels) {
            const std::uint64_t behind = std::min({end, at + count, at + (channels - inner)});
            const std::uint64_t element =
                pass_.filter_element(member.group, outer) + tap * channels + inner;
            out.push_back({base_ + element * kHalf, at, behind - at});
        }
        at += count;
    }
}

}  // namespace tessera

#include "sc_models/workload/library/convolution_pass.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kAligned = 8;  // halves
constexpr std::uint64_t kHalf = sizeof(HalfBits);

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

/// Taps that read input coordinates of class `of_class`.
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
    constexpr std::uint64_t kStep = DenseKernel::kStep;
    k_of_tap_ = Divisor(round_up(pass == LayerPass::kBackwardData ? filters_ : channels_, kStep));
    columns_of_tap_ = Divisor(round_up(channels_, kStep));
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
        Member member;
        member.group = group;
        member.height = y_.outputs();
        member.width = x_.outputs();
        member.taps_y = all_taps(y_);
        member.taps_x = all_taps(x_);
        member.taps = taps();
        const bool forward = pass == LayerPass::kForward;
        member.m = forward ? outputs : filters_;
        member.k = forward ? taps() * k_of_tap() : outputs;
        finish(member);
        members_.push_back(std::move(member));
    }
}

void ConvolutionPass::finish(Member& member) const {
    const bool backward = pass_ == LayerPass::kBackwardData;
    const auto offset = [backward](const ConvolutionAxis& axis, std::int64_t of_class,
                                   std::int64_t tap) {
        // Exact: the taps of a class leave no remainder.
        return backward ? (of_class + axis.pad - tap * axis.dilation) / axis.stride
                        : tap * axis.dilation - axis.pad;
    };
    for (const std::int64_t tap : member.taps_y) {
        member.offsets_y.push_back(offset(y_, member.class_y, tap));
    }
    for (const std::int64_t tap : member.taps_x) {
        member.offsets_x.push_back(offset(x_, member.class_x, tap));
    }
    member.image_pixels = Divisor(to_index(member.height * member.width));
    member.row_pixels = Divisor(to_index(member.width));
    member.row_taps = Divisor(std::max<std::uint64_t>(1, member.taps_x.size()));
}

ConvolutionPass::PartOfTap ConvolutionPass::part_of_tap(std::uint64_t taps, std::uint64_t k) const {
    if (order_ == SumOrder::kTapsOuter) return part_of(k_of_tap_, k);
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
            finish(member);
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

bool ConvolutionPass::is_plain_product() const {
    const auto is_plain = [](const ConvolutionAxis& axis) {
        return axis.filter == 1 && axis.stride == 1 && axis.pad == 0;
    };
    return is_plain(y_) && is_plain(x_);
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

void PixelSource::runs(const ElementBlock& block, std::vector<ElementRun>& out) const {
    if (pass_.pass() == LayerPass::kBackwardWeight && of_ == Of::kOutput) {
        return runs_of_gradient(block, out);
    }
    thread_local std::vector<Part> parts;  // avoids an allocation per block
    parts.clear();
    add_parts(block, parts);
    const ConvolutionPass::Member& member = pass_.members()[block.member];
    const bool backward = is_gathered_gradient();
    const ConvolutionAxis &rows = pass_.rows(), &columns = pass_.columns();
    const std::uint64_t channels = backward ? pass_.filters() : pass_.channels();
    const std::uint64_t pitch = backward ? pass_.output_pitch() : pass_.input_pitch();
    const std::int64_t height = backward ? rows.outputs() : rows.size;
    const std::int64_t width = backward ? columns.outputs() : columns.size;
    const std::int64_t stride_y = backward ? 1 : rows.stride;
    const std::int64_t stride_x = backward ? 1 : columns.stride;
    auto [image, pixel_of_image] = member.image_pixels.split(block.outer);
    const auto [first_y, first_x] = member.row_pixels.split(pixel_of_image);
    auto y = static_cast<std::int64_t>(first_y);
    auto x = static_cast<std::int64_t>(first_x);
    for (std::uint32_t row = 0; row < block.rows && image < pass_.batch(); ++row) {
        const std::size_t before = out.size();
        for (const Part& part : parts) {
            const std::int64_t from_y = y * stride_y + part.offset_y;
            const std::int64_t from_x = x * stride_x + part.offset_x;
            if (from_y < 0 || from_y >= height || from_x < 0 || from_x >= width) continue;
            const std::uint64_t pixel =
                (image * to_index(height) + to_index(from_y)) * to_index(width) + to_index(from_x);
            const std::uint64_t element = pixel * pitch + member.group * channels + part.inner;
            const Address address = base_ + element * kHalf;
            ElementRun* const last = out.size() > before ? &out.back() : nullptr;
            if (last != nullptr && last->first + last->count == part.begin &&
                last->address + last->count * kHalf == address) {
                last->count += part.end - part.begin;
            } else {
                out.push_back({address, part.begin, part.end - part.begin, row});
            }
        }
        if (++x < member.width) continue;
        x = 0;
        if (++y < member.height) continue;
        y = 0;
        ++image;
    }
}

void PixelSource::add_parts(const ElementBlock& block, std::vector<Part>& parts) const {
    const ConvolutionPass::Member& member = pass_.members()[block.member];
    const std::uint64_t channels = is_gathered_gradient() ? pass_.filters() : pass_.channels();
    const std::uint64_t met_taps = member.taps_y.size() * member.taps_x.size();
    const bool are_columns = pass_.pass() == LayerPass::kBackwardWeight;
    const std::uint64_t all = are_columns ? met_taps * pass_.columns_of_tap() : member.k;
    for (std::uint64_t at = block.first; at < std::min(block.end, all);) {
        const auto [tap, inner, count] =
            are_columns ? pass_.part_of_columns(at) : pass_.part_of_tap(member.taps, at);
        if (inner < channels && tap < met_taps) {
            const auto [tap_y, tap_x] = member.row_taps.split(tap);
            parts.push_back({at, std::min({block.end, at + count, at + (channels - inner)}), inner,
                             member.offsets_y[tap_y], member.offsets_x[tap_x]});
        }
        at += count;
    }
}

/// Appends the runs of the output's gradient itself, without taps.
void PixelSource::runs_of_gradient(const ElementBlock& block, std::vector<ElementRun>& out) const {
    const ConvolutionPass::Member& member = pass_.members()[block.member];
    const std::uint64_t behind = std::min(block.end, pass_.filters());
    const std::uint64_t pixels = pass_.batch() * member.image_pixels.value();
    if (block.first >= behind) return;
    for (std::uint32_t row = 0; row < block.rows && block.outer + row < pixels; ++row) {
        const std::uint64_t at = (block.outer + row) * pass_.output_pitch() +
                                 member.group * pass_.filters() + block.first;
        out.push_back({base_ + at * kHalf, block.first, behind - block.first, row});
    }
}

void FilterSource::runs(const ElementBlock& block, std::vector<ElementRun>& out) const {
    for (std::uint32_t row = 0; row < block.rows; ++row) runs_of_row(block, row, out);
}

void FilterSource::runs_of_row(const ElementBlock& block, std::uint32_t row,
                               std::vector<ElementRun>& out) const {
    const ConvolutionPass::Member& member = pass_.members()[block.member];
    const std::uint64_t outer = block.outer + row, first = block.first, end = block.end;
    const std::uint64_t met_taps = member.taps_y.size() * member.taps_x.size();
    const std::uint64_t channels = pass_.channels();
    if (pass_.pass() != LayerPass::kForward) {
        const std::uint64_t behind = std::min(end, channels);
        if (first >= behind || outer >= member.k) return;
        const auto [tap, filter, count] = pass_.part_of_tap(member.taps, outer);
        if (filter >= pass_.filters() || tap >= met_taps) return;
        const auto [row_of_taps, in_row] = member.row_taps.split(tap);
        const std::int64_t place =
            member.taps_y[row_of_taps] * pass_.columns().filter + member.taps_x[in_row];
        const std::uint64_t element =
            pass_.filter_element(member.group, filter) + to_index(place) * channels;
        out.push_back({base_ + (element + first) * kHalf, first, behind - first, row});
        return;
    }
    if (outer >= pass_.filters()) return;
    for (std::uint64_t at = first; at < std::min(end, member.k);) {
        const auto [tap, inner, count] = pass_.part_of_tap(member.taps, at);
        if (inner < channels) {
            const std::uint64_t behind = std::min({end, at + count, at + (channels - inner)});
            const std::uint64_t element =
                pass_.filter_element(member.group, outer) + tap * channels + inner;
            out.push_back({base_ + element * kHalf, at, behind - at, row});
        }
        at += count;
    }
}

}  // namespace tessera

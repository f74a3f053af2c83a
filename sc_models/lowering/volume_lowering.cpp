#include "sc_models/lowering/volume_lowering.h"

#include <algorithm>
#include <numeric>

namespace tessera {

using network::Shape;
using network::Window;

namespace {

/// Returns, for each slice of the result along a side, the slice that each tap reads; the number of
/// slices for a tap that reads none.
std::vector<std::int64_t> slices_under_taps(const Window& window, std::size_t side,
                                            bool transposed) {
    const std::int64_t slices = transposed ? window.output[side] : window.image[side];
    const std::int64_t made = transposed ? window.image[side] : window.output[side];
    std::vector<std::int64_t> found;
    for (std::int64_t slice = 0; slice < made; ++slice) {
        for (std::int64_t tap = 0; tap < window.taps[side]; ++tap) {
            const std::int64_t offset = tap * window.dilation[side] - window.pad_begin[side];
            const std::int64_t stride = window.stride[side];
            std::int64_t at = slice * stride + offset;
            bool there = true;
            if (transposed) {  // a slice of the operand lies at every stride-th place
                there = (slice - offset) % stride == 0;
                at = there ? (slice - offset) / stride : 0;
            }
            found.push_back(there && at >= 0 && at < slices ? at : slices);
        }
    }
    return found;
}

/// Returns the same for every row of every slice.
std::vector<std::int64_t> rows_under_taps(const Window& window, bool transposed) {
    const std::vector<std::int64_t> depths = slices_under_taps(window, 0, transposed);
    const std::vector<std::int64_t> heights = slices_under_taps(window, 1, transposed);
    const network::ImageSides& from = transposed ? window.output : window.image;
    const auto slice_taps = static_cast<std::size_t>(window.taps[0]);
    const auto row_taps = static_cast<std::size_t>(window.taps[1]);
    std::vector<std::int64_t> found;
    for (std::size_t slice = 0; slice < depths.size(); slice += slice_taps) {
        for (std::size_t row = 0; row < heights.size(); row += row_taps) {
            for (std::size_t tap = 0; tap < slice_taps * row_taps; ++tap) {
                const std::int64_t depth = depths[slice + tap / row_taps];
                const std::int64_t height = heights[row + tap % row_taps];
                const bool there = depth < from[0] && height < from[1];
                found.push_back(there ? depth * from[1] + height : from[0] * from[1]);
            }
        }
    }
    return found;
}

std::uint64_t unsigned_of(std::int64_t side) {
    return static_cast<std::uint64_t>(side);
}

}  // namespace

VolumeLowering::Slices VolumeLowering::take_slices(Window& window, PlacedTensor& x,
                                                   PlacedTensor& weights, bool transposed) {
    const bool dilated = window.taps[1] > 1 && window.taps[2] > 1;
    const bool by_rows = dilated && window.dilation[1] != window.dilation[2];
    if (window.sides < 3 && !by_rows) return {};
    Slices slices;
    slices.sides = by_rows ? window.sides - 1 : 1;
    slices.taps = by_rows ? window.taps[0] * window.taps[1] : window.taps[0];
    slices.read =
        by_rows ? rows_under_taps(window, transposed) : slices_under_taps(window, 0, transposed);
    window.sides = 2;
    if (!by_rows) return slices;
    window.image[1] = window.output[1] = window.taps[1] = window.stride[1] = window.dilation[1] = 1;
    window.pad_begin[1] = window.pad_end[1] = 0;
    for (PlacedTensor* const tensor : {&x, &weights}) {
        // Merges the sides between channels and columns into one side of slices of one row each.
        std::int64_t all = 1;
        for (std::size_t i = 2; i + 1 < tensor->shape.size(); ++i) all *= tensor->shape[i];
        tensor->shape = {tensor->shape[0], tensor->shape[1], all, 1, tensor->shape.back()};
    }
    return slices;
}

PlacedTensor VolumeLowering::images_of_volumes(NodeLayers& layers, const PlacedTensor& x,
                                               const Slices& from, std::int64_t groups) {
    const std::vector<std::int64_t>& indices = from.read;
    const std::int64_t batch = x.shape[0];
    const std::int64_t channels = x.shape[1];
    const std::int64_t slices = x.shape[2];
    const std::int64_t pixels = x.shape[3] * x.shape[4];
    const std::int64_t taps = from.taps;
    const std::int64_t made = static_cast<std::int64_t>(indices.size()) / taps;
    PlacedTensor volume = x;
    volume.channels_last = false;
    volume.shape = {batch, slices, pixels, channels};  // layout in memory
    if (std::find(indices.begin(), indices.end(), slices) != indices.end()) {
        TensorOperation pad;
        pad.op = TensorOperator::kPad;
        pad.operands = {volume.sides()};
        pad.pads_before = {0, 0, 0, 0};
        pad.pads_after = {0, 1, 0, 0};
        const Shape with_zeros = {batch, slices + 1, pixels, channels};
        volume = layers.add_operation("Pad", pad, {volume}, {{with_zeros, false}}).at(0);
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(volume.shape[1]));
    std::iota(all.begin(), all.end(), 0);
    if (indices != all) {
        TensorOperation gather;
        gather.op = TensorOperator::kGather;
        gather.operands = {volume.sides()};
        gather.axes = {1};
        gather.sizes = {unsigned_of(made), unsigned_of(taps)};
        gather.indices = indices;
        const Shape by_taps = {batch, made, taps, pixels, channels};
        volume = layers.add_operation("Gather", gather, {volume}, {{by_taps, false}}).at(0);
    }
    if (taps > 1) {
        volume.shape = {batch * made, taps, pixels, groups, channels / groups};
        TensorOperation transpose;
        transpose.op = TensorOperator::kTranspose;
        transpose.operands = {volume.sides()};
        transpose.order = {0, 2, 3, 1, 4};
        const Shape by_pixels = {batch * made, pixels, groups, taps, channels / groups};
        volume = layers.add_operation("Transpose", transpose, {volume}, {{by_pixels, false}}).at(0);
    }
    volume.channels_last = true;
    volume.shape = {batch * made, taps * channels, x.shape[3], x.shape[4]};
    return volume;
}

PlacedTensor VolumeLowering::filters_of_volumes(const PlacedTensor& weights, std::int64_t groups,
                                                bool transposed) {
    PlacedTensor filters = weights.with_channels_last(false);
    const Shape& sides = weights.shape;
    const std::int64_t taps = sides[2];
    const std::int64_t pixels = sides[3] * sides[4];
    if (transposed) {
        filters.elements = permuted(
            filters.elements, {groups, sides[0] / groups, sides[1], taps, pixels}, {0, 3, 1, 4, 2});
        filters.shape = {taps * sides[0], sides[1], sides[3], sides[4]};
    } else {
        filters.elements =
            permuted(filters.elements, {sides[0], sides[1], taps, pixels}, {0, 3, 2, 1});
        filters.shape = {sides[0], taps * sides[1], sides[3], sides[4]};
    }
    filters.channels_last = true;
    return filters;
}

}  // namespace tessera

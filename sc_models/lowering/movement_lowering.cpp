#include "sc_models/lowering/movement_lowering.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"

namespace tessera {

using network::Shape;
using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;

TensorOperation MovementLowering::move_of(Op op, const Tensors& operands) {
    TensorOperation operation = operation_on(op, operands);
    keep_type(operation, operands);
    return operation;
}

PlacedTensor MovementLowering::transposed(const PlacedTensor& x, const Shape& sides,
                                          const std::vector<std::size_t>& order) const {
    PlacedTensor seen = x;
    seen.shape = sides;
    TensorOperation operation = move_of(Op::kTranspose, {seen});
    Shape shape;
    for (const std::size_t side : order) {
        operation.order.push_back(static_cast<std::uint32_t>(side));
        shape.push_back(sides[side]);
    }
    return apply(operation, {seen}, {shape, false});
}

PlacedTensor MovementLowering::transpose() const {
    PlacedTensor x = network::is_byte(call_.type(0).type) ? inputs_.at(0) : all(0);
    Shape in_memory = x.shape;
    Shape shape;
    std::vector<std::size_t> order;
    for (const std::size_t from : network::permutation_of(call_)) {
        order.push_back(x.side(from));
        shape.push_back(x.shape[from]);
    }
    if (x.channels_last) in_memory = x.for_sides(x.shape);
    x.channels_last = false;
    std::vector<std::size_t> moving;
    for (const std::size_t side : order) {
        if (in_memory[side] != 1) moving.push_back(side);
    }
    if (std::is_sorted(moving.begin(), moving.end())) {
        x.shape = shape;
        return x;
    }
    return transposed(x, in_memory, order);
}

PlacedTensor MovementLowering::move_blocks() const {
    const network::BlockMove move = network::block_move(call_);
    PlacedTensor result = transposed(element_in_file(0), move.sides, move.order);
    result.shape = call_.node->operation == "DepthToSpace"
                       ? Shape{result.shape[0], result.shape[1], result.shape[2] * result.shape[3],
                               result.shape[4] * result.shape[5]}
                       : Shape{result.shape[0], result.shape[1] * result.shape[2] * result.shape[3],
                               result.shape[4], result.shape[5]};
    return result;
}

PlacedTensor MovementLowering::sliced(const PlacedTensor& x,
                                      const std::vector<network::SliceRange>& ranges) const {
    TensorOperation operation = move_of(Op::kSlice, {x});
    Shape shape;
    bool whole = true;
    for (const network::SliceRange& range : x.for_sides(ranges)) {
        operation.begins.push_back(range.start);
        operation.steps.push_back(range.step);
        operation.sizes.push_back(static_cast<std::uint64_t>(range.count));
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        shape.push_back(ranges[i].count);
        whole = whole && ranges[i].count == x.shape[i] && ranges[i].step == 1;
    }
    if (whole) return x;
    return apply(operation, {x}, {shape, x.channels_last});
}

PlacedTensor MovementLowering::slice() const {
    return sliced(element(0), network::slice_ranges(call_));
}

PlacedTensor MovementLowering::by_indices(Op op, const PlacedTensor& x, std::size_t axis,
                                          const Shape& shape) const {
    TensorOperation operation = move_of(op, {x});
    operation.axes = {static_cast<std::uint32_t>(axis)};
    for (const std::int64_t side : call_.shape(1)) {
        operation.sizes.push_back(static_cast<std::uint64_t>(side));
    }
    if (call_.tensors[1] != nullptr) operation.indices = call_.indices(1);
    return apply(operation, {x}, {shape, false});
}

PlacedTensor MovementLowering::gather_elements() const {
    const PlacedTensor x = element_in_file(0);
    const std::size_t axis = call_.axis(call_.attributes().integer("axis"), x.shape.size());
    return by_indices(Op::kGatherElements, x, axis, call_.shape(1));
}

PlacedTensor MovementLowering::gather() const {
    const PlacedTensor x = element_in_file(0);
    const std::size_t axis = call_.axis(call_.attributes().integer("axis"), x.shape.size());
    if (call_.tensors[1] == nullptr || call_.type(1).elements() != 1) {
        Shape shape = x.shape;
        const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
        shape.insert(shape.erase(at), call_.shape(1).begin(), call_.shape(1).end());
        return by_indices(Op::kGather, x, axis, shape);
    }
    std::vector<network::SliceRange> ranges;
    for (const std::int64_t side : x.shape) ranges.push_back({0, 1, side});
    const std::int64_t index = call_.indices(1)[0];
    ranges[axis] = {index < 0 ? index + x.shape[axis] : index, 1, 1};
    PlacedTensor result = sliced(x, ranges);
    Shape shape = x.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), call_.shape(1).begin(),
                 call_.shape(1).end());
    result.shape = shape;
    return result;
}

PlacedTensor MovementLowering::pad() const {
    const Tensors operands = {element(0)};
    TensorOperation operation = move_of(Op::kPad, operands);
    const auto padding = network::padding_of(call_);
    Shape shape;
    for (const auto& [before, after] : operands[0].for_sides(padding)) {
        operation.pads_before.push_back(before);
        operation.pads_after.push_back(after);
    }
    for (std::size_t i = 0; i < padding.size(); ++i) {
        shape.push_back(operands[0].shape[i] + padding[i].first + padding[i].second);
    }
    const std::string mode = call_.attributes().text("mode", "constant");
    operation.pad_mode = mode == "reflect" ? PadMode::kReflect
                         : mode == "edge"  ? PadMode::kEdge
                                           : PadMode::kConstant;
    operation.alpha = network::padding_value(call_);
    return apply(operation, operands, {shape, operands[0].channels_last});
}

PlacedTensor MovementLowering::concat() const {
    Tensors operands;
    Shape shape = call_.shape(0);
    const std::size_t axis = call_.axis(call_.attributes().integer("axis"), shape.size());
    shape[axis] = 0;
    for (std::size_t i = 0; i < call_.inputs(); ++i) {
        if (call_.type(i).elements() == 0) continue;
        operands.push_back(element(i));
        shape[axis] += operands.back().shape[axis];
    }
    if (operands.size() == 1) return operands[0];
    TensorOperation operation = move_of(Op::kConcat, operands);
    operation.axes = {operands.at(0).side(axis)};
    return apply(operation, operands, {shape, operands[0].channels_last});
}

Tensors MovementLowering::split() const {
    Tensors operands = {element(0)};
    const std::size_t axis =
        call_.axis(call_.attributes().integer("axis"), operands[0].shape.size());
    TensorOperation operation = move_of(Op::kSplit, operands);
    operation.axes = {operands[0].side(axis)};
    std::vector<MadeTensor> made;
    Tensors results;
    const network::Operator* const split = network::find_operator(call_.node->operation);
    for (const network::TensorType& type : split->infer(call_)) {
        PlacedTensor& result = results.emplace_back();
        result.shape = type.shape;
        result.channels_last = operands[0].channels_last;
        result.type = operands[0].type;
        result.elements = std::make_shared<std::vector<HalfBits>>();
        if (type.elements() == 0) continue;  // nothing to move
        made.push_back({type.shape, result.channels_last});
        operation.results.push_back(result.sides());
    }
    if (results.size() == 1) return operands;
    if (made.empty()) return results;
    const Tensors pieces = sink_("Split", operation, operands, made);
    auto piece = pieces.begin();
    for (PlacedTensor& result : results) {
        if (network::element_count(result.shape) > 0) result = *piece++;
    }
    return results;
}

PlacedTensor MovementLowering::expand() const {
    const network::Operator* const operation = network::find_operator("Expand");
    return expanded(element_in_file(0), operation->infer(call_).at(0).shape);
}

PlacedTensor MovementLowering::tile() const {
    PlacedTensor x = element_in_file(0);
    const std::vector<std::int64_t> repeats = call_.indices(1);
    Shape apart, shape, result;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        result.push_back(x.shape[i] * repeats.at(i));
        if (repeats[i] != 1) {
            apart.push_back(1);
            shape.push_back(repeats[i]);
        }
        apart.push_back(x.shape[i]);
        shape.push_back(x.shape[i]);
    }
    x.shape = apart;
    PlacedTensor tiled = expanded(x, shape);
    tiled.shape = result;
    return tiled;
}

/// Resizes to nearest elements. Ceil on some axes and floor on others takes two steps: the
/// shrinking axes come first.
PlacedTensor MovementLowering::resize() const {
    network::Sizing growing(call_);
    if (growing.nearest != "ceil_or_floor") return resized(real(0), growing);
    network::Sizing shrinking = growing;
    shrinking.nearest = "ceil";
    growing.nearest = "floor";
    bool shrinks = false, grows = false;
    for (std::size_t i = 0; growing.mode == "nearest" && i < growing.scales.size(); ++i) {
        const bool less = growing.scales[i] < 1;
        shrinks = shrinks || less;
        grows = grows || growing.scales[i] > 1;
        (less ? growing : shrinking).scales[i] = 1;
        if (!less) shrinking.output[i] = call_.shape(0)[i];
    }
    const PlacedTensor x = shrinks ? resized(real(0), shrinking) : real(0);
    return grows || !shrinks ? resized(x, growing) : x;
}

PlacedTensor MovementLowering::resized(const PlacedTensor& x, const network::Sizing& sizing) const {
    const Tensors operands = {x};
    TensorOperation operation = operation_on(Op::kResize, operands);
    operation.resize = sizing.mode == "linear"  ? ResizeMode::kLinear
                       : sizing.mode == "cubic" ? ResizeMode::kCubic
                                                : ResizeMode::kNearest;
    operation.alpha = static_cast<float>(sizing.cubic);
    operation.beta = static_cast<float>(sizing.outside_value);
    operation.exclude_outside = sizing.exclude_outside;
    const std::vector<std::pair<std::string, ResizeCoordinates>> coordinates = {
        {"half_pixel", ResizeCoordinates::kHalfPixel},
        {"pytorch_half_pixel", ResizeCoordinates::kPytorchHalfPixel},
        {"asymmetric", ResizeCoordinates::kAsymmetric},
        {"align_corners", ResizeCoordinates::kAlignCorners},
        {"tf_half_pixel_for_nn", ResizeCoordinates::kHalfPixelForNn},
        {"tf_crop_and_resize", ResizeCoordinates::kCropAndResize}};
    const auto found = std::find_if(coordinates.begin(), coordinates.end(), [&](const auto& known) {
        return known.first == sizing.coordinates;
    });
    if (found == coordinates.end()) {
        call_.fail("there is no kernel for coordinates " + sizing.coordinates);
    }
    operation.coordinates = found->second;
    if (!sizing.region.empty()) {
        const std::size_t count = operands[0].shape.size();
        std::vector<double> begins(count), ends(count);
        for (std::size_t i = 0; i < count; ++i) {
            begins[i] = sizing.region[i];
            ends[i] = sizing.region[count + i];
        }
        const std::vector<double> first = operands[0].for_sides(begins);
        const std::vector<double> last = operands[0].for_sides(ends);
        for (const double at : first) operation.region.push_back(static_cast<float>(at));
        for (const double at : last) operation.region.push_back(static_cast<float>(at));
    }
    operation.rounding = sizing.nearest == "floor"  ? ResizeRounding::kFloor
                         : sizing.nearest == "ceil" ? ResizeRounding::kCeil
                         : sizing.nearest == "round_prefer_ceil"
                             ? ResizeRounding::kRoundPreferCeil
                             : ResizeRounding::kRoundPreferFloor;
    PlacedTensor result;
    result.shape = sizing.output;
    result.channels_last = operands[0].channels_last;
    operation.results = {result.sides()};
    // Scales that follow from the sizes are not passed, because rounding would change them.
    bool follow = true;
    for (std::size_t i = 0; i < sizing.scales.size(); ++i) {
        follow = follow && sizing.scales[i] == static_cast<double>(sizing.output[i]) /
                                                   static_cast<double>(operands[0].shape[i]);
    }
    if (!follow && !sizing.by_sizes) operation.scales = operands[0].for_sides(sizing.scales);
    return apply(operation, operands, {result.shape, result.channels_last});
}

}  // namespace tessera

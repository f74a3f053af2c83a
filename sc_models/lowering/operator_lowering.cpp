#include "sc_models/lowering/operator_lowering.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"

namespace tessera {
namespace {

using network::OperatorCall;
using network::Shape;
using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;

/// A node on its way to operations.
class OperatorLowering {
public:
    OperatorLowering(const OperatorCall& call, const Tensors& inputs, bool channels_last,
                     const OperationSink& sink)
        : call_(call), inputs_(inputs), last_(channels_last), sink_(sink) {}

    Tensors run() {
        const std::string& name = call_.node->operation;
        if (name == "Cast" || name == "CastLike") return {all(0)};
        if (name == "Swish") return {swish()};
        if (name == "Sum") return {chain(Op::kAdd)};
        if (name == "Gather") return {gather()};
        if (name == "Tile") return {tile()};
        if (name == "DepthToSpace" || name == "SpaceToDepth") return {move_blocks()};
        if (name == "Upsample") return {resize()};
        if (name == "GlobalAveragePool") return {global(Op::kReduceMean)};
        if (name == "GlobalMaxPool") return {global(Op::kReduceMax)};
        const std::optional<Op> op = tensor_operator(name);
        if (!op) call_.fail("there is no kernel for this operator");
        if (is_reduction(*op)) return {reduce(*op)};
        if (is_pool(*op)) return {pool(*op)};
        switch (*op) {
            case Op::kMin:
            case Op::kMax:
                return {chain(*op)};
            case Op::kAdd:
            case Op::kSub:
            case Op::kMul:
            case Op::kDiv:
            case Op::kPow:
            case Op::kPRelu:
                return {binary(*op, real(0), real(1))};
            case Op::kBatchNormalization:
            case Op::kInstanceNormalization:
                return {normalization(*op)};
            case Op::kLayerNormalization:
                return {layer_normalization()};
            case Op::kSoftmax:
            case Op::kLogSoftmax:
                return {softmax(*op)};
            case Op::kTranspose:
                return {transpose()};
            case Op::kSlice:
                return {slice()};
            case Op::kPad:
                return {pad()};
            case Op::kConcat:
                return {concat()};
            case Op::kSplit:
                return split();
            case Op::kExpand:
                return {expand()};
            case Op::kResize:
                return {resize()};
            default:
                return {unary(*op)};
        }
    }

private:
    /// An input, which must be there as real numbers.
    [[nodiscard]] const PlacedTensor& all(std::size_t input) const {
        if (input >= inputs_.size()) call_.fail("input " + std::to_string(input) + " is missing");
        call_.expect_real(input);
        return inputs_[input];
    }
    /// The same in the layout of the result.
    [[nodiscard]] PlacedTensor real(std::size_t input) const {
        return in_layout(all(input), last_ && all(input).shape.size() >= 3, sink_);
    }
    [[nodiscard]] PlacedTensor as_in_file(std::size_t input) const {
        return in_layout(all(input), false, sink_);
    }

    PlacedTensor apply(const TensorOperation& operation, const Tensors& operands,
                       MadeTensor result) const {
        return sink_(std::string(name_of(operation.op)), operation, operands, {std::move(result)})
            .at(0);
    }
    [[nodiscard]] static TensorOperation operation_on(Op op, const Tensors& operands) {
        TensorOperation operation;
        operation.op = op;
        for (const PlacedTensor& operand : operands) operation.operands.push_back(operand.sides());
        return operation;
    }
    /// Of the shape and layout of its first operand.
    PlacedTensor same(const TensorOperation& operation, const Tensors& operands) const {
        return apply(operation, operands, {operands[0].shape, operands[0].channels_last});
    }

    [[nodiscard]] PlacedTensor unary(Op op) const {
        const Tensors operands = {real(0)};
        TensorOperation operation = operation_on(op, operands);
        const auto& attributes = call_.attributes();
        if (op == Op::kLeakyRelu) operation.alpha = attributes.real("alpha", 0.01F);
        if (op == Op::kHardSigmoid) {
            operation.alpha = attributes.real("alpha", 0.2F);
            operation.beta = attributes.real("beta", 0.5F);
        }
        if (op == Op::kClip) {
            for (const std::size_t bound : {1U, 2U}) {
                if (call_.has(bound)) (void)call_.tensor(bound);
            }
            std::tie(operation.alpha, operation.beta) = network::clip_bounds(call_);
        }
        return same(operation, operands);
    }

    [[nodiscard]] PlacedTensor swish() const {
        const PlacedTensor x = real(0);
        const PlacedTensor gate = same(operation_on(Op::kSigmoid, {x}), {x});
        return binary(Op::kMul, x, gate);
    }

    /// With broadcasting: of tensors of fewer sides those in front are 1.
    [[nodiscard]] PlacedTensor binary(Op op, const PlacedTensor& a, const PlacedTensor& b) const {
        const std::size_t count = std::max(a.shape.size(), b.shape.size());
        const bool last = last_ && count >= 3;
        const auto brought = [&](const PlacedTensor& x) {
            if (x.shape.size() == count) return in_layout(x, last, sink_);
            return in_layout(in_layout(x, false, sink_).with_sides(count), last, sink_);
        };
        const Tensors operands = {brought(a), brought(b)};
        Shape shape(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t side = operands[0].shape[i];
            shape[i] = side == 1 ? operands[1].shape[i] : side;
        }
        return apply(operation_on(op, operands), operands, {shape, last});
    }

    [[nodiscard]] PlacedTensor chain(Op op) const {
        PlacedTensor result = real(0);
        for (std::size_t i = 1; i < call_.inputs(); ++i) result = binary(op, result, real(i));
        return result;
    }

    /// Images of channels with a parameter for each.
    [[nodiscard]] PlacedTensor normalization(Op op) const {
        Tensors operands = {real(0)};
        if (operands[0].shape.size() < 2) call_.fail("expected channels");
        for (std::size_t i = 1; i < call_.inputs(); ++i) operands.push_back(all(i));
        TensorOperation operation = operation_on(op, operands);
        operation.axes = {operands[0].side(1)};
        operation.beta = call_.attributes().real("epsilon", 1e-5F);
        return same(operation, operands);
    }

    [[nodiscard]] PlacedTensor layer_normalization() const {
        for (const std::size_t output : {1U, 2U}) {
            if (call_.makes(output)) call_.fail("there is no kernel for means as outputs");
        }
        Tensors operands = {as_in_file(0)};
        const Shape shape = operands[0].shape;
        const std::size_t axis = call_.axis(call_.attributes().integer("axis", -1), shape.size());
        const Shape row(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
        for (std::size_t i = 1; i < call_.inputs() && call_.has(i); ++i) {
            operands.push_back(all(i));
            if (operands.back().shape != row) {
                call_.fail_input(i, "there is no kernel for what is broadcast along a row");
            }
        }
        TensorOperation operation = operation_on(Op::kLayerNormalization, operands);
        for (std::size_t i = axis; i < shape.size(); ++i) {
            operation.axes.push_back(static_cast<std::uint32_t>(i));
        }
        operation.beta = call_.attributes().real("epsilon", 1e-5F);
        return same(operation, operands);
    }

    /// Up to operator set 12 everything from the axis on is one row.
    [[nodiscard]] PlacedTensor softmax(Op op) const {
        const Tensors operands = {as_in_file(0)};
        const bool flattened = call_.node->version < 13;
        const std::size_t count = operands[0].shape.size();
        const std::size_t axis =
            call_.axis(call_.attributes().integer("axis", flattened ? 1 : -1), count);
        TensorOperation operation = operation_on(op, operands);
        for (std::size_t i = axis; i < (flattened ? count : axis + 1); ++i) {
            operation.axes.push_back(static_cast<std::uint32_t>(i));
        }
        return same(operation, operands);
    }

    [[nodiscard]] PlacedTensor global(Op op) const {
        std::vector<bool> reduced(call_.shape(0).size(), true);
        reduced[0] = reduced[1] = false;
        return reduced_by(op, reduced, true);
    }
    [[nodiscard]] PlacedTensor reduce(Op op) const {
        return reduced_by(op, network::reduced_axes(call_),
                          call_.attributes().integer("keepdims", 1) != 0);
    }
    [[nodiscard]] PlacedTensor reduced_by(Op op, const std::vector<bool>& reduced,
                                          bool keep) const {
        const Tensors operands = {keep ? real(0) : as_in_file(0)};
        TensorOperation operation = operation_on(op, operands);
        Shape kept, squeezed;
        for (std::size_t i = 0; i < reduced.size(); ++i) {
            if (reduced[i]) operation.axes.push_back(operands[0].side(i));
            kept.push_back(reduced[i] ? 1 : operands[0].shape[i]);
            if (!reduced[i]) squeezed.push_back(kept.back());
        }
        if (operation.axes.empty()) return operands[0];
        std::sort(operation.axes.begin(), operation.axes.end());
        PlacedTensor result = apply(operation, operands, {kept, operands[0].channels_last});
        if (!keep) result.shape = squeezed;
        return result;
    }

    [[nodiscard]] PlacedTensor pool(Op op) const {
        if (call_.makes(1)) call_.fail("there is no kernel for indices of maxima");
        const network::Window window = network::Window::of_pooling(call_);
        const Tensors operands = {real(0)};
        TensorOperation operation = operation_on(op, operands);
        Shape shape = {operands[0].shape[0], operands[0].shape[1]};
        for (std::size_t i = 0; i < window.sides; ++i) {
            const std::size_t from = network::kImageSides - window.sides + i;
            operation.axes.push_back(operands[0].side(2 + i));
            operation.window.push_back(static_cast<std::uint32_t>(window.taps[from]));
            operation.strides.push_back(static_cast<std::uint32_t>(window.stride[from]));
            operation.dilations.push_back(static_cast<std::uint32_t>(window.dilation[from]));
            operation.pads_before.push_back(window.pad_begin[from]);
            operation.pads_after.push_back(window.pad_end[from]);
            shape.push_back(window.output[from]);
        }
        operation.ceil_mode = call_.attributes().integer("ceil_mode") != 0;
        operation.count_padding = call_.attributes().integer("count_include_pad") != 0;
        return apply(operation, operands, {shape, operands[0].channels_last});
    }

    [[nodiscard]] PlacedTensor transposed(const PlacedTensor& x, const Shape& sides,
                                          const std::vector<std::size_t>& order) const {
        PlacedTensor seen = x;
        seen.shape = sides;
        TensorOperation operation = operation_on(Op::kTranspose, {seen});
        Shape shape;
        for (const std::size_t side : order) {
            operation.order.push_back(static_cast<std::uint32_t>(side));
            shape.push_back(sides[side]);
        }
        return apply(operation, {seen}, {shape, false});
    }

    /// What lies channels last is moved once, not twice; where nothing moves, nothing is done.
    [[nodiscard]] PlacedTensor transpose() const {
        PlacedTensor x = all(0);
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

    [[nodiscard]] PlacedTensor move_blocks() const {
        const network::BlockMove move = network::block_move(call_);
        PlacedTensor result = transposed(as_in_file(0), move.sides, move.order);
        result.shape =
            call_.node->operation == "DepthToSpace"
                ? Shape{result.shape[0], result.shape[1], result.shape[2] * result.shape[3],
                        result.shape[4] * result.shape[5]}
                : Shape{result.shape[0], result.shape[1] * result.shape[2] * result.shape[3],
                        result.shape[4], result.shape[5]};
        return result;
    }

    [[nodiscard]] PlacedTensor sliced(const PlacedTensor& x,
                                      const std::vector<network::SliceRange>& ranges) const {
        TensorOperation operation = operation_on(Op::kSlice, {x});
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
    [[nodiscard]] PlacedTensor slice() const {
        return sliced(real(0), network::slice_ranges(call_));
    }
    /// Of one index, which is known.
    [[nodiscard]] PlacedTensor gather() const {
        if (call_.tensors[1] == nullptr || call_.type(1).elements() != 1) {
            call_.fail("there is no kernel for a Gather of other than one constant index");
        }
        const PlacedTensor x = as_in_file(0);
        const std::size_t axis = call_.axis(call_.attributes().integer("axis"), x.shape.size());
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

    [[nodiscard]] PlacedTensor pad() const {
        const Tensors operands = {real(0)};
        TensorOperation operation = operation_on(Op::kPad, operands);
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
        operation.alpha = static_cast<float>(network::padding_value(call_));
        return apply(operation, operands, {shape, operands[0].channels_last});
    }

    [[nodiscard]] PlacedTensor concat() const {
        Tensors operands;
        Shape shape = call_.shape(0);
        const std::size_t axis = call_.axis(call_.attributes().integer("axis"), shape.size());
        shape[axis] = 0;
        for (std::size_t i = 0; i < call_.inputs(); ++i) {
            if (call_.type(i).elements() == 0) continue;
            operands.push_back(real(i));
            shape[axis] += operands.back().shape[axis];
        }
        if (operands.size() == 1) return operands[0];
        TensorOperation operation = operation_on(Op::kConcat, operands);
        operation.axes = {operands.at(0).side(axis)};
        return apply(operation, operands, {shape, operands[0].channels_last});
    }

    [[nodiscard]] Tensors split() const {
        Tensors operands = {real(0)};
        const std::size_t axis =
            call_.axis(call_.attributes().integer("axis"), operands[0].shape.size());
        TensorOperation operation = operation_on(Op::kSplit, operands);
        operation.axes = {operands[0].side(axis)};
        std::vector<MadeTensor> made;
        const network::Operator* const split = network::find_operator(call_.node->operation);
        for (const network::TensorType& type : split->infer(call_)) {
            made.push_back({type.shape, operands[0].channels_last});
            PlacedTensor result;
            result.shape = type.shape;
            result.channels_last = operands[0].channels_last;
            operation.results.push_back(result.sides());
        }
        if (made.size() == 1) return operands;
        return sink_("Split", operation, operands, made);
    }

    [[nodiscard]] PlacedTensor expanded(const PlacedTensor& x, const Shape& shape) const {
        if (x.shape == shape) return x;
        TensorOperation operation = operation_on(Op::kExpand, {x});
        TensorShape sides;
        for (const std::int64_t side : shape) sides.push_back(static_cast<std::uint64_t>(side));
        operation.results = {sides};
        return apply(operation, {x}, {shape, false});
    }
    [[nodiscard]] PlacedTensor expand() const {
        const network::Operator* const operation = network::find_operator("Expand");
        return expanded(as_in_file(0), operation->infer(call_).at(0).shape);
    }
    /// Every side is a new one and the old one.
    [[nodiscard]] PlacedTensor tile() const {
        PlacedTensor x = as_in_file(0);
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

    [[nodiscard]] PlacedTensor resize() const {
        const network::Sizing sizing(call_);
        const Tensors operands = {real(0)};
        TensorOperation operation = operation_on(Op::kResize, operands);
        if (sizing.mode != "nearest" && sizing.mode != "linear") {
            call_.fail("there is no kernel for mode " + sizing.mode);
        }
        operation.resize = sizing.mode == "linear" ? ResizeMode::kLinear : ResizeMode::kNearest;
        const std::vector<std::pair<std::string, ResizeCoordinates>> coordinates = {
            {"half_pixel", ResizeCoordinates::kHalfPixel},
            {"pytorch_half_pixel", ResizeCoordinates::kPytorchHalfPixel},
            {"asymmetric", ResizeCoordinates::kAsymmetric},
            {"align_corners", ResizeCoordinates::kAlignCorners}};
        const auto found =
            std::find_if(coordinates.begin(), coordinates.end(),
                         [&](const auto& known) { return known.first == sizing.coordinates; });
        if (found == coordinates.end() || sizing.exclude_outside) {
            call_.fail("there is no kernel for coordinates " + sizing.coordinates +
                       (sizing.exclude_outside ? " with exclude_outside" : ""));
        }
        operation.coordinates = found->second;
        operation.rounding = sizing.nearest == "floor"  ? ResizeRounding::kFloor
                             : sizing.nearest == "ceil" ? ResizeRounding::kCeil
                             : sizing.nearest == "round_prefer_ceil"
                                 ? ResizeRounding::kRoundPreferCeil
                                 : ResizeRounding::kRoundPreferFloor;
        PlacedTensor result;
        result.shape = sizing.output;
        result.channels_last = operands[0].channels_last;
        operation.results = {result.sides()};
        // Those that follow from the sizes would be rounded.
        bool follow = true;
        for (std::size_t i = 0; i < sizing.scales.size(); ++i) {
            follow = follow && sizing.scales[i] == static_cast<double>(sizing.output[i]) /
                                                       static_cast<double>(operands[0].shape[i]);
        }
        if (!follow) {
            for (const double scale : operands[0].for_sides(sizing.scales)) {
                operation.scales.push_back(static_cast<float>(scale));
            }
        }
        return apply(operation, operands, {result.shape, result.channels_last});
    }

    const OperatorCall& call_;
    const Tensors& inputs_;
    const bool last_;
    const OperationSink& sink_;
};

}  // namespace

PlacedTensor in_layout(const PlacedTensor& tensor, bool channels_last, const OperationSink& sink) {
    PlacedTensor other = tensor.with_channels_last(channels_last);
    const bool moves = tensor.channels_last != channels_last && has_two_layouts(tensor.shape);
    if (!moves || tensor.constant) return other;
    TensorOperation operation;
    operation.op = Op::kTranspose;
    operation.operands = {tensor.sides()};
    // Which side of memory each side of the other order is.
    const std::vector<std::size_t> order = channels_last_order(tensor.shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        operation.order.push_back(channels_last ? static_cast<std::uint32_t>(order[i])
                                                : tensor.side(i));
    }
    return sink(channels_last ? "to NHWC" : "to NCHW", operation, {tensor},
                {{tensor.shape, channels_last}})
        .at(0);
}

std::vector<PlacedTensor> lower_operator(const OperatorCall& call,
                                         const std::vector<PlacedTensor>& inputs,
                                         bool channels_last, const OperationSink& sink) {
    return OperatorLowering(call, inputs, channels_last, sink).run();
}

}  // namespace tessera

#include "sc_models/lowering/operator_lowering.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"
#include "sc_models/workload/tensor_operators.h"

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
        if (name == "Cast" || name == "CastLike") return {cast()};
        if (name == "Swish") return {swish()};
        if (name == "Trilu") return {triangle()};
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
            case Op::kSum:
            case Op::kMean:
                return {several(*op)};
            case Op::kWhere:
                return {where()};
            case Op::kGather:
                return {gather()};
            case Op::kGatherElements:
                return {gather_elements()};
            case Op::kLrn:
                return {lrn()};
            case Op::kLstmCell:
            case Op::kLstmHidden:
            case Op::kGruReset:
            case Op::kGruState:
                return {recurrent_step(*op)};
            case Op::kAdd:
            case Op::kSub:
            case Op::kMul:
            case Op::kDiv:
            case Op::kMod:
            case Op::kPRelu:
                return {binary(*op, real(0), real(1))};
            case Op::kPow:
                return {binary(*op, real(0), number(1))};
            case Op::kBatchNormalization:
            case Op::kInstanceNormalization:
                return {normalization(*op)};
            case Op::kLayerNormalization:
                return layer_normalization();
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
    /// An input that may be integers or truth values, which are halves.
    [[nodiscard]] const PlacedTensor& number(std::size_t input) const {
        return network::is_real(call_.type(input).type) ? all(input) : inputs_[input];
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
        std::tie(operation.alpha, operation.beta) = attributes_of(op, call_);
        return same(operation, operands);
    }

    /// Integers become real numbers by a copy.
    [[nodiscard]] PlacedTensor cast() const {
        if (network::is_real(call_.type(0).type)) return all(0);
        PlacedTensor x = number(0).with_channels_last(last_ && has_two_layouts(number(0).shape));
        return same(operation_on(Op::kIdentity, {x}), {x});
    }

    [[nodiscard]] PlacedTensor swish() const {
        const PlacedTensor x = real(0);
        const PlacedTensor gate = same(operation_on(Op::kSigmoid, {x}), {x});
        return binary(Op::kMul, x, gate);
    }

    [[nodiscard]] PlacedTensor binary(Op op, const PlacedTensor& a, const PlacedTensor& b) const {
        return combined(op, {a, b});
    }

    /// With broadcasting: of tensors of fewer sides those in front are 1.
    [[nodiscard]] PlacedTensor combined(Op op, const Tensors& tensors, float alpha = 0) const {
        std::size_t count = 0;
        for (const PlacedTensor& x : tensors) count = std::max(count, x.shape.size());
        const bool last = last_ && count >= 3;
        Tensors operands;
        Shape shape(count, 1);
        for (const PlacedTensor& x : tensors) {
            operands.push_back(
                x.shape.size() == count
                    ? in_layout(x, last, sink_)
                    : in_layout(in_layout(x, false, sink_).with_sides(count), last, sink_));
            for (std::size_t i = 0; i < count; ++i) {
                if (operands.back().shape[i] != 1) shape[i] = operands.back().shape[i];
            }
        }
        TensorOperation operation = operation_on(op, operands);
        operation.alpha = alpha;
        return apply(operation, operands, {shape, last});
    }

    /// Of as many as a kernel takes, the last of which divides a mean by their number.
    [[nodiscard]] PlacedTensor several(Op op) const {
        Tensors taken = {real(0)};
        const auto n = static_cast<float>(call_.inputs());
        for (std::size_t i = 1; i < call_.inputs(); ++i) {
            if (taken.size() == kMostMapOperands) taken = {combined(Op::kSum, taken)};
            taken.push_back(real(i));
        }
        if (taken.size() == 1) return taken[0];
        return combined(op, taken, op == Op::kMean ? n : 0);
    }

    [[nodiscard]] PlacedTensor where() const {
        return combined(Op::kWhere, {number(0), real(1), real(2)});
    }

    /// The result is a state.
    [[nodiscard]] PlacedTensor recurrent_step(Op op) const {
        Tensors operands;
        for (std::size_t i = 0; i < call_.inputs(); ++i) operands.push_back(as_in_file(i));
        TensorOperation operation = operation_on(op, operands);
        operation.gamma = call_.attributes().integer("input_forget") != 0 ? 1 : 0;
        const bool lstm = op == Op::kLstmCell || op == Op::kLstmHidden;
        return apply(operation, operands, {(lstm ? operands[1] : operands.back()).shape, false});
    }

    /// What is not of the triangle is 0.
    [[nodiscard]] PlacedTensor triangle() const {
        const PlacedTensor x = as_in_file(0);
        const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
        const bool upper = call_.attributes().integer("upper", 1) != 0;
        const std::int64_t k = call_.has(1) ? call_.indices(1)[0] : 0;
        auto mask = std::make_shared<std::vector<HalfBits>>();
        for (std::int64_t at = 0; at < rows * columns; ++at) {
            const std::int64_t above = at % columns - at / columns;
            mask->push_back(float_to_half((upper ? above >= k : above <= k) ? 1.0F : 0.0F));
        }
        PlacedTensor chosen, zero;
        chosen.shape = {rows, columns};
        chosen.elements = std::move(mask);
        zero.shape = {1};
        zero.elements = std::make_shared<std::vector<HalfBits>>(1);
        chosen.constant = zero.constant = true;
        return combined(Op::kWhere, {chosen, x, zero});
    }

    [[nodiscard]] PlacedTensor lrn() const {
        const Tensors operands = {real(0)};
        const auto& attributes = call_.attributes();
        const std::int64_t size = attributes.integer("size", 1);
        TensorOperation operation = operation_on(Op::kLrn, operands);
        operation.axes = {operands[0].side(1)};
        operation.window = {static_cast<std::uint32_t>(size)};
        operation.strides = operation.dilations = {1};
        operation.pads_before = {(size - 1) / 2};
        operation.pads_after = {size - 1 - (size - 1) / 2};
        operation.alpha = attributes.real("alpha", 1e-4F);
        operation.beta = attributes.real("beta", 0.75F);
        operation.gamma = attributes.real("bias", 1);
        return same(operation, operands);
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

    /// Mean and deviation, where somebody wants them, are kernels of their own.
    [[nodiscard]] Tensors layer_normalization() const {
        Tensors operands = {as_in_file(0)};
        const Shape shape = operands[0].shape;
        const std::size_t axis = call_.axis(call_.attributes().integer("axis", -1), shape.size());
        const Shape row(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
        for (std::size_t i = 1; i < call_.inputs() && call_.has(i); ++i) {
            operands.push_back(expanded(all(i), row));
        }
        TensorOperation operation = operation_on(Op::kLayerNormalization, operands);
        for (std::size_t i = axis; i < shape.size(); ++i) {
            operation.axes.push_back(static_cast<std::uint32_t>(i));
        }
        operation.beta = call_.attributes().real("epsilon", 1e-5F);
        Tensors results = {same(operation, operands)};
        Shape kept(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
        kept.resize(shape.size(), 1);
        for (const auto& [output, op] :
             {std::pair(1U, Op::kReduceMean), std::pair(2U, Op::kReduceInvStdDev)}) {
            results.emplace_back();
            if (!call_.makes(output)) continue;
            operation.op = op;
            operation.operands.resize(1);
            results.back() = apply(operation, {operands[0]}, {kept, false});
        }
        return results;
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
    /// An operation by indices, which are those of the node where they are known.
    [[nodiscard]] PlacedTensor by_indices(Op op, const PlacedTensor& x, std::size_t axis,
                                          const Shape& shape) const {
        TensorOperation operation = operation_on(op, {x});
        operation.axes = {static_cast<std::uint32_t>(axis)};
        for (const std::int64_t side : call_.shape(1)) {
            operation.sizes.push_back(static_cast<std::uint64_t>(side));
        }
        if (call_.tensors[1] != nullptr) operation.indices = call_.indices(1);
        return apply(operation, {x}, {shape, false});
    }
    [[nodiscard]] PlacedTensor gather_elements() const {
        const PlacedTensor x = as_in_file(0);
        const std::size_t axis = call_.axis(call_.attributes().integer("axis"), x.shape.size());
        return by_indices(Op::kGatherElements, x, axis, call_.shape(1));
    }
    /// One index that is known is a slice.
    [[nodiscard]] PlacedTensor gather() const {
        const PlacedTensor x = as_in_file(0);
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
        Tensors results;
        const network::Operator* const split = network::find_operator(call_.node->operation);
        for (const network::TensorType& type : split->infer(call_)) {
            PlacedTensor& result = results.emplace_back();
            result.shape = type.shape;
            result.channels_last = operands[0].channels_last;
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
        const auto found =
            std::find_if(coordinates.begin(), coordinates.end(),
                         [&](const auto& known) { return known.first == sizing.coordinates; });
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

std::pair<float, float> attributes_of(TensorOperator op, const OperatorCall& call) {
    const network::Attributes& attributes = call.attributes();
    switch (op) {
        case Op::kLeakyRelu:
            return {attributes.real("alpha", 0.01F), 0.0F};
        case Op::kHardSigmoid:
            return {attributes.real("alpha", 0.2F), attributes.real("beta", 0.5F)};
        case Op::kElu:
        case Op::kCelu:
        case Op::kThresholdedRelu:
            return {attributes.real("alpha", 1), 0.0F};
        case Op::kSelu:
            return {attributes.real("alpha", 1.67326319217681884765625F),
                    attributes.real("gamma", 1.05070102214813232421875F)};
        case Op::kClip:
            for (const std::size_t bound : {1U, 2U}) {
                if (call.has(bound)) (void)call.tensor(bound);
            }
            return network::clip_bounds(call);
        default:
            return {0.0F, 0.0F};
    }
}

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

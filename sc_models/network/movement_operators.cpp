// Operators that move elements and compute nothing.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

constexpr std::uint32_t input_bits(std::initializer_list<unsigned> inputs) {
    std::uint32_t bits = 0;
    for (const unsigned input : inputs) bits |= 1U << input;
    return bits;
}

/// The identity map 0, 1, 2, ... of a dimension.
AxisMap all_of(std::int64_t side) {
    AxisMap map(static_cast<std::size_t>(side));
    std::iota(map.begin(), map.end(), 0);
    return map;
}

std::vector<AxisMap> all_axes(const Shape& shape) {
    std::vector<AxisMap> maps;
    for (const std::int64_t side : shape) maps.push_back(all_of(side));
    return maps;
}

// Concat and Split

std::vector<TensorType> infer_concat(const OperatorCall& call) {
    Shape shape = call.shape(0);
    const std::size_t axis = call.axis(call.attributes().integer("axis"), shape.size());
    for (std::size_t input = 1; input < call.inputs(); ++input) {
        call.expect_same_type(0, input);
        const Shape& other = call.shape(input);
        Shape expected = shape;
        if (other.size() == shape.size()) expected[axis] = other[axis];
        call.expect_shape(input, expected);
        shape[axis] += other[axis];
        (void)element_count(shape);
    }
    return {{call.type(0).type, shape}};
}

void run_concat(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Shape& shape = outputs[0].type.shape;
    const std::size_t axis = call.axis(call.attributes().integer("axis"), shape.size());
    const AxisView whole(shape, axis);
    std::size_t first = 0;
    for (std::size_t input = 0; input < call.inputs(); ++input) {
        const AxisView part(call.shape(input), axis);
        const std::size_t size = part.side * part.inner;
        copy_blocks(outputs[0], first, whole.side * whole.inner, call.tensor(input), 0, size,
                    whole.outer, size);
        first += size;
    }
}

/// Sides of as many outputs as num_outputs says; the last one is smaller if need be.
std::vector<std::int64_t> even_parts(const OperatorCall& call, std::int64_t side,
                                     std::int64_t parts) {
    const std::int64_t wanted = call.attributes().integer("num_outputs");
    if (call.has(1) || wanted != parts) {
        call.fail("num_outputs: got " + std::to_string(wanted) +
                  (call.has(1) ? " and sides, expected only one of them"
                               : ", expected " + std::to_string(parts) + ", the node's outputs"));
    }
    const std::int64_t each = (side + parts - 1) / parts;
    std::vector<std::int64_t> sides(static_cast<std::size_t>(parts), each);
    sides.back() = side - each * (parts - 1);
    return sides;
}

std::vector<TensorType> infer_split(const OperatorCall& call) {
    const Shape& shape = call.shape(0);
    const std::size_t axis = call.axis(call.attributes().integer("axis"), shape.size());
    const auto parts = static_cast<std::int64_t>(call.node->outputs.size());
    std::vector<std::int64_t> sides = call.integers("split", 1);
    if (call.attributes().has("num_outputs")) {
        sides = even_parts(call, shape[axis], parts);
    } else if (sides.empty() && !call.attributes().has("split") && !call.has(1)) {
        if (shape[axis] % std::max<std::int64_t>(parts, 1) != 0) {
            call.fail("got a side of " + std::to_string(shape[axis]) + " for " +
                      std::to_string(parts) + " outputs, expected a multiple");
        }
        sides.assign(static_cast<std::size_t>(parts), shape[axis] / parts);
    }
    std::int64_t sum = 0;
    bool good = sides.size() == call.node->outputs.size();
    for (const std::int64_t side : sides) {
        good = good && side >= 0 && side <= shape[axis];
        if (good) sum += side;
    }
    if (!good || sum != shape[axis]) {
        call.fail("split: got " + shape_text(sides) + ", expected " + std::to_string(parts) +
                  " sides that add up to " + std::to_string(shape[axis]));
    }
    std::vector<TensorType> types;
    for (const std::int64_t side : sides) {
        types.push_back(call.type(0));
        types.back().shape[axis] = side;
    }
    return types;
}

void run_split(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::size_t axis = call.axis(call.attributes().integer("axis"), call.shape(0).size());
    const AxisView whole(call.shape(0), axis);
    std::size_t first = 0;
    for (Tensor& output : outputs) {
        const AxisView part(output.type.shape, axis);
        const std::size_t size = part.side * part.inner;
        copy_blocks(output, 0, size, call.tensor(0), first, whole.side * whole.inner, whole.outer,
                    size);
        first += size;
    }
}

// Slice

std::vector<TensorType> infer_slice(const OperatorCall& call) {
    TensorType type = call.type(0);
    const std::vector<SliceRange> ranges = slice_ranges(call);
    for (std::size_t axis = 0; axis < ranges.size(); ++axis) type.shape[axis] = ranges[axis].count;
    return {type};
}

void run_slice(const OperatorCall& call, std::vector<Tensor>& outputs) {
    std::vector<AxisMap> maps;
    for (const SliceRange& range : slice_ranges(call)) {
        maps.emplace_back(static_cast<std::size_t>(range.count));
        for (std::size_t i = 0; i < maps.back().size(); ++i) {
            maps.back()[i] = range.start + static_cast<std::int64_t>(i) * range.step;
        }
    }
    take_by_axis(outputs[0], call.tensor(0), maps);
}

// Pad

std::vector<TensorType> infer_pad(const OperatorCall& call) {
    const std::string mode = call.attributes().text("mode", "constant");
    const bool wraps = call.node->version >= 19;
    if (mode != "constant" && mode != "reflect" && mode != "edge" && !(wraps && mode == "wrap")) {
        call.fail("mode: got '" + mode + "', expected one of {constant, reflect, edge" +
                  (wraps ? ", wrap}" : "}"));
    }
    if (call.has(2)) {
        call.expect_same_type(0, 2);
        if (call.type(2).elements() != 1) {
            call.fail_input(2, "got " + call.type(2).str() + ", expected one element");
        }
    }
    TensorType type = call.type(0);
    const auto padding = padding_of(call);
    for (std::size_t axis = 0; axis < padding.size(); ++axis) {
        type.shape[axis] += padding[axis].first + padding[axis].second;
        if (type.shape[axis] < 0 ||
            (mode != "constant" && call.shape(0)[axis] == 0 && type.shape[axis] > 0)) {
            call.fail("pads: got " + std::to_string(padding[axis].first) + " and " +
                      std::to_string(padding[axis].second) + " on a side of " +
                      std::to_string(call.shape(0)[axis]) + ", which leaves nothing to take");
        }
    }
    return {type};
}

std::int64_t padded_index(std::int64_t index, std::int64_t side, const std::string& mode) {
    if (index >= 0 && index < side) return index;
    if (mode == "edge") return index < 0 ? 0 : side - 1;
    if (mode == "wrap") return (index % side + side) % side;
    if (mode == "reflect")
        return std::clamp<std::int64_t>(index < 0 ? -index : 2 * (side - 1) - index, 0, side - 1);
    return kFill;
}

void run_pad(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::string mode = call.attributes().text("mode", "constant");
    const auto padding = padding_of(call);
    std::vector<AxisMap> maps;
    for (std::size_t axis = 0; axis < padding.size(); ++axis) {
        maps.push_back(all_of(outputs[0].type.shape[axis]));
        for (std::int64_t& index : maps.back()) {
            index = padded_index(index - padding[axis].first, call.shape(0)[axis], mode);
        }
    }
    const Tensor attribute = Tensor::of_reals({}, {call.attributes().real("value", 0)});
    const Tensor* fill = call.has(2) ? &call.tensor(2) : nullptr;
    if (fill == nullptr && is_real(call.type(0).type)) fill = &attribute;
    take_by_axis(outputs[0], call.tensor(0), maps, fill);
}

// Transpose, DepthToSpace, SpaceToDepth: permutations of elements

std::vector<TensorType> infer_transpose(const OperatorCall& call) {
    TensorType type{call.type(0).type, {}};
    for (const std::size_t axis : permutation_of(call)) type.shape.push_back(call.shape(0)[axis]);
    return {type};
}

/// Writes to `to` the elements of `from`, seen as shape `shape`, with permuted axes.
void permute(Tensor& to, const Tensor& from, const Shape& shape,
             const std::vector<std::size_t>& permutation) {
    const std::vector<std::size_t> strides = strides_of(shape);
    Shape sides;
    std::vector<std::size_t> steps;
    for (const std::size_t axis : permutation) {
        sides.push_back(shape[axis]);
        steps.push_back(strides[axis]);
    }
    with_values(to, from, [&](auto& out, const auto& in) {
        walk(sides, steps, [&](std::size_t i, std::size_t at) { out[i] = in[at]; });
    });
}

void run_transpose(const OperatorCall& call, std::vector<Tensor>& outputs) {
    permute(outputs[0], call.tensor(0), call.shape(0), permutation_of(call));
}

std::int64_t block_of(const OperatorCall& call) {
    if (call.shape(0).size() != 4) {
        call.fail_input(0, "got shape " + shape_text(call.shape(0)) + ", expected 4 dimensions");
    }
    return call.bounded("blocksize", 0, 1, 1 << 15);
}

std::vector<TensorType> infer_depth_to_space(const OperatorCall& call) {
    const std::int64_t block = block_of(call);
    const Shape& in = call.shape(0);
    if (in[1] % (block * block) != 0) {
        call.fail_input(0, "got " + std::to_string(in[1]) + " channels, expected a multiple of " +
                               std::to_string(block * block));
    }
    return {{call.type(0).type, {in[0], in[1] / (block * block), in[2] * block, in[3] * block}}};
}

void run_block_move(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const BlockMove move = block_move(call);
    permute(outputs[0], call.tensor(0), move.sides, move.order);
}

std::vector<TensorType> infer_space_to_depth(const OperatorCall& call) {
    const std::int64_t block = block_of(call);
    const Shape& in = call.shape(0);
    if (in[2] % block != 0 || in[3] % block != 0) {
        call.fail_input(0, "got shape " + shape_text(in) +
                               ", expected sides that are multiples of " + std::to_string(block));
    }
    return {{call.type(0).type, {in[0], in[1] * block * block, in[2] / block, in[3] / block}}};
}

// Expand and Tile

std::vector<TensorType> infer_expand(const OperatorCall& call) {
    Shape wanted = call.integers("shape", 1);
    (void)element_count(wanted);
    const Shape& in = call.shape(0);
    if (wanted.size() < in.size()) wanted.insert(wanted.begin(), in.size() - wanted.size(), 1);
    for (std::size_t i = 1; i <= in.size(); ++i) {
        std::int64_t& side = wanted[wanted.size() - i];
        const std::int64_t has = in[in.size() - i];
        if (has != 1 && side != 1 && side != has) {
            call.fail_input(0, "got shape " + shape_text(in) + ", which cannot be broadcast to " +
                                   shape_text(wanted));
        }
        if (side == 1) side = has;
    }
    return {{call.type(0).type, wanted}};
}

void run_expand(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Shape& shape = outputs[0].type.shape;
    with_values(outputs[0], call.tensor(0), [&](auto& out, const auto& in) {
        walk(shape, broadcast_strides(call.shape(0), shape),
             [&](std::size_t i, std::size_t from) { out[i] = in[from]; });
    });
}

std::vector<TensorType> infer_tile(const OperatorCall& call) {
    const std::vector<std::int64_t> repeats = call.integers("repeats", 1);
    TensorType type = call.type(0);
    if (repeats.size() != type.shape.size()) {
        call.fail("repeats: got " + std::to_string(repeats.size()) + " values, expected " +
                  std::to_string(type.shape.size()));
    }
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
        if (repeats[axis] < 0 ||
            __builtin_mul_overflow(type.shape[axis], repeats[axis], &type.shape[axis])) {
            call.fail("repeats: got " + std::to_string(repeats[axis]) +
                      ", expected 0 or more, and not more than fits");
        }
    }
    return {type};
}

void run_tile(const OperatorCall& call, std::vector<Tensor>& outputs) {
    std::vector<AxisMap> maps = all_axes(outputs[0].type.shape);
    for (std::size_t axis = 0; axis < maps.size(); ++axis) {
        for (std::int64_t& index : maps[axis]) index %= call.shape(0)[axis];
    }
    take_by_axis(outputs[0], call.tensor(0), maps);
}

}  // namespace

std::vector<SliceRange> slice_ranges(const OperatorCall& call) {
    const Shape& shape = call.shape(0);
    const std::vector<std::int64_t> starts = call.integers("starts", 1);
    const std::vector<std::int64_t> ends = call.integers("ends", 2);
    std::vector<std::int64_t> named = call.integers("axes", 3);
    std::vector<std::int64_t> steps = call.integers("steps", 4);
    if (named.empty()) named = all_of(static_cast<std::int64_t>(starts.size()));
    if (steps.empty()) steps.assign(starts.size(), 1);
    if (ends.size() != starts.size() || named.size() != starts.size() ||
        steps.size() != starts.size()) {
        call.fail("got " + std::to_string(starts.size()) + " starts, " +
                  std::to_string(ends.size()) + " ends, " + std::to_string(named.size()) +
                  " axes and " + std::to_string(steps.size()) + " steps, expected as many of each");
    }
    if (std::find(steps.begin(), steps.end(), 0) != steps.end()) {
        call.fail("steps: got 0, expected another integer");
    }
    const std::vector<std::size_t> axes = call.axes(named, shape.size());
    std::vector<SliceRange> ranges;
    for (const std::int64_t side : shape) ranges.push_back({0, 1, side});
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t side = shape[axes[i]];
        if (side == 0) continue;
        // Steps longer than the side have the same effect as one of its length.
        const std::int64_t step = std::clamp(steps[i], -kMostElements, kMostElements);
        const auto index = [&](std::int64_t given, std::int64_t low, std::int64_t high) {
            const std::int64_t counted = given < 0 && given >= -side ? given + side : given;
            return std::clamp(counted, low, high);
        };
        const bool forward = step > 0;
        const std::int64_t start = index(starts[i], 0, forward ? side : side - 1);
        // A negative end left of the first index is clamped to -1.
        const std::int64_t end = index(ends[i], forward ? 0 : -1, side);
        const std::int64_t length = forward ? end - start : start - end;
        const std::int64_t size = forward ? step : -step;
        ranges[axes[i]] = {start, step, length <= 0 ? 0 : (length + size - 1) / size};
    }
    return ranges;
}

std::vector<std::pair<std::int64_t, std::int64_t>> padding_of(const OperatorCall& call) {
    const Shape& shape = call.shape(0);
    std::vector<std::int64_t> pads = call.integers("pads", 1);
    if (call.has(3)) {  // pads of some axes
        const std::vector<std::size_t> axes = call.axes(call.indices(3), shape.size());
        if (pads.size() != 2 * axes.size()) {
            call.fail("pads: got " + std::to_string(pads.size()) + " values, expected " +
                      std::to_string(2 * axes.size()));
        }
        std::vector<std::int64_t> all(2 * shape.size());
        for (std::size_t i = 0; i < axes.size(); ++i) {
            all[axes[i]] = pads[i];
            all[axes[i] + shape.size()] = pads[i + axes.size()];
        }
        pads = std::move(all);
    }
    if (pads.size() != 2 * shape.size()) {
        call.fail("pads: got " + std::to_string(pads.size()) + " values, expected " +
                  std::to_string(2 * shape.size()));
    }
    const bool reflect = call.attributes().text("mode", "constant") == "reflect";
    std::vector<std::pair<std::int64_t, std::int64_t>> padding;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        padding.emplace_back(pads[axis], pads[axis + shape.size()]);
        for (const std::int64_t pad : {padding.back().first, padding.back().second}) {
            if (pad < -shape[axis] || pad > kMostElements ||
                (reflect && pad >= std::max<std::int64_t>(shape[axis], 1))) {
                call.fail("pads: got " + std::to_string(pad) + " on a side of " +
                          std::to_string(shape[axis]) + ", expected " +
                          std::to_string(-shape[axis]) + " to " +
                          std::to_string(reflect ? shape[axis] - 1 : kMostElements));
            }
        }
    }
    return padding;
}

float padding_value(const OperatorCall& call) {
    if (!call.has(2)) return call.attributes().real("value", 0);
    return is_byte(call.type(2).type) ? static_cast<float>(call.indices(2)[0]) : call.reals(2)[0];
}

std::vector<std::size_t> permutation_of(const OperatorCall& call) {
    const std::size_t rank = call.shape(0).size();
    std::vector<std::int64_t> given = call.attributes().integers("perm");
    if (!call.attributes().has("perm")) {
        given = all_of(static_cast<std::int64_t>(rank));
        std::reverse(given.begin(), given.end());
    }
    if (given.size() != rank) {
        call.fail("perm: got " + std::to_string(given.size()) + " axes, expected " +
                  std::to_string(rank));
    }
    return call.axes(given, rank);
}

BlockMove block_move(const OperatorCall& call) {
    const std::int64_t block = block_of(call);
    const Shape& in = call.shape(0);
    if (call.node->operation == "SpaceToDepth") {
        return {{in[0], in[1], in[2] / block, block, in[3] / block, block}, {0, 3, 5, 1, 2, 4}};
    }
    const std::int64_t channels = in[1] / (block * block);
    if (call.attributes().text("mode", "DCR") == "CRD") {
        return {{in[0], channels, block, block, in[2], in[3]}, {0, 1, 4, 2, 5, 3}};
    }
    return {{in[0], block, block, channels, in[2], in[3]}, {0, 3, 4, 1, 5, 2}};
}

std::vector<Operator> movement_operators() {
    return {
        {"Concat", WorkKind::kCopy, infer_concat, run_concat},
        {"DepthToSpace", WorkKind::kCopy, infer_depth_to_space, run_block_move},
        {"Expand", WorkKind::kCopy, infer_expand, run_expand, nullptr, input_bits({1})},
        {"Pad", WorkKind::kCopy, infer_pad, run_pad, nullptr, input_bits({1, 3})},
        {"Slice", WorkKind::kCopy, infer_slice, run_slice, nullptr, input_bits({1, 2, 3, 4})},
        {"SpaceToDepth", WorkKind::kCopy, infer_space_to_depth, run_block_move},
        {"Split", WorkKind::kCopy, infer_split, run_split, nullptr, input_bits({1})},
        {"Tile", WorkKind::kCopy, infer_tile, run_tile, nullptr, input_bits({1})},
        {"Transpose", WorkKind::kCopy, infer_transpose, run_transpose},
    };
}

}  // namespace tessera::network

#include "sc_models/lowering/index_lowering.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/network/operator_details.h"

namespace tessera {

using network::Shape;
using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;
using Indices = std::optional<std::vector<std::int64_t>>;

namespace {

/// A result whose values the host computes.
PlacedTensor of_host(PlacedTensor result) {
    result.elements = nullptr;
    return result;
}

PlacedTensor seen_as(PlacedTensor x, const Shape& shape) {
    x.shape = shape;
    return x;
}

PlacedTensor constant(TensorType type, const Shape& shape, std::vector<HalfBits> elements) {
    PlacedTensor x;
    x.type = type;
    x.shape = shape;
    x.constant = true;
    x.elements = std::make_shared<std::vector<HalfBits>>(std::move(elements));
    return x;
}

}  // namespace

PlacedTensor IndexLowering::picked(Op op, const PlacedTensor& x, std::size_t axis,
                                   const TensorShape& sizes, Indices indices,
                                   const Shape& result) const {
    TensorOperation operation = operation_on(op, {x});
    operation.axes = {static_cast<std::uint32_t>(axis)};
    operation.sizes = sizes;
    if (indices) operation.indices = std::move(*indices);
    return apply_as(std::string(name_of(op)), operation, {x}, {result, false});
}

std::vector<network::Tensor> IndexLowering::on_host() const {
    for (std::size_t input = 0; input < call_.inputs(); ++input) {
        if (call_.has(input) && call_.tensors[input] == nullptr) return {};
    }
    const network::Operator& operation = *network::find_operator(call_.node->operation);
    std::vector<network::Tensor> outputs;
    for (network::TensorType& type : operation.infer(call_)) outputs.emplace_back(std::move(type));
    operation.run(call_, outputs);
    return outputs;
}

PlacedTensor IndexLowering::extremes(bool largest, std::size_t axis) const {
    const Op op = largest ? Op::kReduceMax : Op::kReduceMin;
    const Tensors operands = {real(0)};
    TensorOperation operation = operation_on(op, operands);
    operation.axes = {operands[0].side(axis)};
    Shape kept = operands[0].shape;
    kept[axis] = 1;
    return apply_as(std::string(name_of(op)), operation, operands,
                    {kept, operands[0].channels_last});
}

PlacedTensor IndexLowering::arg_extreme() const {
    const Shape& shape = call_.shape(0);
    const std::size_t axis = call_.axis(call_.attributes().integer("axis"), shape.size());
    const PlacedTensor result =
        extremes(call_.node->operation == "ArgMax", axis).with_channels_last(false);
    const std::vector<network::Tensor> places = on_host();
    if (result.elements == nullptr || places.empty()) return of_host(result);
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < shape.size(); ++i) {
        inner *= static_cast<std::size_t>(shape[i]);
    }
    const auto side = static_cast<std::size_t>(shape[axis]);
    for (std::size_t row = 0; row < result.elements->size(); ++row) {
        const auto place = static_cast<std::size_t>(places[0].integers.at(row));
        const float named = call_.reals(0).at((row / inner * side + place) * inner + row % inner);
        const float found = result.value(row);
        if (named == found || (named != named && found != found)) continue;
        throw CheckError(fmt::format("node {} ({}): row {} has {} at index {}, but {} by a kernel",
                                     call_.node->name, call_.node->operation, row, named, place,
                                     found));
    }
    return of_host(result);
}

PlacedTensor IndexLowering::top() const {
    const network::Operator& operation = *network::find_operator(call_.node->operation);
    const Shape shape = operation.infer(call_).at(0).shape;
    const std::size_t axis =
        call_.axis(call_.attributes().integer("axis", -1), call_.shape(0).size());
    (void)extremes(call_.attributes().integer("largest", 1) != 0, axis);
    const std::vector<network::Tensor> found = on_host();
    Indices indices;
    if (!found.empty()) indices = found[1].integers;
    const TensorShape sizes(shape.begin(), shape.end());
    return picked(Op::kGatherElements, as_in_file(0), axis, sizes, std::move(indices), shape);
}

PlacedTensor IndexLowering::copied() const {
    const Tensors operands = {real(0)};
    return of_host(apply_as("copy", operation_on(Op::kIdentity, operands), operands,
                            {operands[0].shape, operands[0].channels_last}));
}

PlacedTensor IndexLowering::one_hot() const {
    const Shape shape = network::find_operator("OneHot")->infer(call_).at(0).shape;
    const TensorType type = all(2).type;
    PlacedTensor chosen;
    chosen.type = type;
    chosen.shape = shape;
    chosen.constant = true;
    if (call_.tensors[0] != nullptr) {
        const std::vector<bool> places = network::one_hot_places(call_);
        std::vector<HalfBits> elements;
        for (const bool place : places) {
            elements.push_back(to_bits(place ? 1.0F : 0.0F, format_of(type)));
        }
        chosen = constant(type, shape, std::move(elements));
    }
    Tensors operands = {chosen, seen_as(all(2), {1}), seen_as(all(2), {1})};
    for (const std::size_t i : {1U, 2U}) {
        if (operands[i].elements == nullptr) continue;
        // The values are those for off and on, in this order.
        operands[i] = constant(type, {1}, {operands[i].elements->at(i == 1 ? 1 : 0)});
    }
    return apply_as("Where", operation_on(Op::kWhere, operands), operands, {shape, false});
}

PlacedTensor IndexLowering::gather_nd() const {
    const network::IndexedRows rows = network::indexed_rows(call_);
    if (call_.type(0).elements() == 0) call_.fail("there is no kernel for no elements");
    const auto elements = static_cast<std::int64_t>(rows.elements);
    const auto all_elements = static_cast<std::int64_t>(call_.type(0).elements());
    const auto tuples = static_cast<std::int64_t>(network::element_count(rows.result)) / elements;
    Indices places;
    if (call_.tensors[1] != nullptr) places = rows.places(call_);
    const PlacedTensor x = seen_as(as_in_file(0), {all_elements / elements, elements});
    return seen_as(picked(Op::kGather, x, 0, {static_cast<std::uint64_t>(tuples)},
                          std::move(places), {tuples, elements}),
                   rows.result);
}

PlacedTensor IndexLowering::scattered(Indices places, std::int64_t rows,
                                      std::int64_t elements) const {
    const Shape moved = {rows, elements};
    const auto count = static_cast<std::uint64_t>(rows);
    const PlacedTensor copy = copied();
    if (rows == 0) return copy;
    const PlacedTensor updates = seen_as(as_in_file(2), moved);
    const std::string reduction = call_.attributes().text("reduction", "none");
    if (reduction == "none") {
        std::vector<std::int64_t> in_turn(static_cast<std::size_t>(rows));
        std::iota(in_turn.begin(), in_turn.end(), 0);
        (void)picked(Op::kGather, updates, 0, {count}, std::move(in_turn), moved);
        return copy;
    }
    const auto all_elements = static_cast<std::int64_t>(call_.type(0).elements());
    const PlacedTensor data = seen_as(as_in_file(0), {all_elements / elements, elements});
    const PlacedTensor before = picked(Op::kGather, data, 0, {count}, std::move(places), moved);
    const Op op = reduction == "add"   ? Op::kAdd
                  : reduction == "mul" ? Op::kMul
                  : reduction == "max" ? Op::kMax
                                       : Op::kMin;
    (void)apply_as(std::string(name_of(op)), operation_on(op, {before, updates}), {before, updates},
                   {moved, false});
    return copy;
}

PlacedTensor IndexLowering::scatter_nd() const {
    const network::IndexedRows rows = network::indexed_rows(call_);
    if (call_.type(0).elements() == 0) call_.fail("there is no kernel for no elements");
    const auto elements = static_cast<std::int64_t>(rows.elements);
    Indices places;
    if (call_.tensors[1] != nullptr) places = rows.places(call_);
    return scattered(std::move(places),
                     static_cast<std::int64_t>(network::element_count(rows.result)) / elements,
                     elements);
}

PlacedTensor IndexLowering::scatter_elements() const {
    const Shape& data = call_.shape(0);
    const Shape& sides = call_.shape(1);
    const std::size_t axis = call_.axis(call_.attributes().integer("axis"), data.size());
    Indices places;
    if (call_.tensors[1] != nullptr) {
        const std::vector<std::size_t> from = network::strides_of(sides);
        const std::vector<std::size_t> to = network::strides_of(data);
        places.emplace();
        for (std::size_t i = 0; i < call_.indices(1).size(); ++i) {
            std::size_t place = 0, rest = i;
            for (std::size_t side = 0; side < data.size(); ++side) {
                const std::int64_t index = call_.indices(1)[i];
                const std::size_t own = rest / from[side];
                rest %= from[side];
                const auto along = static_cast<std::size_t>(index < 0 ? index + data[axis] : index);
                place += (side == axis ? along : own) * to[side];
            }
            places->push_back(static_cast<std::int64_t>(place));
        }
    }
    return scattered(std::move(places), static_cast<std::int64_t>(network::element_count(sides)),
                     1);
}

PlacedTensor IndexLowering::grid_sample() const {
    const network::Operator& operation = *network::find_operator(call_.node->operation);
    const std::string mode = call_.attributes().text("mode", "linear");
    const Tensors operands = {real(0)};
    TensorOperation resize = operation_on(Op::kResize, operands);
    resize.resize = mode == "nearest"                      ? ResizeMode::kNearest
                    : mode == "cubic" || mode == "bicubic" ? ResizeMode::kCubic
                                                           : ResizeMode::kLinear;
    resize.alpha = -0.75F;
    PlacedTensor result;
    result.shape = operation.infer(call_).at(0).shape;
    result.channels_last = operands[0].channels_last;
    resize.results = {result.sides()};
    return of_host(apply_as("Resize", resize, operands, {result.shape, operands[0].channels_last}));
}

PlacedTensor IndexLowering::wrapped() const {
    PlacedTensor x = as_in_file(0);
    const auto padding = network::padding_of(call_);
    for (std::size_t axis = 0; axis < padding.size(); ++axis) {
        const auto& [before, after] = padding[axis];
        if (before == 0 && after == 0) continue;
        const std::int64_t side = x.shape[axis];
        std::vector<std::int64_t> indices;
        for (std::int64_t i = -before; i < side + after; ++i) {
            indices.push_back((i % side + side) % side);
        }
        Shape shape = x.shape;
        shape[axis] = static_cast<std::int64_t>(indices.size());
        const TensorShape sizes = {indices.size()};
        x = picked(Op::kGather, x, axis, sizes, std::move(indices), shape);
    }
    return in_layout(x, last_ && x.shape.size() >= 3, sink_);
}

}  // namespace tessera

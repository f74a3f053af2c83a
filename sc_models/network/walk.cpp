#include "sc_models/network/walk.h"

#include <algorithm>
#include <string>
#include <type_traits>

namespace tessera::network {

std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to) {
    const std::vector<std::size_t> strides = strides_of(from);
    std::vector<std::size_t> result(to.size());
    const std::size_t added = to.size() - from.size();
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
        if (from[axis] != 1) result[axis + added] = strides[axis];
    }
    return result;
}

Shape broadcast_shape(const OperatorCall& call, std::size_t first) {
    Shape result;
    for (std::size_t input = first; input < call.inputs(); ++input) {
        const Shape& shape = call.shape(input);
        if (shape.size() > result.size()) {
            result.insert(result.begin(), shape.size() - result.size(), 1);
        }
        const std::size_t added = result.size() - shape.size();
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            std::int64_t& side = result[axis + added];
            if (shape[axis] == 1 || shape[axis] == side) continue;
            if (side != 1) {
                call.fail_input(input, "got shape " + shape_text(shape) +
                                           ", which cannot be broadcast with " +
                                           shape_text(result));
            }
            side = shape[axis];
        }
    }
    return result;
}

void expect_broadcast(const OperatorCall& call, std::size_t input, const Shape& shape) {
    const Shape& from = call.shape(input);
    bool fits = from.size() <= shape.size();
    for (std::size_t i = 1; fits && i <= from.size(); ++i) {
        const std::int64_t side = from[from.size() - i];
        fits = side == 1 || side == shape[shape.size() - i];
    }
    if (!fits) {
        call.fail_input(input, "got shape " + shape_text(from) +
                                   ", expected one that can be broadcast to " + shape_text(shape));
    }
}

void expect_index_type(const OperatorCall& call, std::size_t input) {
    const ElementType type = call.type(input).type;
    if (type != ElementType::kInt64 && type != ElementType::kInt32) {
        call.fail_input(input, "got " + call.type(input).str() + ", expected INT32 or INT64");
    }
}

std::size_t checked_index(const OperatorCall& call, std::size_t input, std::int64_t index,
                          std::int64_t side) {
    if (index < -side || index >= side) {
        call.fail_input(input, "got index " + std::to_string(index) + ", expected one from " +
                                   std::to_string(-side) + " to " + std::to_string(side - 1));
    }
    return static_cast<std::size_t>(index < 0 ? index + side : index);
}

void expect_element_indices(const OperatorCall& call) {
    expect_index_type(call, 1);
    const Shape& data = call.shape(0);
    const Shape& indices = call.shape(1);
    const std::size_t axis = call.axis(call.attributes().integer("axis"), data.size());
    bool fits = indices.size() == data.size();
    for (std::size_t side = 0; fits && side < data.size(); ++side) {
        fits = side == axis || indices[side] <= data[side];
    }
    if (!fits) call.expect_shape(1, data);
}

AxisView::AxisView(const Shape& shape, std::size_t axis) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
        (i < axis ? outer : i == axis ? side : inner) *= static_cast<std::size_t>(shape[i]);
    }
}

void take_by_axis(Tensor& to, const Tensor& from, const std::vector<AxisMap>& maps,
                  const Tensor* fill) {
    const std::vector<std::size_t> strides = strides_of(from.type.shape);
    if (to.elements() == 0) return;
    with_values(to, from, [&](auto& out, const auto& in) {
        using Element = typename std::decay_t<decltype(out)>::value_type;
        if (maps.empty()) {
            out[0] = in[0];
            return;
        }
        Element filler = 0;
        if constexpr (std::is_same_v<Element, float>) {
            if (fill != nullptr) filler = fill->reals.at(0);
        } else {
            if (fill != nullptr) filler = fill->integers.at(0);
        }
        const std::size_t last = maps.size() - 1;
        const AxisMap& columns = maps[last];
        std::vector<std::size_t> index(maps.size());
        for (std::size_t row = 0; row < out.size(); row += columns.size()) {
            std::size_t offset = 0;
            bool inside = true;
            for (std::size_t axis = 0; axis < last; ++axis) {
                const std::int64_t source = maps[axis][index[axis]];
                inside = inside && source != kFill;
                offset +=
                    static_cast<std::size_t>(std::max<std::int64_t>(source, 0)) * strides[axis];
            }
            for (std::size_t x = 0; x < columns.size(); ++x) {
                out[row + x] = inside && columns[x] != kFill
                                   ? in[offset + static_cast<std::size_t>(columns[x])]
                                   : filler;
            }
            for (std::size_t axis = last; axis-- > 0;) {
                if (++index[axis] < maps[axis].size()) break;
                index[axis] = 0;
            }
        }
    });
}

void copy_blocks(Tensor& to, std::size_t to_first, std::size_t to_pitch, const Tensor& from,
                 std::size_t from_first, std::size_t from_pitch, std::size_t blocks,
                 std::size_t size) {
    with_values(to, from, [&](auto& out, const auto& in) {
        for (std::size_t i = 0; i < blocks && size > 0; ++i) {
            std::copy_n(&in[from_first + i * from_pitch], size, &out[to_first + i * to_pitch]);
        }
    });
}

}  // namespace tessera::network

// Traversals of tensors: by strides, by broadcasting, and by index maps of axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sc_models/network/operators.h"
#include "sc_models/network/tensor.h"

namespace tessera::network {

/// Calls `visit(i, offset)` for each element i of `shape` in order, `offset` being the sum of its
/// indices times `strides`.
template <class Visit>
void walk(const Shape& shape, const std::vector<std::size_t>& strides, const Visit& visit) {
    std::size_t count = 1;
    for (const std::int64_t side : shape) count *= static_cast<std::size_t>(side);
    if (count == 0) return;
    if (shape.empty()) {
        visit(std::size_t{0}, std::size_t{0});
        return;
    }
    const std::size_t last = shape.size() - 1;
    const auto row = static_cast<std::size_t>(shape[last]);
    std::vector<std::int64_t> index(shape.size());
    std::size_t offset = 0;
    for (std::size_t i = 0; i < count; i += row) {
        for (std::size_t x = 0; x < row; ++x) visit(i + x, offset + x * strides[last]);
        for (std::size_t axis = last; axis-- > 0;) {
            offset += strides[axis];
            if (++index[axis] < shape[axis]) break;
            offset -= strides[axis] * static_cast<std::size_t>(shape[axis]);
            index[axis] = 0;
        }
    }
}

/// Strides that traverse a tensor of shape `from` as if it had been broadcast to `to`.
[[nodiscard]] std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to);

/// The common broadcast shape of all inputs from `first` on; throws if they do not fit.
[[nodiscard]] Shape broadcast_shape(const OperatorCall& call, std::size_t first = 0);

/// Throws unless the input can be broadcast to `shape` without changing it.
void expect_broadcast(const OperatorCall& call, std::size_t input, const Shape& shape);

/// Throws unless the input's elements are INT32 or INT64.
void expect_index_type(const OperatorCall& call, std::size_t input);
/// An index of the input, counted from the end if it is negative, as one from 0 on; throws if it is
/// outside of the side.
[[nodiscard]] std::size_t checked_index(const OperatorCall& call, std::size_t input,
                                        std::int64_t index, std::int64_t side);

/// Throws unless input 1 has indices along the attribute `axis` of the data: the same rank, and no
/// larger side beside the axis.
void expect_element_indices(const OperatorCall& call);
/// Calls `visit(i, at)` for each index i of input 1, `at` being the element of the data that it
/// names (expect_element_indices()).
template <class Visit>
void walk_element_indices(const OperatorCall& call, const Visit& visit) {
    const Shape& data = call.shape(0);
    const std::size_t axis = call.axis(call.attributes().integer("axis"), data.size());
    std::vector<std::size_t> elsewhere = strides_of(data);
    const std::size_t stride = std::exchange(elsewhere[axis], 0);
    const std::vector<std::int64_t>& indices = call.indices(1);
    walk(call.shape(1), elsewhere, [&](std::size_t i, std::size_t at) {
        visit(i, at + stride * checked_index(call, 1, indices[i], data[axis]));
    });
}

/// Calls `visit(values)` with the vector of values of each tensor: floats for reals, else integers.
template <class Visit>
void with_values(Tensor& to, const Tensor& from, const Visit& visit) {
    if (is_real(to.type.type)) {
        visit(to.reals, from.reals);
    } else {
        visit(to.integers, from.integers);
    }
}

/// A tensor viewed as `outer` x `side` x `inner` elements about one of its axes.
struct AxisView {
    std::size_t outer = 1, side = 1, inner = 1;

    AxisView(const Shape& shape, std::size_t axis);
};

/// Input index for each index of an output's axis; kFill: no input element.
using AxisMap = std::vector<std::int64_t>;
inline constexpr std::int64_t kFill = -1;

/// Fills `to` with elements of `from`, one axis map per axis. Elements without an input index take
/// the single element of `fill`, which has the same type, or zero if it is null.
void take_by_axis(Tensor& to, const Tensor& from, const std::vector<AxisMap>& maps,
                  const Tensor* fill = nullptr);

/// Copies `blocks` blocks of `size` elements between two tensors; each tensor has its own first
/// element and pitch.
void copy_blocks(Tensor& to, std::size_t to_first, std::size_t to_pitch, const Tensor& from,
                 std::size_t from_first, std::size_t from_pitch, std::size_t blocks,
                 std::size_t size);

}  // namespace tessera::network

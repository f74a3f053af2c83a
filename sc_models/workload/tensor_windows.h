// Windows over axes, padding, and resizing: operators whose places in a tensor are no plain steps.
#pragma once

#include "sc_models/workload/tensor_plan.h"

namespace tessera {

/// Where place `at` of an axis of `size` elements, which may be negative or beyond, has its
/// element; kOutside if it has none.
[[nodiscard]] std::int64_t padded_index(std::int64_t at, std::int64_t size, PadMode mode);

/// MaxPool, AveragePool: each output keeps its place, and the window is what it is made of.
[[nodiscard]] TensorPart pool_part(const TensorOperation& operation);

/// Resize: an element of the input for each output (nearest), or two along each resized axis, with
/// their weights (linear).
[[nodiscard]] TensorPart resize_part(const TensorOperation& operation);

/// Where output `k` of an axis lies in the input.
[[nodiscard]] double resized_place(const TensorOperation& operation, std::size_t axis,
                                   std::uint64_t k);
[[nodiscard]] std::int64_t nearest_index(double place, ResizeRounding rounding);

}  // namespace tessera

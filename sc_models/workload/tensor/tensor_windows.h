// Windows over axes, padding and resizing: operators whose positions in a tensor are not
// equidistant.
#pragma once

#include "sc_models/workload/tensor/tensor_plan.h"

namespace tessera {

/// Index of the element at position `at`, possibly negative or beyond, of an axis of `size`
/// elements; kOutside if there is none.
[[nodiscard]] std::int64_t padded_index(std::int64_t at, std::int64_t size, PadMode mode);

/// MaxPool, AveragePool: the kept index is the output's position, the reduced index runs over the
/// window.
[[nodiscard]] TensorPart pool_part(const TensorOperation& operation);

/// Resize: one input element per output (nearest), or two along each resized axis, with their
/// weights (linear).
[[nodiscard]] TensorPart resize_part(const TensorOperation& operation);

/// Position of output `k` of an axis in the input.
[[nodiscard]] double resized_place(const TensorOperation& operation, std::size_t axis,
                                   std::uint64_t k);
[[nodiscard]] std::int64_t nearest_index(double place, ResizeRounding rounding);

}  // namespace tessera

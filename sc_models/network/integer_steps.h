// Nodes between quantised products that work on integers instead of real numbers.
#pragma once

#include <cstddef>
#include <optional>

#include "sc_models/network/quantized_nodes.h"

namespace tessera::network {

/// A node of integers that takes the place of several.
struct IntegerNode {
    std::size_t at = 0;  ///< index of the last of these, a QuantizeLinear
    Node node;
};

/// An Add of two quantised tensors of one shape as QLinearAdd.
[[nodiscard]] std::optional<IntegerNode> sum_of_integers(QuantizedNodes& nodes, const Node& sum);

/// MaxPool, Concat, Slice, Gather, Transpose, a move of blocks or a view, whose results are
/// elements of what they read, on integers, if the conversions before and behind it have the same
/// scale and zero point.
[[nodiscard]] std::optional<IntegerNode> moved_integers(const QuantizedNodes& nodes,
                                                        const Node& moves);

}  // namespace tessera::network

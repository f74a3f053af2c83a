// Bounds of the rounding error between an Attention and the nodes that it replaces.
#pragma once

#include <vector>

#include "sc_models/network/rewriting_bounds.h"

namespace tessera::network {

/// Largest difference that rounding can cause, for each element of the result; `rewritten.node` is
/// an Attention with heads side by side.
[[nodiscard]] std::vector<double> attention_bounds(const RewrittenNode& rewritten);

}  // namespace tessera::network

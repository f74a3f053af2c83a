// Random inputs of a network, drawn from a seed.
#pragma once

#include <cstdint>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// A tensor for input number `input` of the graph: real numbers uniform in [-1, 1), indices of a
/// Gather uniform over its axis, other integers and truth values 1 (masks pass everything).
/// Reproducible for the same graph and seed.
[[nodiscard]] Tensor random_input(const Graph& graph, std::size_t input, std::uint64_t seed);

}  // namespace tessera::network

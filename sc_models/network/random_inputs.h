// Inputs of a network that nobody has given, drawn from a seed.
#pragma once

#include <cstdint>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// A tensor for input number `input` of the graph: real numbers uniform in [-1, 1), indices of a
/// Gather uniform over what it gathers from, other integers and truth values 1 (masks let
/// everything through). The same for the same graph and seed.
[[nodiscard]] Tensor random_input(const Graph& graph, std::size_t input, std::uint64_t seed);

}  // namespace tessera::network

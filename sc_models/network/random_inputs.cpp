#include "sc_models/network/random_inputs.h"

#include <algorithm>

#include "sc_models/common/splitmix.h"
#include "sc_models/network/operators.h"

namespace tessera::network {
namespace {

/// Smallest side that the indices gather from; 0 if no Gather uses them.
std::uint64_t gathered_side(const Graph& graph, ValueId indices) {
    std::uint64_t least = 0;
    for (const Node& node : graph.nodes) {
        if (node.operation != "Gather" || node.inputs[1] != indices) continue;
        const Shape& shape = graph.value(node.inputs[0]).type.shape;
        const std::int64_t axis = node.attributes.integer("axis");
        const auto rank = static_cast<std::int64_t>(shape.size());
        const auto side = static_cast<std::uint64_t>(
            shape[static_cast<std::size_t>(axis + (axis < 0 ? rank : 0))]);
        least = least == 0 ? side : std::min(least, side);
    }
    return least;
}

}  // namespace

Tensor random_input(const Graph& graph, std::size_t input, std::uint64_t seed) {
    const ValueId id = graph.inputs.at(input);
    Tensor tensor(graph.value(id).type);
    const std::uint64_t key = splitmix_key(seed, input);
    for (std::size_t i = 0; i < tensor.reals.size(); ++i) {
        // 24 bits: a float's precision.
        tensor.reals[i] = static_cast<float>(splitmix_at(key, i) >> 40U) * 0x1p-23F - 1;
    }
    const std::uint64_t side = gathered_side(graph, id);
    for (std::size_t i = 0; i < tensor.integers.size(); ++i) {
        const std::uint64_t drawn = splitmix_at(key, i);
        tensor.integers[i] = is_byte(tensor.type.type) ? static_cast<std::int64_t>(drawn >> 56U)
                             : side == 0               ? 1
                                                       : static_cast<std::int64_t>(drawn % side);
    }
    tensor.round_to_type();
    return tensor;
}

}  // namespace tessera::network

// Choice of the tensors of a network that are stored channels-last, the layout of convolution
// kernels.
#pragma once

#include <memory>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera {

/// For each value of a graph, whether its channels (the second side) are stored last; the file has
/// them before the pixels. Convolutions, pools, Resize, BatchNormalization and
/// InstanceNormalization produce such tensors; element-wise and axis-wise operators keep the layout
/// of their inputs; all others need the file's order. Graph inputs that feed an operator of the
/// first kind are stored channels-last too. Constants have the layout that their kernel needs.
class Layouts {
public:
    explicit Layouts(const network::Graph& graph);

    [[nodiscard]] bool channels_last(network::ValueId id) const { return last_.at(id.value()); }

private:
    std::vector<bool> last_;
};

/// Layout that an operator prefers for its tensors.
enum class PreferredLayout { kChannelsLast, kAsTheyCome, kAsInFile };
[[nodiscard]] PreferredLayout preferred_layout(const network::Graph& graph,
                                               const network::Node& node);

/// Whether the two orders of a tensor of this shape differ.
[[nodiscard]] bool has_two_layouts(const network::Shape& shape);

/// For each side in memory, its side in the file's order, for channels last.
[[nodiscard]] std::vector<std::size_t> channels_last_order(std::size_t sides);

}  // namespace tessera

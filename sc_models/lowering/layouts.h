// Which tensors of a network lie with their channels last, as kernels of convolutions want them.
#pragma once

#include <memory>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera {

/// For each value of a graph, whether its channels (the second side) lie last, where the file has
/// them before the pixels. Convolutions, pools, Resize, BatchNormalization and
/// InstanceNormalization make such tensors; operators that treat elements alike go on with what
/// they get; all others want the file's order. Inputs that such an operator reads are brought in
/// its order. Constants lie as they are wanted.
class Layouts {
public:
    explicit Layouts(const network::Graph& graph);

    [[nodiscard]] bool channels_last(network::ValueId id) const { return last_.at(id.value()); }

private:
    std::vector<bool> last_;
};

/// How an operator takes its tensors.
enum class LayoutWish { kChannelsLast, kAsTheyCome, kAsInFile };
[[nodiscard]] LayoutWish layout_wish(const network::Graph& graph, const network::Node& node);

/// Whether the two orders of a tensor of this shape differ at all.
[[nodiscard]] bool has_two_layouts(const network::Shape& shape);

/// The side of the file's order that each side in memory is, where channels lie last.
[[nodiscard]] std::vector<std::size_t> channels_last_order(std::size_t sides);

}  // namespace tessera

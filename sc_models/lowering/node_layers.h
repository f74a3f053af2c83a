// Layers of one node of a network while they are made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/lowering/layouts.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"

namespace tessera {

[[nodiscard]] inline std::uint32_t side_of(std::int64_t side) {
    return static_cast<std::uint32_t>(side);
}

/// Layers of one node, with the node's operands as they lie in memory. The classes of operator
/// families append to it. Each object serves one node; the arguments of the constructor must
/// outlive it.
class NodeLayers {
public:
    NodeLayers(const network::Graph& graph, const network::Node& node, const Layouts& layouts,
               const network::TensorOf& tensor_of)
        : graph_(graph), node_(node), layouts_(layouts), tensor_of_(tensor_of) {}
    NodeLayers(const NodeLayers&) = delete;
    NodeLayers& operator=(const NodeLayers&) = delete;

    [[nodiscard]] const network::Graph& graph() const { return graph_; }
    [[nodiscard]] const network::Node& node() const { return node_; }
    [[nodiscard]] const Layouts& layouts() const { return layouts_; }
    /// Returns the type of real numbers in memory.
    [[nodiscard]] TensorType halves() const;
    [[nodiscard]] network::OperatorCall call_of(const network::Node& node) const;
    /// Returns a tensor of the network in the layout that it has in memory.
    [[nodiscard]] PlacedTensor placed(network::ValueId id) const;
    /// Returns whether the values of all inputs of a node and its epilogue are known. If not, a
    /// layer may still have values of its own, such as drawn indices.
    [[nodiscard]] bool is_known(const network::Node& node) const;
    /// Returns the elements of a node's only result by its definition, as they lie in memory. The
    /// values of its inputs are known.
    [[nodiscard]] GivenLayer::Elements result_of(const network::Node& node,
                                                 const PlacedTensor& result) const;

    /// Returns a sink that appends operations. It must not outlive this object.
    [[nodiscard]] OperationSink sink();
    /// Appends an operation as an OperationSink does, on real numbers of the type halves() unless
    /// it has types of its own.
    std::vector<PlacedTensor> add_operation(const std::string& name, const TensorOperation& of,
                                            const std::vector<PlacedTensor>& operands,
                                            const std::vector<MadeTensor>& results);
    /// Appends a layer, whose result is `made`.
    void add(LoweredLayer layer, const PlacedTensor& made);
    [[nodiscard]] LoweredLayer& last() { return layers_.back(); }
    /// Throws CheckError if the results differ from the network's own by more than rounding.
    void compare(const std::vector<PlacedTensor>& results) const;
    [[nodiscard]] std::vector<LoweredLayer> take() { return std::move(layers_); }

private:
    void record(const PlacedTensor& made);
    void compare_bytes(const network::Tensor& expected, const PlacedTensor& made) const;

    const network::Graph& graph_;
    const network::Node& node_;
    const Layouts& layouts_;
    const network::TensorOf& tensor_of_;
    std::vector<LoweredLayer> layers_;
    float largest_ = 0;  ///< largest magnitude of a result
};

}  // namespace tessera

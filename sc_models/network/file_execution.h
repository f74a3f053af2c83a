// Execution of the file's own graph, node by node and on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"

namespace tessera::network {

/// Executes a graph up to the tensor that is requested next. A tensor is freed when all its readers
/// have released it.
class FileExecution {
public:
    /// Receives each tensor that a node makes.
    using Observer = std::function<void(ValueId id, const Tensor& tensor)>;

    /// Throws ConfigError for inputs of other types than the graph's.
    FileExecution(const Graph& graph, std::vector<Tensor> inputs, Observer observe);

    /// Adds a reader of a tensor. All readers must be added before the first call of value().
    void announce(ValueId id) { ++uses_.at(id.value()); }
    /// Removes a reader of a tensor.
    void release(ValueId id);

    /// Whether the graph has the tensor.
    [[nodiscard]] bool has(ValueId id) const { return id.value() < graph_.values.size(); }
    /// The node that makes the tensor; null for inputs and constants.
    [[nodiscard]] const Node* maker(ValueId id) const { return makers_.at(id.value()); }
    /// Returns the tensor's values; runs the nodes up to its maker first.
    [[nodiscard]] const Tensor& value(ValueId id);
    /// Runs all nodes that have not run.
    void finish();

    [[nodiscard]] std::size_t nodes_run() const { return next_; }

private:
    void run_next();
    [[nodiscard]] const Tensor* known(ValueId id) const;

    const Graph& graph_;
    Observer observe_;
    std::vector<const Node*> makers_;
    std::vector<std::uint32_t> uses_;
    std::vector<std::optional<Tensor>> made_;
    std::size_t next_ = 0;
};

}  // namespace tessera::network

// Builder of nodes that replace others in a graph.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Makes nodes with one output each, named after the node that they replace, and the constants that
/// they read. The maker keeps nodes in order until take().
class NodeMaker {
public:
    explicit NodeMaker(Graph& graph) : graph_(graph) {}

    /// Sets the node that later nodes are named after.
    void begin(const Node& node) {
        name_ = node.name;
        made_ = 0;
    }
    /// Appends an unchanged node.
    void keep(Node node) { nodes_.push_back(std::move(node)); }
    [[nodiscard]] std::vector<Node> take() { return std::move(nodes_); }

    /// Makes a node with a new output, or with `output`. Throws ConfigError for operands that its
    /// operator does not allow.
    ValueId make(const std::string& operation, std::vector<ValueId> inputs,
                 Attributes attributes = {}, ValueId output = ValueId());
    ValueId constant(Tensor tensor);
    ValueId scalar(float value, ElementType type) {
        return constant(Tensor::of_reals({}, {value}, type));
    }

    ValueId reshaped(ValueId id, const Shape& to, ValueId output = ValueId());
    ValueId transposed(ValueId id, std::vector<std::int64_t> order, ValueId output = ValueId());
    /// `count` rows along the outermost dimension, or columns of a matrix.
    ValueId rows(ValueId id, std::int64_t first, std::int64_t count);
    ValueId columns(ValueId id, std::int64_t first, std::int64_t count);
    /// a b^T + c
    ValueId product(ValueId a, ValueId b, ValueId c = ValueId());

private:
    Graph& graph_;
    std::vector<Node> nodes_;
    std::string name_;
    std::size_t made_ = 0;
};

}  // namespace tessera::network

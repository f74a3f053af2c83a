// Nodes that take the place of others in a graph.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Makes nodes with one output each, named after the node whose place they take, and the constants
/// that these read. Nodes of a graph that is being rewritten: the maker keeps them in order until
/// they are taken.
class NodeMaker {
public:
    explicit NodeMaker(Graph& graph) : graph_(graph) {}

    /// From now on nodes are named after `node`.
    void begin(const Node& node) {
        name_ = node.name;
        made_ = 0;
    }
    /// As it is.
    void keep(Node node) { nodes_.push_back(std::move(node)); }
    [[nodiscard]] std::vector<Node> take() { return std::move(nodes_); }

    /// A node whose output is new, or `output`. Throws ConfigError for operands that its operator
    /// does not allow.
    ValueId make(const std::string& operation, std::vector<ValueId> inputs,
                 Attributes attributes = {}, ValueId output = ValueId());
    ValueId constant(Tensor tensor);
    ValueId scalar(float value, ElementType type) {
        return constant(Tensor::of_reals({}, {value}, type));
    }

    ValueId reshaped(ValueId id, const Shape& to, ValueId output = ValueId());
    ValueId transposed(ValueId id, std::vector<std::int64_t> order, ValueId output = ValueId());
    /// `count` rows of the outermost side, or columns of a matrix.
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

// Search for the producers of a node's operands, for patterns of nodes.
#pragma once

#include <optional>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Whether a number is `wanted` as an exporter writes it: exact if `wanted` is a number of the
/// type, otherwise within two units in the last place.
[[nodiscard]] bool is_close(float number, double wanted, ElementType type);

/// Finds the producers of a node's operands.
class PatternMatcher {
public:
    /// `graph` must outlive this object; its nodes must not move.
    explicit PatternMatcher(const Graph& graph);

    /// The node of this operator that makes the value as its first output, or null.
    [[nodiscard]] const Node* made_by(ValueId id, const char* operation) const;

    /// The only element of a constant of real numbers.
    [[nodiscard]] std::optional<float> scalar(ValueId id) const;
    [[nodiscard]] bool is(ValueId id, double wanted) const;
    /// Whether both values have the same type and shape: a constant with more dimensions than the
    /// operand enlarges the result.
    [[nodiscard]] bool are_alike(ValueId a, ValueId b) const {
        return graph_.value(a).type == graph_.value(b).type;
    }

    /// The other operand of a node with two if one of them is this constant.
    [[nodiscard]] std::optional<ValueId> beside(const Node& node, double constant) const;
    /// The other operand of the `operation` with this constant that made the value.
    [[nodiscard]] std::optional<ValueId> under(ValueId id, const char* operation,
                                               double constant) const;

    [[nodiscard]] const Graph& graph() const { return graph_; }

private:
    const Graph& graph_;
    std::vector<const Node*> makers_;
};

/// A node that replaces another and keeps its output.
[[nodiscard]] Node replacement(const Node& last, const char* operation, int version,
                               std::vector<ValueId> inputs);

}  // namespace tessera::network

// The conversions around nodes of a quantised network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Inputs of QuantizeLinear and DequantizeLinear.
struct ConversionInputs {
    static constexpr std::size_t kScale = 1, kZero = 2;
};

[[nodiscard]] bool has_input(const Node& node, std::size_t input);
/// The constant that an input is, or null.
[[nodiscard]] const Tensor* constant_of(const Graph& graph, const Node& node, std::size_t input);
ValueId add_constant(Graph& graph, const std::string& name, Tensor tensor);
/// Whether there is a tensor, of one element.
[[nodiscard]] bool is_single(const Tensor* tensor);

/// Finds the nodes that make and read values.
class Neighbours {
public:
    explicit Neighbours(const Graph& graph)
        : makers_(graph.values.size()), readers_(graph.values.size()), uses_(graph.uses()) {
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            for (const ValueId id : graph.nodes[i].outputs) {
                if (id.valid()) makers_[id.value()] = &graph.nodes[i];
            }
            for (const ValueId id : graph.nodes[i].inputs) {
                if (id.valid()) readers_[id.value()] = i;
            }
        }
    }
    /// The node of this operator that makes the value, or null.
    [[nodiscard]] const Node* made_by(ValueId id, const char* operation) const {
        const bool is_known = id.valid() && id.value() < makers_.size();
        const Node* maker = is_known ? makers_[id.value()] : nullptr;
        return maker != nullptr && maker->operation == operation ? maker : nullptr;
    }
    /// Index of the only node that reads the value.
    [[nodiscard]] std::optional<std::size_t> only_reader(ValueId id) const {
        if (!id.valid() || uses_.at(id.value()) != 1) return std::nullopt;
        return readers_[id.value()];
    }

private:
    std::vector<const Node*> makers_;
    std::vector<std::optional<std::size_t>> readers_;
    std::vector<std::uint32_t> uses_;
};

/// A tensor of integers with its scale and zero point.
struct Quantized {
    ValueId integers, scale, zero;  ///< without a zero point `zero` is invalid
    bool is_turned = false;         ///< rows and columns are exchanged behind it
    std::size_t axis = 0;           ///< of several scales
};

/// The steps from the result of a node to its QuantizeLinear.
struct Ending {
    ValueId bias;  ///< invalid: none
    float least = -std::numeric_limits<float>::infinity();
    float most = std::numeric_limits<float>::infinity();
    std::size_t quantization = 0;  ///< index of that node
};

/// Reads the conversions of a graph, whose nodes stay as they are while this object lives.
class QuantizedNodes {
public:
    explicit QuantizedNodes(Graph& graph) : graph_(graph), neighbours_(graph) {}

    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }

    /// Inputs of a QLinear operator `name` of two operands, whose result a QuantizeLinear makes.
    /// Zero points that are not there become new constants.
    [[nodiscard]] std::vector<ValueId> inputs_of(const std::string& name, const Quantized& a,
                                                 const Quantized& b, const Node& quantization);

    /// Operands of a DequantizeLinear of real numbers in FP32; nothing if there is no such node or
    /// it has blocks.
    [[nodiscard]] std::optional<Quantized> operands_of(const Node* node) const;
    /// Operands of the DequantizeLinear that makes a value, of bytes with one scale that keeps the
    /// order; all of it is constant but the integers.
    [[nodiscard]] std::optional<Quantized> bytes_of(ValueId id) const;
    /// Whether a QuantizeLinear has one scale that keeps the order and one zero point, both
    /// constant, and does not round the quotient to FP16.
    [[nodiscard]] bool has_one_scale(const Node& quantization) const;
    /// Whether the bytes of the operand mean the same numbers as those that a QuantizeLinear makes;
    /// both have one constant scale.
    [[nodiscard]] bool has_scale_of(const Quantized& operand, const Node& quantization) const;
    /// The steps between a node and its only reader at the end, a QuantizeLinear.
    [[nodiscard]] std::optional<Ending> ending_of(const Node& first, bool may_be_biased) const;
    /// Sets the integers that Relu or Clip bound the result of a QLinear operator to. Scale and
    /// zero point are constant. Returns whether there are any.
    [[nodiscard]] bool set_bounds(const Ending& ending, Node& node) const;

private:
    Graph& graph_;
    const Neighbours neighbours_;
};

}  // namespace tessera::network

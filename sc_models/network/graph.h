// Graph of a network: operators and tensors in topological order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/network/tensor.h"

namespace tessera::network {

/// Index of a tensor in a Graph; an invalid id stands for an omitted operand.
using ValueId = Id<struct ValueTag>;

/// Value of an operator's attribute.
using Attribute =
    std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                 std::vector<std::string>, std::shared_ptr<const Tensor>>;

/// Attributes by name; those that the file omits have ONNX's default if there is one.
class Attributes {
public:
    void set(std::string name, Attribute value) { all_[std::move(name)] = std::move(value); }
    [[nodiscard]] bool has(const std::string& name) const { return all_.count(name) != 0; }
    /// The value, or `otherwise` if the attribute is missing or has another type.
    template <class Type>
    [[nodiscard]] Type get(const std::string& name, Type otherwise = {}) const {
        const auto found = all_.find(name);
        if (found == all_.end()) return otherwise;
        const Type* value = std::get_if<Type>(&found->second);
        return value == nullptr ? otherwise : *value;
    }
    [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t otherwise = 0) const {
        return get<std::int64_t>(name, otherwise);
    }
    [[nodiscard]] float real(const std::string& name, float otherwise = 0) const {
        return get<float>(name, otherwise);
    }
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const {
        return get<std::vector<std::int64_t>>(name);
    }
    [[nodiscard]] std::string text(const std::string& name, std::string otherwise = {}) const {
        return get<std::string>(name, std::move(otherwise));
    }

private:
    std::map<std::string, Attribute> all_;
};

/// An operator applied to a node's result before that is written to memory: one of its inputs is
/// the value so far, and its result, of the same type and shape, replaces that value.
struct EpilogueStep {
    std::string name;  ///< of the original node
    std::string operation;
    int version = 0;
    Attributes attributes;
    std::vector<ValueId> inputs;
    std::size_t chained = 0;  ///< index of the input that is the value so far; its id is invalid
    ValueId taken{};          ///< that input's original tensor, which no node makes any more
};

/// An operator with its operands.
struct Node {
    std::string name;       ///< the file's, or the operator and a number
    std::string operation;  ///< ONNX's name: "Conv"
    int version = 0;        ///< operator set of the definition: ONNX's "since version"
    Attributes attributes;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<EpilogueStep> epilogue{};  ///< applied to the first output
};

/// A tensor: a node's output, an input or a constant.
struct Value {
    std::string name;
    TensorType type;
    std::shared_ptr<const Tensor> constant{};  ///< null: computed at run time
};

/// Operators and the tensors between them. Every node follows those whose outputs it reads, and
/// every value has its type.
struct Graph {
    std::string name;
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<ValueId> inputs;  ///< without constants
    std::vector<ValueId> outputs;
    /// Type that real numbers have in memory, of 16 bits: set by store_as_halves().
    ElementType halves = ElementType::kHalf;

    [[nodiscard]] const Value& value(ValueId id) const { return values.at(id.value()); }
    [[nodiscard]] Value& value(ValueId id) { return values.at(id.value()); }
    /// Adds a value and returns its id.
    ValueId add(Value value);
    /// Number of reads of each value: by nodes, by epilogue steps, and as an output.
    [[nodiscard]] std::vector<std::uint32_t> uses() const;
    /// Removes nodes whose outputs have no reader.
    void remove_unread_nodes();
};

/// Sorts nodes topologically; of several that could be next, the first in the given order is.
/// Throws ConfigError naming a node of a cycle.
void sort_topologically(Graph& graph);

}  // namespace tessera::network

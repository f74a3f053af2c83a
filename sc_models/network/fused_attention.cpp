#include "sc_models/network/fused_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sc_models/network/attention.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/pattern_matcher.h"
#include "sc_models/network/rounding_errors.h"

namespace tessera::network {
namespace {

/// A value that is another one times a factor.
struct ScaledValue {
    ValueId value;
    double factor = 1;
};

/// Operands of an attention whose heads are apart (batch x heads x rows x depth).
struct HeadsApart {
    ValueId query, key, value, mask;
    bool has_key_columns = false;  ///< batch x heads x depth x rows of keys
    double scale = 1;
    bool is_causal = false;
};

/// Orders of sides of a Transpose: heads before rows, and with keys as columns.
using Order = std::vector<std::int64_t>;
const Order kByHead = {0, 2, 1, 3}, kKeyColumns = {0, 2, 3, 1}, kColumns = {0, 1, 3, 2};

bool has_order(const Node& node, const Order& order) {
    return node.attributes.integers("perm") == order;
}

/// Whether a constant is 0 up to the diagonal and far below all scores behind it.
bool is_causal_mask(const Value& value) {
    constexpr float kHidden = -10000;
    const Shape& shape = value.type.shape;
    if (value.constant == nullptr || shape.size() < 2 || shape.back() != shape[shape.size() - 2]) {
        return false;
    }
    const auto side = static_cast<std::size_t>(shape.back());
    const std::vector<float>& added = value.constant->reals;
    if (side < 2 || added.size() != side * side) return false;
    for (std::size_t i = 0; i < added.size(); ++i) {
        const bool is_seen = i % side <= i / side;
        if (is_seen ? added[i] != 0 : !(added[i] <= kHidden)) return false;
    }
    return true;
}

class AttentionMatcher {
public:
    explicit AttentionMatcher(const Graph& graph)
        : graph_(graph), uses_(graph.uses()), matcher_(graph) {}

    /// The Attention that takes the place of the second product; heads are apart.
    [[nodiscard]] std::optional<Node> with_heads_apart(const Node& last) const {
        if (last.operation != "MatMul") return std::nullopt;
        const std::optional<HeadsApart> found = of_products(last.outputs[0]);
        if (!found || found->has_key_columns) return std::nullopt;
        return attention(last, {found->query, found->key, found->value}, *found);
    }

    /// The Attention that takes the place of a Reshape, which puts heads side by side.
    [[nodiscard]] std::optional<Node> with_heads_side_by_side(const Node& last) const {
        const Shape& result = shape(last.outputs.at(0));
        if (last.operation != "Reshape" || result.size() != 3) return std::nullopt;
        const Node* const turned = matcher_.made_by(last.inputs[0], "Transpose");
        if (turned == nullptr || !has_order(*turned, kByHead) || !has_one_reader(last.inputs[0]) ||
            !has_one_reader(turned->inputs[0])) {
            return std::nullopt;
        }
        const std::optional<HeadsApart> apart = of_operator(turned->inputs[0]);
        const std::optional<HeadsApart> found = apart ? apart : of_products(turned->inputs[0]);
        if (!found) return std::nullopt;
        const std::optional<ValueId> query = side_by_side(found->query, kByHead),
                                     value = side_by_side(found->value, kByHead);
        const std::optional<ValueId> key =
            side_by_side(found->key, found->has_key_columns ? kKeyColumns : kByHead);
        if (!query || !key || !value) return std::nullopt;
        const bool is_whole = result == Shape{shape(*query)[0], shape(*query)[1],
                                              shape(found->query)[1] * shape(found->value)[3]};
        return is_whole ? attention(last, {*query, *key, *value}, *found) : std::nullopt;
    }

private:
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }
    [[nodiscard]] bool has_one_reader(ValueId id) const { return uses_[id.value()] == 1; }

    /// Whether products of these operands repeat no sides but heads of keys and values.
    [[nodiscard]] bool are_of_one_batch(const HeadsApart& found) const {
        const Shape& query = shape(found.query);
        const Shape& key = shape(found.key);
        const Shape& value = shape(found.value);
        return query.size() == 4 && key.size() == 4 && value.size() == 4 && key[0] == query[0] &&
               value[0] == query[0] && key[1] > 0 && value[1] == key[1] && query[1] % key[1] == 0;
    }

    /// The Attention of these operands if there is a kernel for it.
    [[nodiscard]] std::optional<Node> attention(const Node& last, std::vector<ValueId> operands,
                                                const HeadsApart& found) const {
        if (!are_of_one_batch(found)) return std::nullopt;
        if (found.mask.valid()) operands.push_back(found.mask);
        Node node = replacement(last, "Attention", 23, std::move(operands));
        node.attributes.set("q_num_heads", shape(found.query)[1]);
        node.attributes.set("kv_num_heads", shape(found.key)[1]);
        node.attributes.set("is_causal", std::int64_t{found.is_causal ? 1 : 0});
        node.attributes.set("scale", static_cast<float>(found.scale));
        return is_fused_attention(graph_, node) ? std::optional(node) : std::nullopt;
    }

    /// A file's Attention with heads apart.
    [[nodiscard]] std::optional<HeadsApart> of_operator(ValueId result) const {
        const Node* const node = matcher_.made_by(result, "Attention");
        if (node == nullptr || node->inputs.size() > 4 || node->outputs.size() > 1 ||
            node->attributes.real("softcap", 0) != 0 || shape(node->inputs[kQuery]).size() != 4) {
            return std::nullopt;
        }
        HeadsApart found;
        found.query = node->inputs[kQuery];
        found.key = node->inputs[kKey];
        found.value = node->inputs[kValue];
        if (node->inputs.size() > kMask) found.mask = node->inputs[kMask];
        const auto depth = static_cast<double>(shape(found.query)[3]);
        found.scale = node->attributes.real("scale", static_cast<float>(1 / std::sqrt(depth)));
        found.is_causal = node->attributes.integer("is_causal") != 0;
        return found;
    }

    /// Products with a softmax between them.
    [[nodiscard]] std::optional<HeadsApart> of_products(ValueId result) const {
        const Node* const product = matcher_.made_by(result, "MatMul");
        const Node* const softmax =
            product == nullptr ? nullptr : matcher_.made_by(product->inputs[0], "Softmax");
        if (softmax == nullptr || shape(softmax->inputs[0]).size() != 4 ||
            !has_one_reader(product->inputs[0]) || !has_one_reader(softmax->inputs[0])) {
            return std::nullopt;
        }
        const std::int64_t axis = softmax->attributes.integer("axis", -1);
        if (axis != -1 && axis != 3) return std::nullopt;
        std::optional<HeadsApart> found = scores(softmax->inputs[0]);
        const Node* const sum = matcher_.made_by(softmax->inputs[0], "Add");
        for (std::size_t i = 0; i < 2 && sum != nullptr && !found; ++i) {
            found = scores(sum->inputs[i]);
            const ValueId mask = sum->inputs[1 - i];
            if (!found) continue;
            found->is_causal = is_causal_mask(graph_.value(mask));
            if (!found->is_causal) found->mask = mask;
        }
        if (found) found->value = product->inputs[1];
        return found;
    }

    /// Products of queries and keys, times a scale.
    [[nodiscard]] std::optional<HeadsApart> scores(ValueId id) const {
        const ScaledValue whole = without_scale(id);
        const Node* const product = matcher_.made_by(whole.value, "MatMul");
        if (product == nullptr || shape(product->inputs[0]).size() != 4 || !has_one_reader(id) ||
            !has_one_reader(whole.value)) {
            return std::nullopt;
        }
        const ScaledValue query = without_scale(product->inputs[0]);
        const ScaledValue turned = without_scale(product->inputs[1]);
        const Node* const turn = matcher_.made_by(turned.value, "Transpose");
        if (turn == nullptr) return std::nullopt;
        const ScaledValue key = without_scale(turn->inputs[0]);
        HeadsApart found;
        found.query = query.value;
        found.scale = whole.factor * query.factor * turned.factor * key.factor;
        if (has_order(*turn, kColumns)) {
            found.key = key.value;
        } else if (has_order(*turn, kKeyColumns) && key.factor == 1) {
            found.key = turned.value;
            found.has_key_columns = true;
        } else {
            return std::nullopt;
        }
        return found;
    }

    /// Divides a value by the constants that it was multiplied with.
    [[nodiscard]] ScaledValue without_scale(ValueId id) const {
        ScaledValue found{id, 1};
        for (const char* const operation : {"Mul", "Div"}) {
            const Node* const node = matcher_.made_by(id, operation);
            for (std::size_t i = 0; i < 2 && node != nullptr; ++i) {
                const bool is_quotient = node->operation == "Div";
                const std::optional<float> factor = matcher_.scalar(node->inputs[i]);
                if (!factor || (is_quotient && i == 0) ||
                    !matcher_.are_alike(node->inputs[1 - i], id)) {
                    continue;
                }
                found = {node->inputs[1 - i], is_quotient ? 1 / double{*factor} : *factor};
                break;
            }
        }
        return found;
    }

    /// The tensor of batch x rows x (heads x depth) that the heads of a value were parted from.
    [[nodiscard]] std::optional<ValueId> side_by_side(ValueId id, const Order& order) const {
        const Node* const turn = matcher_.made_by(id, "Transpose");
        if (turn == nullptr || !has_order(*turn, order)) return std::nullopt;
        const Node* const parted = matcher_.made_by(turn->inputs[0], "Reshape");
        const Shape& apart = shape(turn->inputs[0]);
        if (parted == nullptr || apart.size() != 4) return std::nullopt;
        const Shape whole = {apart[0], apart[1], apart[2] * apart[3]};
        return shape(parted->inputs[0]) == whole ? std::optional(parted->inputs[0]) : std::nullopt;
    }

    const Graph& graph_;
    const std::vector<std::uint32_t> uses_;
    PatternMatcher matcher_;
};

bool is_near_scale(float scale, std::int64_t depth, ElementType type) {
    constexpr int kUnits = 4;  // factors of queries and keys are rounded, and their product
    const double share = double{scale} * std::sqrt(static_cast<double>(depth));
    return std::fabs(share - 1) <= std::ldexp(kUnits, -digits_of(type));
}

}  // namespace

bool is_fused_attention(const Graph& graph, const Node& node) {
    if (node.operation != "Attention" || node.outputs.size() != 1 ||
        node.inputs.size() > kMask + 1) {
        return false;
    }
    const TensorType& query = graph.value(node.inputs[kQuery]).type;
    const AttentionSides sides(
        call_of(graph, node, [&](ValueId id) { return graph.value(id).constant.get(); }));
    const bool is_plain = sides.cap == 0 && (sides.depth == 64 || sides.depth == 128) &&
                          sides.width == sides.depth && sides.queries > 0 &&
                          is_near_scale(sides.scale, sides.depth, query.type);
    const bool has_keys =
        sides.is_causal ? sides.keys == sides.queries : sides.keys >= sides.queries;
    if (!is_plain || !has_keys) return false;
    if (node.inputs.size() <= kMask || !node.inputs[kMask].valid()) return true;
    const TensorType& mask = graph.value(node.inputs[kMask]).type;
    return is_real(mask.type) && mask.shape == Shape{sides.batch, 1, 1, sides.keys};
}

const Node* packed_operands(const Graph& graph, const Node& attention) {
    if (!is_fused_attention(graph, attention)) return nullptr;
    const std::vector<ValueId> operands(attention.inputs.begin(), attention.inputs.begin() + kMask);
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
        return node.operation == "Split" && node.outputs == operands;
    });
    if (found == graph.nodes.end()) return nullptr;
    const std::int64_t axis = found->attributes.integer("axis");
    const std::vector<std::uint32_t> uses = graph.uses();
    const bool is_plain =
        (axis == -1 || axis == 2) && graph.value(operands[kQuery]).type.shape.size() == 3 &&
        graph.value(operands[kQuery]).type.shape[1] == graph.value(operands[kKey]).type.shape[1] &&
        std::all_of(operands.begin(), operands.end(),
                    [&](ValueId id) { return uses[id.value()] == 1; });
    return is_plain ? &*found : nullptr;
}

bool turns_result(const Graph& graph, const Node& attention) {
    if (!is_fused_attention(graph, attention)) return false;
    const ValueId result = attention.outputs[0];
    return graph.value(result).type.shape.size() == 4 && graph.uses()[result.value()] == 1 &&
           std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& reader) {
               return reader.operation == "Transpose" && reader.inputs[0] == result &&
                      has_order(reader, kByHead);
           });
}

bool is_part_of_attention(const Graph& graph, const Node& node) {
    const bool is_split = node.operation == "Split" && node.outputs.size() == kMask;
    if (!is_split && node.operation != "Transpose") return false;
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& other) {
        if (other.operation != "Attention") return false;
        return is_split ? other.inputs[kQuery] == node.outputs[kQuery] &&
                              packed_operands(graph, other) == &node
                        : other.outputs[0] == node.inputs[0] && turns_result(graph, other);
    });
}

void recognise_attention(Graph& graph) {
    std::vector<std::pair<std::size_t, Node>> found;
    const AttentionMatcher matcher(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        std::optional<Node> one = matcher.with_heads_side_by_side(graph.nodes[i]);
        if (!one) one = matcher.with_heads_apart(graph.nodes[i]);
        if (one) found.emplace_back(i, std::move(*one));
    }
    for (auto& [i, node] : found) graph.nodes[i] = std::move(node);
    graph.remove_unread_nodes();
}

}  // namespace tessera::network

// Recognition of groups of nodes that compute one operator.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/fusion.h"
#include "sc_models/network/pattern_matcher.h"

namespace tessera::network {
namespace {

constexpr double kRootOfTwo = 1.41421356237309504880;

/// Returns x if the value is 1 + erf(x / sqrt 2).
std::optional<ValueId> under_erf(const PatternMatcher& matcher, ValueId id) {
    const std::optional<ValueId> erf = matcher.under(id, "Add", 1);
    const Node* node = erf ? matcher.made_by(*erf, "Erf") : nullptr;
    if (node == nullptr) return std::nullopt;
    const Node* quotient = matcher.made_by(node->inputs[0], "Div");
    if (quotient != nullptr && matcher.is(quotient->inputs[1], kRootOfTwo)) {
        return quotient->inputs[0];
    }
    return matcher.under(node->inputs[0], "Mul", 1 / kRootOfTwo);
}

/// Matches (x/2) (1 + erf) and (x (1 + erf)) / 2.
std::optional<Node> gelu(const PatternMatcher& matcher, const Node& last) {
    if (last.operation != "Mul") return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
        const ValueId here = last.inputs[i];
        const ValueId other = last.inputs[1 - i];
        std::optional<ValueId> x = under_erf(matcher, here);
        if (x && matcher.under(other, "Mul", 0.5) == x) return replacement(last, "Gelu", 20, {*x});
        const Node* product = matcher.is(other, 0.5) ? matcher.made_by(here, "Mul") : nullptr;
        for (const std::size_t j : {0U, 1U}) {
            if (product == nullptr) break;
            x = under_erf(matcher, product->inputs[j]);
            if (x && product->inputs[1 - j] == *x) return replacement(last, "Gelu", 20, {*x});
        }
    }
    return std::nullopt;
}

/// Matches x sigmoid(x), also with the hard sigmoid of slope 1/6.
std::optional<Node> swish(const PatternMatcher& matcher, const Node& last) {
    if (last.operation != "Mul") return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
        const ValueId x = last.inputs[1 - i];
        const Node* sigmoid = matcher.made_by(last.inputs[i], "Sigmoid");
        if (sigmoid != nullptr && sigmoid->inputs[0] == x) {
            return replacement(last, "Swish", 24, {x});
        }
        const Node* hard = matcher.made_by(last.inputs[i], "HardSigmoid");
        if (hard != nullptr && hard->inputs[0] == x &&
            is_close(hard->attributes.real("alpha", 0.2F), 1.0 / 6, ElementType::kFloat) &&
            hard->attributes.real("beta", 0.5F) == 0.5F) {
            return replacement(last, "HardSwish", 14, {x});
        }
    }
    return std::nullopt;
}

/// Returns x if the value is clip(x + 3, 0, 6).
std::optional<ValueId> under_relu6(const PatternMatcher& matcher, ValueId id) {
    const Node* clip = matcher.made_by(id, "Clip");
    if (clip == nullptr) return std::nullopt;
    const auto bound = [&](const char* attribute, std::size_t input) {
        return clip->inputs.size() > input
                   ? matcher.scalar(clip->inputs[input])
                   : std::optional<float>(clip->attributes.real(attribute, -1));
    };
    if (bound("min", 1) != 0.0F || bound("max", 2) != 6.0F) return std::nullopt;
    return matcher.under(clip->inputs[0], "Add", 3);
}

/// Returns x if the node computes x / 6 or x times 1/6.
std::optional<ValueId> under_sixth(const PatternMatcher& matcher, const Node& node) {
    if (node.operation == "Div" && matcher.is(node.inputs[1], 6)) return node.inputs[0];
    if (node.operation == "Mul") return matcher.beside(node, 1.0 / 6);
    return std::nullopt;
}

/// Matches x clip(x + 3, 0, 6) / 6, with the product or the quotient last.
std::optional<Node> hard_swish(const PatternMatcher& matcher, const Node& last) {
    if (const std::optional<ValueId> whole = under_sixth(matcher, last)) {
        const Node* product = matcher.made_by(*whole, "Mul");
        for (const std::size_t i : {0U, 1U}) {
            if (product == nullptr) break;
            const std::optional<ValueId> x = under_relu6(matcher, product->inputs[i]);
            if (x && product->inputs[1 - i] == *x) return replacement(last, "HardSwish", 14, {*x});
        }
    }
    if (last.operation != "Mul") return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
        for (const char* const operation : {"Div", "Mul"}) {
            const Node* sixth = matcher.made_by(last.inputs[i], operation);
            const auto gate = sixth == nullptr ? std::nullopt : under_sixth(matcher, *sixth);
            const auto x = gate ? under_relu6(matcher, *gate) : std::nullopt;
            if (x && last.inputs[1 - i] == *x) return replacement(last, "HardSwish", 14, {*x});
        }
    }
    return std::nullopt;
}

/// First axis that a node reduces if it reduces the last axes and keeps them.
std::optional<std::size_t> first_reduced(const Graph& graph, const Node& node) {
    const auto rank = static_cast<std::int64_t>(graph.value(node.inputs[0]).type.shape.size());
    std::vector<std::int64_t> axes = node.attributes.integers("axes");
    if (node.inputs.size() > 1 && node.inputs[1].valid()) {  // from operator set 18 on
        const Tensor* constant = graph.value(node.inputs[1]).constant.get();
        if (constant == nullptr) return std::nullopt;
        axes = constant->integers;
    }
    for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
    std::sort(axes.begin(), axes.end());
    if (axes.empty() || node.attributes.integer("keepdims", 1) == 0) return std::nullopt;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] != rank - static_cast<std::int64_t>(axes.size() - i)) return std::nullopt;
    }
    return static_cast<std::size_t>(axes[0]);
}

/// A partly matched normalization.
struct Normalized {
    ValueId x;
    std::size_t axis = 0;
    float epsilon = 0;
};

/// Matches x - mean(x).
std::optional<Normalized> centred(const PatternMatcher& matcher, ValueId id) {
    const Node* difference = matcher.made_by(id, "Sub");
    const Node* mean =
        difference == nullptr ? nullptr : matcher.made_by(difference->inputs[1], "ReduceMean");
    if (mean == nullptr || mean->inputs[0] != difference->inputs[0]) return std::nullopt;
    const std::optional<std::size_t> axis = first_reduced(matcher.graph(), *mean);
    if (!axis) return std::nullopt;
    return Normalized{difference->inputs[0], *axis, 0};
}

/// Returns x if the value is x^2.
std::optional<ValueId> under_square(const PatternMatcher& matcher, ValueId id) {
    const Node* power = matcher.made_by(id, "Pow");
    if (power != nullptr && matcher.is(power->inputs[1], 2)) return power->inputs[0];
    const Node* product = matcher.made_by(id, "Mul");
    const bool square = product != nullptr && product->inputs[0] == product->inputs[1];
    return square ? std::optional(product->inputs[0]) : std::nullopt;
}

/// Matches sqrt(mean(x^2) + epsilon).
std::optional<Normalized> root_mean_square(const PatternMatcher& matcher, ValueId id) {
    const Node* root = matcher.made_by(id, "Sqrt");
    const Node* sum = root == nullptr ? nullptr : matcher.made_by(root->inputs[0], "Add");
    for (std::size_t i = 0; i < 2 && sum != nullptr; ++i) {
        const std::optional<float> epsilon = matcher.scalar(sum->inputs[i]);
        const Node* mean = matcher.made_by(sum->inputs[1 - i], "ReduceMean");
        if (!epsilon || mean == nullptr) continue;
        const std::optional<ValueId> base = under_square(matcher, mean->inputs[0]);
        const std::optional<std::size_t> axis = first_reduced(matcher.graph(), *mean);
        if (base && axis) return Normalized{*base, *axis, *epsilon};
    }
    return std::nullopt;
}

/// Matches (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon).
std::optional<Normalized> normalized(const PatternMatcher& matcher, ValueId id) {
    const Node* quotient = matcher.made_by(id, "Div");
    if (quotient == nullptr) return std::nullopt;
    std::optional<Normalized> root = root_mean_square(matcher, quotient->inputs[1]);
    if (!root) return std::nullopt;
    const std::optional<Normalized> below = centred(matcher, root->x);
    const std::optional<Normalized> above = centred(matcher, quotient->inputs[0]);
    if (!below || !above || below->x != above->x || below->axis != above->axis ||
        root->axis != below->axis) {
        return std::nullopt;
    }
    root->x = below->x;
    return root;
}

/// Returns x and y if the value is x / y, also by a product with 1 / y.
std::optional<std::pair<ValueId, ValueId>> quotient_of(const PatternMatcher& matcher, ValueId id) {
    if (const Node* quotient = matcher.made_by(id, "Div")) {
        return std::pair(quotient->inputs[0], quotient->inputs[1]);
    }
    const Node* product = matcher.made_by(id, "Mul");
    for (std::size_t i = 0; i < 2 && product != nullptr; ++i) {
        const ValueId other = product->inputs[1 - i];
        const Node* inverse = matcher.made_by(product->inputs[i], "Reciprocal");
        if (inverse != nullptr) return std::pair(other, inverse->inputs[0]);
        inverse = matcher.made_by(product->inputs[i], "Div");
        if (inverse != nullptr && matcher.is(inverse->inputs[0], 1)) {
            return std::pair(other, inverse->inputs[1]);
        }
    }
    return std::nullopt;
}

/// Whether the value is a constant with an element for each element of a row of `x` from the axis
/// on.
bool of_row(const Graph& graph, ValueId id, const Normalized& of) {
    const Value& value = graph.value(id);
    const Shape& shape = graph.value(of.x).type.shape;
    return value.constant != nullptr && value.type.type == graph.value(of.x).type.type &&
           value.type.shape ==
               Shape(shape.begin() + static_cast<std::ptrdiff_t>(of.axis), shape.end());
}

/// Matches normalized x scale + shift.
std::optional<Node> layer_normalization(const PatternMatcher& matcher, const Node& last) {
    if (last.operation != "Add") return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
        const Node* product = matcher.made_by(last.inputs[i], "Mul");
        for (const std::size_t j : {0U, 1U}) {
            const std::optional<Normalized> found =
                product == nullptr ? std::nullopt : normalized(matcher, product->inputs[j]);
            if (!found || !of_row(matcher.graph(), product->inputs[1 - j], *found) ||
                !of_row(matcher.graph(), last.inputs[1 - i], *found)) {
                continue;
            }
            Node node = replacement(last, "LayerNormalization", 17,
                                    {found->x, product->inputs[1 - j], last.inputs[1 - i]});
            node.attributes.set("axis", static_cast<std::int64_t>(found->axis));
            node.attributes.set("epsilon", found->epsilon);
            return node;
        }
    }
    return std::nullopt;
}

/// Matches x / sqrt(mean(x^2) + epsilon) scale, in FP32: in halves a square may be too large.
std::optional<Node> rms_normalization(const PatternMatcher& matcher, const Node& last) {
    if (last.operation != "Mul") return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
        const auto quotient = quotient_of(matcher, last.inputs[i]);
        const std::optional<Normalized> found =
            quotient ? root_mean_square(matcher, quotient->second) : std::nullopt;
        const ValueId scale = last.inputs[1 - i];
        if (!found || found->x != quotient->first ||
            matcher.graph().value(found->x).type.type != ElementType::kFloat ||
            !of_row(matcher.graph(), scale, *found)) {
            continue;
        }
        Node node = replacement(last, "RMSNormalization", 23, {found->x, scale});
        node.attributes.set("axis", static_cast<std::int64_t>(found->axis));
        node.attributes.set("epsilon", found->epsilon);
        return node;
    }
    return std::nullopt;
}

}  // namespace

std::size_t recognise_patterns(Graph& graph) {
    std::vector<std::pair<std::size_t, Node>> found;
    const PatternMatcher matcher(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (auto pattern : {gelu, swish, hard_swish, layer_normalization, rms_normalization}) {
            std::optional<Node> one = pattern(matcher, graph.nodes[i]);
            if (!one || !matcher.are_alike(one->inputs[0], one->outputs[0])) continue;
            found.emplace_back(i, std::move(*one));
            break;
        }
    }
    std::set<ValueId> made;
    for (auto& [i, node] : found) {
        made.insert(node.outputs[0]);
        graph.nodes[i] = std::move(node);
    }
    graph.remove_unread_nodes();
    // A pattern within another one is gone.
    return static_cast<std::size_t>(
        std::count_if(graph.nodes.begin(), graph.nodes.end(),
                      [&](const Node& node) { return made.count(node.outputs[0]) > 0; }));
}

}  // namespace tessera::network

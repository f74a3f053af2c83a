#include "sc_models/network/pattern_matcher.h"

#include <cmath>
#include <utility>

#include "sc_models/network/rounding_errors.h"

namespace tessera::network {

bool is_close(float number, double wanted, ElementType type) {
    const int digits = digits_of(type);
    int exponent = 0;
    const double fraction = std::frexp(wanted, &exponent);
    if (std::ldexp(fraction, digits) == std::nearbyint(std::ldexp(fraction, digits))) {
        return number == wanted;
    }
    return std::fabs(number - wanted) <= 2 * std::ldexp(1.0, exponent - digits);
}

PatternMatcher::PatternMatcher(const Graph& graph) : graph_(graph), makers_(graph.values.size()) {
    for (const Node& node : graph.nodes) {
        for (const ValueId output : node.outputs) {
            if (output.valid()) makers_[output.value()] = &node;
        }
    }
}

const Node* PatternMatcher::made_by(ValueId id, const char* operation) const {
    const Node* maker = id.valid() ? makers_[id.value()] : nullptr;
    const bool right = maker != nullptr && maker->operation == operation && maker->outputs[0] == id;
    return right ? maker : nullptr;
}

std::optional<float> PatternMatcher::scalar(ValueId id) const {
    const Tensor* constant = id.valid() ? graph_.value(id).constant.get() : nullptr;
    if (constant == nullptr || constant->reals.size() != 1) return std::nullopt;
    return constant->reals[0];
}

bool PatternMatcher::is(ValueId id, double wanted) const {
    const std::optional<float> value = scalar(id);
    return value.has_value() && is_close(*value, wanted, graph_.value(id).type.type);
}

std::optional<ValueId> PatternMatcher::beside(const Node& node, double constant) const {
    for (const std::size_t i : {0U, 1U}) {
        if (node.inputs.size() == 2 && is(node.inputs[i], constant)) return node.inputs[1 - i];
    }
    return std::nullopt;
}

std::optional<ValueId> PatternMatcher::under(ValueId id, const char* operation,
                                             double constant) const {
    const Node* node = made_by(id, operation);
    return node == nullptr ? std::nullopt : beside(*node, constant);
}

Node replacement(const Node& last, const char* operation, int version,
                 std::vector<ValueId> inputs) {
    return {last.name, operation, version, {}, std::move(inputs), {last.outputs[0]}};
}

}  // namespace tessera::network

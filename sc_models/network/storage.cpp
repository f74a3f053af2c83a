#include "sc_models/network/storage.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/operator_expansion.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/unsupported_operator.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

constexpr float kMostHalf = 65504, kMostBf16 = 0x1.fep127F;

/// Marks values that determine shapes, by value id.
std::vector<bool> shape_values(const Graph& graph) {
    std::vector<bool> found(graph.values.size());
    for (const Node& node : graph.nodes) {
        const std::uint32_t bits = find_operator(node.operation)->shape_inputs;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if ((bits >> i & 1U) != 0 && node.inputs[i].valid()) {
                found[node.inputs[i].value()] = true;
            }
        }
    }
    return found;
}

/// Axis of a weight tensor along which one output is summed.
std::optional<std::size_t> input_axis(const Node& node) {
    if (node.operation == "Conv") return 1;
    if (node.operation == "ConvTranspose") return 0;
    if (node.operation == "Gemm") return node.attributes.integer("transB") != 0 ? 1 : 0;
    return std::nullopt;
}

/// Prunes the elements of least magnitude; of equal magnitudes the later ones go first.
void prune_fraction(Tensor& weights, double fraction) {
    std::vector<float>& reals = weights.reals;
    const auto kept =
        static_cast<std::size_t>(std::llround((1 - fraction) * static_cast<double>(reals.size())));
    if (kept >= reals.size()) return;
    std::vector<float> sizes(reals.size());
    std::transform(reals.begin(), reals.end(), sizes.begin(), [](float x) { return std::fabs(x); });
    const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(kept);
    std::nth_element(sizes.begin(), last, sizes.end(), std::greater<>());
    const float least = *last;  // largest pruned magnitude, and smallest kept one
    auto ties = kept - static_cast<std::size_t>(std::count_if(
                           sizes.begin(), last, [least](float size) { return size > least; }));
    for (float& x : reals) {
        const float size = std::fabs(x);
        if (size == least && ties > 0) {
            --ties;
        } else if (size <= least) {
            x = 0;
        }
    }
}

void prune_rows(Tensor& weights, std::size_t axis, const Pruning& pruning) {
    const AxisView view(weights.type.shape, axis);
    std::vector<std::size_t> group;
    for (std::size_t outer = 0; outer < view.outer; ++outer) {
        for (std::size_t inner = 0; inner < view.inner; ++inner) {
            for (std::size_t first = 0; first < view.side; first += pruning.of) {
                group.clear();
                for (std::size_t i = first; i < std::min(first + pruning.of, view.side); ++i) {
                    group.push_back((outer * view.side + i) * view.inner + inner);
                }
                std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
                    return std::fabs(weights.reals[a]) > std::fabs(weights.reals[b]);
                });
                for (std::size_t i = pruning.kept; i < group.size(); ++i) {
                    weights.reals[group[i]] = 0;
                }
            }
        }
    }
}

/// Inputs of an operator that are scales of integers.
std::vector<std::size_t> scales_of(const std::string& operation) {
    if (operation == "QuantizeLinear" || operation == "DequantizeLinear") return {1};
    if (operation.compare(0, 7, "QLinear") == 0) return {1, 4, 6};
    return {};
}

/// Gives conversions and products of integers scales of their own, which stay FLOAT: scales of sums
/// are often below the halves. Returns the number of values before.
std::size_t copy_scales(Graph& graph) {
    const std::size_t before = graph.values.size();
    for (Node& node : graph.nodes) {
        for (const std::size_t input : scales_of(node.operation)) {
            const Value scale = graph.value(node.inputs[input]);
            if (scale.constant == nullptr || scale.type.type != ElementType::kFloat) continue;
            node.inputs[input] = graph.add(scale);
        }
    }
    return before;
}

}  // namespace

ElementType half_type_of(const Graph& graph, const MachineKernels& kernels) {
    const bool has = std::any_of(graph.values.begin(), graph.values.end(), [](const Value& value) {
        return value.type.type == ElementType::kBf16;
    });
    return has && kernels.bf16 ? ElementType::kBf16 : ElementType::kHalf;
}

void store_as_halves(Graph& graph, const MachineKernels& kernels, ElementType halves) {
    graph.halves = halves;
    const float most = halves == ElementType::kBf16 ? kMostBf16 : kMostHalf;
    unroll_recurrent(graph);
    expand_operators(graph, kernels);
    const std::size_t stored = copy_scales(graph);
    const std::vector<bool> shapes = shape_values(graph);
    for (std::size_t i = 0; i < stored; ++i) {
        Value& value = graph.values[i];
        if (!is_real(value.type.type) || value.type.type == halves || shapes[i]) continue;
        value.type.type = halves;
        if (value.constant == nullptr) continue;
        Tensor rounded = *value.constant;
        rounded.type.type = halves;
        for (float& x : rounded.reals) x = std::clamp(x, -most, most);
        rounded.round_to_type();
        value.constant = std::make_shared<const Tensor>(std::move(rounded));
    }
    const auto cast_to_halves = [halves](const std::string& operation, Attributes& attributes) {
        constexpr std::int64_t kOnnxFloat = 1, kOnnxHalf = 10, kOnnxBf16 = 16;
        const std::int64_t made = halves == ElementType::kBf16 ? kOnnxBf16 : kOnnxHalf;
        const std::int64_t to = operation == "Cast" ? attributes.integer("to") : 0;
        if (to == kOnnxFloat || to == kOnnxHalf || to == kOnnxBf16) attributes.set("to", made);
        if (operation == "DequantizeLinear") attributes.set("output_dtype", made);
    };
    for (Node& node : graph.nodes) {
        cast_to_halves(node.operation, node.attributes);
        if (!unsupported_operation(node).empty()) restate_types(graph, node);
        for (EpilogueStep& step : node.epilogue) cast_to_halves(step.operation, step.attributes);
    }
    infer_types(graph);
}

std::optional<Pruning> pruning_of(const std::string& text, const std::string& key) {
    if (text == "none") return std::nullopt;
    Pruning pruning;
    const char* const end = text.data() + text.size();
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos) {
        const char* const middle = text.data() + colon;
        const auto [a, wrong_a] = std::from_chars(text.data(), middle, pruning.kept);
        const auto [b, wrong_b] = std::from_chars(middle + 1, end, pruning.of);
        constexpr std::uint32_t kMost = 1024;
        if (wrong_a == std::errc() && wrong_b == std::errc() && a == middle && b == end &&
            pruning.kept < pruning.of && pruning.of <= kMost) {
            return pruning;
        }
    } else {
        const auto [rest, wrong] = std::from_chars(text.data(), end, pruning.fraction);
        if (wrong == std::errc() && rest == end && pruning.fraction >= 0 && pruning.fraction <= 1) {
            return pruning;
        }
    }
    throw ConfigError(key + ": got " + in_quotes(text) +
                      ", expected none, a fraction from 0 to 1 (0.8) or N:M (2:4)");
}

std::vector<ValueId> prune(Graph& graph, const Pruning& pruning) {
    std::vector<ValueId> pruned;
    std::vector<bool> done(graph.values.size());
    for (const Node& node : graph.nodes) {
        const WorkKind kind = find_operator(node.operation)->kind;
        if (kind != WorkKind::kConvolution && kind != WorkKind::kProduct) continue;
        const ValueId id = node.inputs[1];
        Value& value = graph.value(id);
        if (value.constant == nullptr || done[id.value()]) continue;
        if (!is_real(value.type.type)) continue;
        done[id.value()] = true;
        Tensor weights = *value.constant;
        if (pruning.of == 0) {
            prune_fraction(weights, pruning.fraction);
        } else {
            // A MatMul's right matrix is pruned along its rows; it may have batch dimensions.
            const std::size_t rank = weights.type.shape.size();
            prune_rows(weights, input_axis(node).value_or(rank < 2 ? 0 : rank - 2), pruning);
        }
        value.constant = std::make_shared<const Tensor>(std::move(weights));
        pruned.push_back(id);
    }
    return pruned;
}

}  // namespace tessera::network

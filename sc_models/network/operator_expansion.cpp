#include "sc_models/network/operator_expansion.h"

#include <array>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/attention.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fused_attention.h"
#include "sc_models/network/integer_products.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/quantization.h"

namespace tessera::network {
namespace {

Attributes axis_attribute(std::int64_t axis) {
    Attributes attributes;
    attributes.set("axis", axis);
    return attributes;
}

class Expander {
public:
    Expander(Graph& graph, const MachineKernels& kernels)
        : graph_(graph), maker_(graph), kernels_(kernels) {}

    void run() {
        std::vector<Node> nodes = std::move(graph_.nodes);
        for (Node& node : nodes) {
            if (is_kept(node) || find_operator(node.operation)->kind != WorkKind::kComposite) {
                maker_.keep(std::move(node));
                continue;
            }
            maker_.begin(node);
            if (node.operation == "Attention") {
                expand_attention(node);
            } else if (node.operation == "RotaryEmbedding") {
                expand_rotary(node);
            } else if (node.operation == "GroupNormalization") {
                expand_groups(node);
            } else if (node.operation == "QLinearMatMul" || node.operation == "QLinearConv") {
                expand_quantized(graph_, maker_, node);
            } else {
                expand_einsum(graph_, maker_, node);
            }
        }
        graph_.nodes = maker_.take();
    }

private:
    /// Whether the machine computes the node as a whole.
    [[nodiscard]] bool is_kept(const Node& node) const {
        return (kernels_.numbers == ProductNumbers::kIntegers &&
                is_integer_product(graph_, node)) ||
               (kernels_.attention && is_fused_attention(graph_, node));
    }
    [[nodiscard]] const TensorType& type(ValueId id) const { return graph_.value(id).type; }
    [[nodiscard]] static bool has(const Node& node, std::size_t input) {
        return input < node.inputs.size() && node.inputs[input].valid();
    }
    [[nodiscard]] static bool makes(const Node& node, std::size_t output) {
        return output < node.outputs.size() && node.outputs[output].valid();
    }
    [[nodiscard]] OperatorCall call_to(const Node& node) const {
        return call_of(graph_, node,
                       [this](ValueId id) { return graph_.value(id).constant.get(); });
    }
    ValueId integers(const std::vector<std::int64_t>& values) {
        return maker_.constant(
            Tensor::of_integers({static_cast<std::int64_t>(values.size())}, values));
    }
    /// Elements begin, begin + step, ... of the last side, to `end`.
    ValueId columns(ValueId x, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
        const auto last = static_cast<std::int64_t>(type(x).shape.size()) - 1;
        return maker_.make(
            "Slice", {x, integers({begin}), integers({end}), integers({last}), integers({step})});
    }

    // Attention

    ValueId by_head(ValueId x, std::int64_t heads) {
        const Shape& shape = type(x).shape;
        if (shape.size() == 4) return x;
        const Shape apart = {shape[0], shape[1], heads, shape[2] / heads};
        return maker_.transposed(maker_.reshaped(x, apart), {0, 2, 1, 3});
    }

    /// Rows of this call behind those of earlier ones; also the node's output.
    ValueId with_past(const Node& node, ValueId x, std::size_t past, std::size_t output) {
        const ValueId wanted = makes(node, output) ? node.outputs[output] : ValueId();
        if (has(node, past)) {
            return maker_.make("Concat", {node.inputs[past], x}, axis_attribute(2), wanted);
        }
        if (wanted.valid()) (void)maker_.make("Identity", {x}, {}, wanted);
        return x;
    }

    void expand_attention(const Node& node) {
        const AttentionSides sides(call_to(node));
        const ElementType element = type(node.inputs[kQuery]).type;
        const std::int64_t rows = sides.heads / sides.kv_heads * sides.queries;
        const Shape grouped = {sides.batch, sides.kv_heads, rows, sides.keys};
        const Shape apart = {sides.batch, sides.heads, sides.queries, sides.keys};
        const ValueId key =
            with_past(node, by_head(node.inputs[kKey], sides.kv_heads), kPastKey, kPresentKey);
        const ValueId values = with_past(node, by_head(node.inputs[kValue], sides.kv_heads),
                                         kPastValue, kPresentValue);
        ValueId query = by_head(node.inputs[kQuery], sides.heads);
        if (grouped != apart) {
            query = maker_.reshaped(query, {sides.batch, sides.kv_heads, rows, sides.depth});
        }
        ValueId scores = maker_.make("MatMul", {query, transposed_keys(node, sides, key)});
        if (sides.scale != 1) {
            scores = maker_.make("Mul", {scores, maker_.scalar(sides.scale, element)});
        }
        if (grouped != apart) scores = maker_.reshaped(scores, apart);
        report(node, sides, ScoresOutput::kScaled, scores);
        if (sides.cap > 0) {
            const ValueId cap = maker_.scalar(sides.cap, element);
            scores =
                maker_.make("Mul", {maker_.make("Tanh", {maker_.make("Div", {scores, cap})}), cap});
        }
        report(node, sides, ScoresOutput::kCapped, scores);
        scores = masked(node, sides, scores);
        report(node, sides, ScoresOutput::kMasked, scores);
        ValueId shares = maker_.make("Softmax", {scores}, axis_attribute(-1));
        report(node, sides, ScoresOutput::kSoftmax, shares);
        if (!makes(node, kAttended)) return;
        if (grouped != apart) shares = maker_.reshaped(shares, grouped);
        const bool is_last = !sides.is_flat && grouped == apart;
        ValueId result = maker_.make("MatMul", {shares, values}, {},
                                     is_last ? node.outputs[kAttended] : ValueId());
        if (is_last) return;
        const Shape by_heads = {sides.batch, sides.heads, sides.queries, sides.width};
        if (!sides.is_flat) {
            (void)maker_.reshaped(result, by_heads, node.outputs[kAttended]);
            return;
        }
        if (grouped != apart) result = maker_.reshaped(result, by_heads);
        (void)maker_.reshaped(maker_.transposed(result, {0, 2, 1, 3}),
                              {sides.batch, sides.queries, sides.heads * sides.width},
                              node.outputs[kAttended]);
    }

    /// Keys as columns. Keys of this call alone are moved once.
    ValueId transposed_keys(const Node& node, const AttentionSides& sides, ValueId key) {
        if (!sides.is_flat || has(node, kPastKey) || makes(node, kPresentKey)) {
            return maker_.transposed(key, {0, 1, 3, 2});
        }
        const Shape apart = {sides.batch, sides.keys, sides.kv_heads, sides.depth};
        return maker_.transposed(maker_.reshaped(node.inputs[kKey], apart), {0, 2, 3, 1});
    }

    /// Makes the fourth output if it is this tensor.
    void report(const Node& node, const AttentionSides& sides, ScoresOutput which, ValueId x) {
        if (!makes(node, kScores) || sides.scores_output != which) return;
        (void)maker_.make("Identity", {x}, {}, node.outputs[kScores]);
    }

    ValueId masked(const Node& node, const AttentionSides& sides, ValueId scores) {
        const ElementType element = type(scores).type;
        const auto nothing = [&] {
            return maker_.scalar(-std::numeric_limits<float>::infinity(), element);
        };
        if (has(node, kMask)) {
            const ValueId mask = as_long_as_keys(node.inputs[kMask], sides, nothing());
            scores = is_real(type(mask).type) ? maker_.make("Add", {scores, mask})
                                              : maker_.make("Where", {mask, scores, nothing()});
        }
        if (!sides.is_causal) return scores;
        return maker_.make("Where", {earlier_keys(sides), scores, nothing()});
    }

    /// Mask of the keys that each query sees. Attentions of the same sides share it.
    ValueId earlier_keys(const AttentionSides& sides) {
        ValueId& found = earlier_keys_[{sides.queries, sides.keys, sides.past}];
        if (found.valid()) return found;
        std::vector<std::int64_t> seen;
        for (std::int64_t query = 0; query < sides.queries; ++query) {
            for (std::int64_t k = 0; k < sides.keys; ++k) {
                seen.push_back(k <= query + sides.past ? 1 : 0);
            }
        }
        found = maker_.constant(
            Tensor::of_integers({sides.queries, sides.keys}, std::move(seen), ElementType::kBool));
        return found;
    }

    /// Keys behind the end of a mask are masked.
    ValueId as_long_as_keys(ValueId mask, const AttentionSides& sides, ValueId nothing) {
        const Shape shape = type(mask).shape;
        if (shape.back() == 1 || shape.back() >= sides.keys) return mask;
        std::vector<std::int64_t> pads(2 * shape.size());
        pads.back() = sides.keys - shape.back();
        std::vector<ValueId> operands = {mask, integers(pads)};
        if (is_real(type(mask).type)) operands.push_back(nothing);
        return maker_.make("Pad", operands);
    }

    // RotaryEmbedding

    void expand_rotary(const Node& node) {
        const RotarySides sides(call_to(node));
        ValueId x = node.inputs[kRotated];
        if (sides.is_flat) {
            x = maker_.reshaped(x, {sides.batch, sides.rows, sides.heads, sides.depth});
        }
        const auto factor = [&](std::size_t input) {
            ValueId found = node.inputs[input];
            if (has(node, kPositions)) {
                found = maker_.make("Gather", {found, node.inputs[kPositions]}, axis_attribute(0));
            }
            // All heads have the same factors.
            return maker_.reshaped(
                found, sides.is_flat ? Shape{sides.batch, sides.rows, 1, sides.rotated / 2}
                                     : Shape{sides.batch, 1, sides.rows, sides.rotated / 2});
        };
        const ValueId cosines = factor(kCosines);
        const ValueId sines = factor(kSines);
        const std::int64_t half = sides.rotated / 2;
        const ValueId a = sides.interleaved ? columns(x, 0, sides.rotated, 2) : columns(x, 0, half);
        const ValueId b =
            sides.interleaved ? columns(x, 1, sides.rotated, 2) : columns(x, half, sides.rotated);
        const auto product = [&](ValueId factor_of, ValueId of) {
            return maker_.make("Mul", {of, factor_of});
        };
        std::vector<ValueId> parts = {maker_.make("Sub", {product(cosines, a), product(sines, b)}),
                                      maker_.make("Add", {product(sines, a), product(cosines, b)})};
        if (sides.interleaved) parts = {interleaved(parts)};
        if (sides.rotated < sides.depth) parts.push_back(columns(x, sides.rotated, sides.depth));
        const ValueId result = node.outputs[0];
        if (sides.is_flat) {
            const ValueId joined = maker_.make("Concat", parts, axis_attribute(3));
            (void)maker_.reshaped(joined, type(result).shape, result);
        } else {
            (void)maker_.make("Concat", parts, axis_attribute(3), result);
        }
    }

    ValueId interleaved(const std::vector<ValueId>& parts) {
        Shape shape = type(parts[0]).shape;
        Shape pairs = shape;
        pairs.push_back(1);
        const ValueId joined = maker_.make(
            "Concat", {maker_.reshaped(parts[0], pairs), maker_.reshaped(parts[1], pairs)},
            axis_attribute(static_cast<std::int64_t>(shape.size())));
        shape.back() *= 2;
        return maker_.reshaped(joined, shape);
    }

    // GroupNormalization

    void expand_groups(const Node& node) {
        const Shape shape = type(node.inputs[0]).shape;
        const ElementType element = type(node.inputs[0]).type;
        const std::int64_t groups = node.attributes.integer("num_groups");
        const auto elements = static_cast<std::int64_t>(element_count(shape));
        const std::int64_t rows = shape[0] * groups;
        const ValueId x =
            maker_.reshaped(node.inputs[0], {shape[0], groups, rows == 0 ? 0 : elements / rows});
        Attributes epsilon;
        epsilon.set("epsilon", node.attributes.real("epsilon", 1e-5F));
        const auto normalized = [&](ValueId scale, ValueId bias) {
            return maker_.make("InstanceNormalization", {x, scale, bias}, epsilon);
        };
        if (node.version < 21) {
            (void)maker_.reshaped(normalized(node.inputs[1], node.inputs[2]), shape,
                                  node.outputs[0]);
            return;
        }
        const auto filled = [&](float value) {
            return maker_.constant(Tensor::of_reals(
                {groups}, std::vector<float>(static_cast<std::size_t>(groups), value), element));
        };
        Shape channels(shape.size() - 1, 1);
        channels[0] = shape[1];
        const ValueId plain = maker_.reshaped(normalized(filled(1), filled(0)), shape);
        const ValueId scaled =
            maker_.make("Mul", {plain, maker_.reshaped(node.inputs[1], channels)});
        (void)maker_.make("Add", {scaled, maker_.reshaped(node.inputs[2], channels)}, {},
                          node.outputs[0]);
    }

    Graph& graph_;
    NodeMaker maker_;
    const MachineKernels kernels_;
    std::map<std::array<std::int64_t, 3>, ValueId> earlier_keys_;
};

}  // namespace

void expand_operators(Graph& graph, const MachineKernels& kernels) {
    Expander(graph, kernels).run();
}

}  // namespace tessera::network

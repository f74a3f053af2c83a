#include "sc_models/network/fusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/fused_attention.h"
#include "sc_models/network/integer_products.h"
#include "sc_models/network/merged_projections.h"
#include "sc_models/network/operator_expansion.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

/// Whether the node is a product or a convolution of real numbers.
bool is_product(const Graph& graph, const Node& node) {
    const WorkKind kind = find_operator(node.operation)->kind;
    return (kind == WorkKind::kConvolution || kind == WorkKind::kProduct) &&
           is_real(graph.value(node.inputs[0]).type.type);
}

/// Fuses nodes in place: a removed node stays as one without outputs.
class Fuser {
public:
    explicit Fuser(Graph& graph)
        : graph_(graph), makers_(graph.values.size(), kNobody), uses_(graph.uses()) {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) note_outputs(i);
    }

    FusionCounts run() {
        FusionCounts counts;
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            if (fold_batch_normalization(i)) {
                ++counts.batch_normalizations;
            } else if (add_step(i)) {
                ++counts.epilogue_steps;
            }
        }
        graph_.nodes.erase(std::remove_if(graph_.nodes.begin(), graph_.nodes.end(),
                                          [](const Node& node) { return node.outputs.empty(); }),
                           graph_.nodes.end());
        return counts;
    }

private:
    static constexpr std::size_t kNobody = ~std::size_t{0};

    void note_outputs(std::size_t i) {
        for (const ValueId output : graph_.nodes[i].outputs) {
            if (output.valid()) makers_[output.value()] = i;
        }
    }

    /// The product with this first output if the output has a single reader.
    [[nodiscard]] std::size_t product_behind(ValueId id) const {
        if (!id.valid() || uses_[id.value()] != 1) return kNobody;
        const std::size_t maker = makers_[id.value()];
        return maker != kNobody && is_product(graph_, graph_.nodes[maker]) ? maker : kNobody;
    }

    /// Moves the product to the position of node `i`; it makes that node's output.
    void take_place(std::size_t product, std::size_t i) {
        Node fused = std::move(graph_.nodes[product]);
        graph_.nodes[product] = {};
        fused.outputs = {graph_.nodes[i].outputs[0]};
        graph_.nodes[i] = std::move(fused);
        note_outputs(i);
    }

    [[nodiscard]] const Tensor* constant(const Node& node, std::size_t input) const {
        const bool there = input < node.inputs.size() && node.inputs[input].valid();
        return there ? graph_.value(node.inputs[input]).constant.get() : nullptr;
    }

    ValueId add_constant(const std::string& name, Tensor tensor) {
        tensor.round_to_type();
        auto shared = std::make_shared<const Tensor>(std::move(tensor));
        const TensorType type = shared->type;
        const ValueId id = graph_.add({name, type, std::move(shared)});
        makers_.push_back(kNobody);
        uses_.push_back(1);
        return id;
    }

    /// Whether a constant has one element, or one for each channel along its last dimension. A
    /// Gemm's C may also have a value for each row, which is no bias of channels.
    [[nodiscard]] static bool is_bias_of_channels(const Tensor* bias, std::size_t channels) {
        if (bias == nullptr) return false;
        const Shape& shape = bias->type.shape;
        const std::size_t columns = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
        return bias->elements() == columns && (columns == 1 || columns == channels);
    }

    bool fold_batch_normalization(std::size_t i) {
        const Node& norm = graph_.nodes[i];
        if (norm.operation != "BatchNormalization") return false;
        const std::size_t at = product_behind(norm.inputs[0]);
        if (at == kNobody || !graph_.nodes[at].epilogue.empty()) return false;
        Node& product = graph_.nodes[at];
        const bool biased = product.inputs.size() > 2 && product.inputs[2].valid();
        const bool plain_gemm =
            product.attributes.real("alpha", 1) == 1 && product.attributes.real("beta", 1) == 1;
        if (product.operation == "MatMul" || !plain_gemm || constant(product, 1) == nullptr) {
            return false;
        }
        for (std::size_t input = 1; input < 5; ++input) {
            if (constant(norm, input) == nullptr) return false;
        }
        const std::size_t channels = constant(norm, 1)->elements();
        if (biased && !is_bias_of_channels(constant(product, 2), channels)) return false;
        std::vector<double> scale(channels);
        std::vector<float> shift(channels);
        const double epsilon = norm.attributes.real("epsilon", 1e-5F);
        for (std::size_t c = 0; c < channels; ++c) {
            const auto of = [&](std::size_t input) { return constant(norm, input)->reals[c]; };
            scale[c] = of(1) / std::sqrt(of(4) + epsilon);
            // A Gemm's C may be a single number for all channels.
            const double bias =
                biased ? constant(product, 2)->reals[c % constant(product, 2)->elements()] : 0;
            shift[c] = static_cast<float>((bias - of(3)) * scale[c] + of(2));
        }
        const ElementType type = constant(product, 1)->type.type;
        const std::string name = graph_.value(product.inputs[1]).name;
        const ValueId weights =
            add_constant(name + " x " + norm.name, scaled_weights(product, scale));
        const ValueId bias = add_constant(
            norm.name + " shift",
            Tensor::of_reals({static_cast<std::int64_t>(channels)}, std::move(shift), type));
        product.inputs.resize(3);
        product.inputs[1] = weights;
        product.inputs[2] = bias;
        take_place(at, i);
        return true;
    }

    /// The weights, each multiplied by the scale of its output channel.
    [[nodiscard]] Tensor scaled_weights(const Node& product,
                                        const std::vector<double>& scale) const {
        Tensor weights = *constant(product, 1);
        const Shape& shape = weights.type.shape;
        const bool transposed = product.operation == "ConvTranspose";
        const bool columns =
            product.operation == "Gemm" && product.attributes.integer("transB") == 0;
        const AxisView view(shape, transposed || columns ? 1 : 0);
        // In a transposed convolution each group has its own output channels.
        const auto groups =
            static_cast<std::size_t>(transposed ? product.attributes.integer("group", 1) : 1);
        for (std::size_t x = 0; x < weights.reals.size(); ++x) {
            const std::size_t row = x / view.inner / view.side;
            const std::size_t group = row / std::max<std::size_t>(view.outer / groups, 1);
            const std::size_t channel =
                x / view.inner % view.side + (transposed ? group * view.side : 0);
            weights.reals[x] = static_cast<float>(weights.reals[x] * scale[channel]);
        }
        return weights;
    }

    bool add_step(std::size_t i) {
        const Node& node = graph_.nodes[i];
        if (node.outputs.size() != 1 || is_steep(node.operation) ||
            find_operator(node.operation)->kind != WorkKind::kElementwise) {
            return false;
        }
        // If both operands are products, the later one takes the other's result as a residual.
        std::size_t best = kNobody;
        std::size_t chained = 0;
        for (std::size_t input = 0; input < node.inputs.size(); ++input) {
            const std::size_t at = product_behind(node.inputs[input]);
            if (at == kNobody || (best != kNobody && at < best)) continue;
            if (graph_.value(node.inputs[input]).type != graph_.value(node.outputs[0]).type) {
                continue;
            }
            best = at;
            chained = input;
        }
        if (best == kNobody) return false;
        EpilogueStep step{node.name,       node.operation, node.version,
                          node.attributes, node.inputs,    chained};
        step.taken = step.inputs[chained];
        step.inputs[chained] = ValueId();
        graph_.nodes[best].epilogue.push_back(std::move(step));
        take_place(best, i);
        return true;
    }

    Graph& graph_;
    std::vector<std::size_t> makers_;
    std::vector<std::uint32_t> uses_;
};

}  // namespace

bool is_steep(std::string_view operation) {
    constexpr std::array<std::string_view, 11> kSteep = {"Ceil", "Exp",  "Floor",          "Log",
                                                         "Mod",  "Pow",  "Reciprocal",     "Round",
                                                         "Sign", "Sqrt", "ThresholdedRelu"};
    return std::find(kSteep.begin(), kSteep.end(), operation) != kSteep.end();
}

FusionCounts fuse(Graph& graph) {
    const std::size_t patterns = recognise_patterns(graph);
    FusionCounts counts = Fuser(graph).run();
    counts.patterns = patterns;
    return counts;
}

FusionCounts rewrite(Graph& graph, bool fused, const MachineKernels& kernels, const Graph* file) {
    unroll_recurrent(graph);
    std::size_t integers = 0;
    if (fused && kernels.numbers == ProductNumbers::kIntegers && file != nullptr) {
        integers = recognise_integer_products(graph, *file);
    }
    if (fused && kernels.attention) {
        recognise_attention(graph);
        merge_projections(graph);
    }
    expand_operators(graph, kernels);
    infer_types(graph);
    FusionCounts counts = fused ? fuse(graph) : FusionCounts{};
    counts.integer_products = integers;
    return counts;
}

}  // namespace tessera::network

#include "sc_models/network/integer_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/integer_steps.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/quantized_nodes.h"
#include "sc_models/network/walk.h"
#include "sc_models/network/window.h"

namespace tessera::network {
namespace {

constexpr int kLeastInt8 = -128, kMostInt8 = 127;

bool is_zero(const Tensor& tensor) {
    return std::all_of(tensor.integers.begin(), tensor.integers.end(),
                       [](std::int64_t x) { return x == 0; });
}

/// Whether windows of an image are those of kernels of integers.
bool has_plain_windows(const Graph& graph, const Node& node, bool has_zero_point) {
    const OperatorCall call =
        call_of(graph, node, [&](ValueId id) { return graph.value(id).constant.get(); });
    const Window window = Window::of_convolution(factors_of(call));
    if (window.sides > 2 || node.attributes.integer("group", 1) != 1) return false;
    if (window.taps[1] > 1 && window.taps[2] > 1 && window.dilation[1] != window.dilation[2]) {
        return false;
    }
    for (const std::size_t side : {1U, 2U}) {
        const bool is_even = window.pad_begin[side] == window.pad_end[side];
        const bool is_padded = window.pad_begin[side] != 0;
        if (!is_even || window.pad_begin[side] < 0 || (is_padded && has_zero_point)) return false;
    }
    return true;
}

class Recogniser {
public:
    Recogniser(Graph& graph, const Graph& file) : graph_(graph), file_(file), of_file_(file) {}

    std::size_t run() {
        std::size_t taken = 0;
        for (Node& node : graph_.nodes) {
            if (is_quantized_product(node)) centre_weights(node);
        }
        QuantizedNodes nodes(graph_);
        std::vector<IntegerNode> found;
        for (const Node& node : graph_.nodes) {
            std::optional<IntegerNode> one;
            if (node.operation == "Conv" || node.operation == "MatMul" ||
                node.operation == "Gemm") {
                one = taken_as_integers(nodes, node);
            } else if (node.operation == "Add") {
                one = sum_of_integers(nodes, node);
            } else {
                one = moved_integers(nodes, node);
            }
            if (one) found.push_back(*std::move(one));
        }
        for (IntegerNode& one : found) {
            taken += is_quantized_product(one.node) ? 1 : 0;
            graph_.nodes[one.at] = std::move(one.node);
        }
        if (!found.empty()) graph_.remove_unread_nodes();
        return taken;
    }

private:
    /// Subtracts the zero point from constant weights of a QLinearMatMul or QLinearConv if they
    /// then fit INT8.
    void centre_weights(Node& node) {
        const Tensor* const weights = constant_of(graph_, node, QuantizedInputs::kB);
        const Tensor* const zero = constant_of(graph_, node, QuantizedInputs::kBZero);
        if (weights == nullptr || zero == nullptr) return;
        if (weights->type.type == ElementType::kInt8 && is_zero(*zero)) return;
        const std::size_t rank = weights->type.shape.size();
        const bool is_conv = node.operation == "QLinearConv";
        if (rank < 2 || (!is_conv && rank != 2)) return;
        const AxisView view(weights->type.shape, is_conv ? 0 : 1);
        if (zero->elements() != 1 && zero->elements() != view.side) return;
        Tensor centred = *weights;
        centred.type.type = ElementType::kInt8;
        for (std::size_t i = 0; i < centred.integers.size(); ++i) {
            const std::size_t line = i / view.inner % view.side;
            centred.integers[i] -= zero->integers[zero->elements() == 1 ? 0 : line];
            if (centred.integers[i] < kLeastInt8 || centred.integers[i] > kMostInt8) return;
        }
        Tensor none = *zero;
        none.type.type = ElementType::kInt8;
        std::fill(none.integers.begin(), none.integers.end(), 0);
        const std::string name = graph_.value(node.inputs[QuantizedInputs::kB]).name;
        node.inputs[QuantizedInputs::kB] =
            add_constant(graph_, name + " less its zero point", std::move(centred));
        node.inputs[QuantizedInputs::kBZero] =
            add_constant(graph_, name + " zero point", std::move(none));
    }

    /// Constant weights that the file dequantises, perhaps transposed afterwards.
    [[nodiscard]] std::optional<Quantized> weights_of(const QuantizedNodes& nodes,
                                                      ValueId id) const {
        const bool is_file_constant =
            id.value() < file_.values.size() && file_.value(id).constant != nullptr;
        if (is_file_constant) return std::nullopt;  // also one that was pruned
        bool is_turned = false;
        if (const Node* const transpose = of_file_.made_by(id, "Transpose"); transpose != nullptr) {
            if (graph_.value(id).type.shape.size() != 2) return std::nullopt;
            const std::vector<std::int64_t> order = transpose->attributes.integers("perm");
            is_turned = order.empty() || order[0] == 1;
            id = transpose->inputs[0];
        }
        std::optional<Quantized> found =
            nodes.operands_of(of_file_.made_by(id, "DequantizeLinear"));
        if (!found || graph_.value(found->integers).constant == nullptr ||
            graph_.value(found->scale).constant == nullptr) {
            return std::nullopt;
        }
        if (found->zero.valid() && graph_.value(found->zero).constant == nullptr) {
            return std::nullopt;
        }
        found->is_turned = is_turned;
        return found;
    }

    /// One value for each column; nothing if the tensor has another shape. `rank` and `side` are
    /// those of the product's result and its columns.
    [[nodiscard]] static std::optional<std::vector<float>> by_columns(const Tensor& tensor,
                                                                      std::size_t columns,
                                                                      std::size_t rank,
                                                                      std::size_t side) {
        const Shape& shape = tensor.type.shape;
        if (tensor.elements() == 1) return std::vector<float>(columns, tensor.reals.at(0));
        if (tensor.elements() != columns || shape.size() > rank) return std::nullopt;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const bool is_column = rank - shape.size() + i == side;
            if (!is_column && shape[i] != 1) return std::nullopt;
        }
        return tensor.reals;
    }

    /// The bias as integers in the scale of the sums.
    [[nodiscard]] std::optional<Tensor> whole_bias(const QuantizedNodes& nodes, const Node& product,
                                                   ValueId id, float a_scale, const Tensor& b_scale,
                                                   std::size_t columns) const {
        const bool is_conv = product.operation == "Conv";
        const Tensor& real = *graph_.value(id).constant;
        if (!is_real(real.type.type)) return std::nullopt;
        const std::size_t rank = graph_.value(product.outputs[0]).type.shape.size();
        // The third input of a Conv has one side, that of the channels.
        const bool is_input = has_input(product, 2) && product.inputs[2] == id;
        const std::optional<std::vector<float>> values =
            is_conv && is_input ? std::optional(real.reals)
                                : by_columns(real, columns, rank, is_conv ? 1 : rank - 1);
        if (!values || values->size() != columns) return std::nullopt;
        const std::optional<Quantized> quantized =
            nodes.operands_of(of_file_.made_by(id, "DequantizeLinear"));
        const Tensor* const given =
            quantized ? graph_.value(quantized->integers).constant.get() : nullptr;
        const Tensor* const scales =
            quantized ? graph_.value(quantized->scale).constant.get() : nullptr;
        const bool are_given = given != nullptr && scales != nullptr && !quantized->zero.valid() &&
                               given->type.type == ElementType::kInt32 &&
                               given->elements() == columns;
        std::vector<std::int64_t> whole(columns);
        for (std::size_t c = 0; c < columns; ++c) {
            const float scale = a_scale * b_scale.reals[b_scale.elements() == 1 ? 0 : c];
            const double exact = (*values)[c] / static_cast<double>(scale);
            if (!(std::fabs(exact) < 0x1p31)) return std::nullopt;
            whole[c] = std::llround(exact);
            if (!are_given) continue;
            const float of_bias = scales->reals[scales->elements() == 1 ? 0 : c];
            if (std::fabs(of_bias - scale) <= 0x1p-22F * scale) whole[c] = given->integers[c];
        }
        return Tensor::of_integers({static_cast<std::int64_t>(columns)}, std::move(whole),
                                   ElementType::kInt32);
    }

    /// The integers of weights as a matrix of k rows, or as filters.
    [[nodiscard]] ValueId placed_weights(const Node& product, const Quantized& weights) const {
        const bool by_rows =
            product.operation == "Gemm" && product.attributes.integer("transB") != 0;
        if (by_rows == weights.is_turned) return weights.integers;
        const Tensor& from = *graph_.value(weights.integers).constant;
        const auto rows = static_cast<std::size_t>(from.type.shape[0]);
        const auto columns = static_cast<std::size_t>(from.type.shape[1]);
        Tensor turned = from;
        turned.type.shape = {from.type.shape[1], from.type.shape[0]};
        for (std::size_t i = 0; i < from.integers.size(); ++i) {
            turned.integers[i % columns * rows + i / columns] = from.integers[i];
        }
        return add_constant(graph_, graph_.value(weights.integers).name + " transposed",
                            std::move(turned));
    }

    /// Takes a product between conversions as QLinearConv or QLinearMatMul.
    [[nodiscard]] std::optional<IntegerNode> taken_as_integers(QuantizedNodes& nodes,
                                                               const Node& product) {
        const Attributes& attributes = product.attributes;
        const bool is_conv = product.operation == "Conv";
        if (product.operation == "Gemm" &&
            (attributes.real("alpha", 1) != 1 || attributes.real("beta", 1) != 1 ||
             attributes.integer("transA") != 0)) {
            return std::nullopt;
        }
        const std::optional<Quantized> a =
            nodes.operands_of(nodes.neighbours().made_by(product.inputs[0], "DequantizeLinear"));
        const std::optional<Quantized> b = weights_of(nodes, product.inputs[1]);
        const std::optional<Ending> ending = nodes.ending_of(product, true);
        if (!a || !b || !ending || !is_byte(graph_.value(a->integers).type.type)) {
            return std::nullopt;
        }
        const std::size_t b_rank = graph_.value(b->integers).type.shape.size();
        if (b_rank != (is_conv ? graph_.value(a->integers).type.shape.size() : 2)) {
            return std::nullopt;
        }
        const Node& last = graph_.nodes[ending->quantization];
        const Tensor* const a_scale = graph_.value(a->scale).constant.get();
        const Tensor* const b_scale = graph_.value(b->scale).constant.get();
        if (!is_single(a_scale) || !nodes.has_one_scale(last)) return std::nullopt;
        const bool by_rows = product.operation == "Gemm" && attributes.integer("transB") != 0;
        const std::size_t column_side =
            is_conv ? 0 : (by_rows != b->is_turned ? 0 : 1);  // of the integers
        const auto columns =
            static_cast<std::size_t>(graph_.value(b->integers).type.shape[column_side]);
        if (b_scale->elements() != 1 && b->axis != column_side) return std::nullopt;
        Node node;
        node.name = product.name;
        node.operation = is_conv ? "QLinearConv" : "QLinearMatMul";
        node.version = kQuantizedProducts;
        if (is_conv) node.attributes = attributes;
        Quantized placed = *b;
        placed.integers = placed_weights(product, *b);
        node.inputs = nodes.inputs_of(product.name, *a, placed, last);
        if (ending->bias.valid()) {
            if (graph_.value(ending->bias).constant == nullptr) return std::nullopt;
            std::optional<Tensor> bias =
                whole_bias(nodes, product, ending->bias, a_scale->reals[0], *b_scale, columns);
            if (!bias) return std::nullopt;
            node.inputs.push_back(add_constant(
                graph_, graph_.value(ending->bias).name + " as integers", *std::move(bias)));
        }
        node.outputs = {last.outputs[0]};
        if (!nodes.set_bounds(*ending, node)) return std::nullopt;
        centre_weights(node);
        if (!is_integer_product(graph_, node)) return std::nullopt;
        return IntegerNode{ending->quantization, std::move(node)};
    }

    static constexpr int kQuantizedProducts = 10;  ///< operator set that defines them

    Graph& graph_;
    const Graph& file_;
    const Neighbours of_file_;
};

}  // namespace

bool is_integer_product(const Graph& graph, const Node& node) {
    const bool is_conv = node.operation == "QLinearConv";
    if (!is_conv && node.operation != "QLinearMatMul") return false;
    const Tensor* const weights = constant_of(graph, node, QuantizedInputs::kB);
    const Tensor* const b_zero = constant_of(graph, node, QuantizedInputs::kBZero);
    const Tensor* const a_zero = constant_of(graph, node, QuantizedInputs::kAZero);
    const Tensor* const a_scale = constant_of(graph, node, QuantizedInputs::kAScale);
    const Tensor* const b_scale = constant_of(graph, node, QuantizedInputs::kBScale);
    const Tensor* const result_scale = constant_of(graph, node, QuantizedInputs::kResultScale);
    if (weights == nullptr || weights->type.type != ElementType::kInt8 || b_zero == nullptr ||
        !is_zero(*b_zero) || !is_single(a_zero) || !is_single(a_scale) || b_scale == nullptr ||
        !is_single(result_scale) ||
        !is_single(constant_of(graph, node, QuantizedInputs::kResultZero))) {
        return false;
    }
    if (has_input(node, QuantizedInputs::kBias) &&
        constant_of(graph, node, QuantizedInputs::kBias) == nullptr)
        return false;
    const std::size_t rank = graph.value(node.inputs[QuantizedInputs::kA]).type.shape.size();
    const std::size_t b_rank = weights->type.shape.size();
    const bool fits = is_conv ? rank == 3 || rank == 4 : rank >= 2 && b_rank == 2;
    if (!fits || weights->elements() == 0 ||
        graph.value(node.inputs[QuantizedInputs::kA]).type.elements() == 0) {
        return false;
    }
    const auto columns = static_cast<std::size_t>(weights->type.shape[is_conv ? 0 : 1]);
    if (b_scale->elements() != 1 && b_scale->elements() != columns) return false;
    for (const float scale : b_scale->reals) {
        if (!std::isfinite(a_scale->reals[0] * scale / result_scale->reals[0])) return false;
    }
    return !is_conv || has_plain_windows(graph, node, !is_zero(*a_zero));
}

std::size_t recognise_integer_products(Graph& graph, const Graph& file) {
    return Recogniser(graph, file).run();
}

}  // namespace tessera::network

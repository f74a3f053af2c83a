#include "sc_models/network/integer_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/walk.h"
#include "sc_models/network/window.h"

namespace tessera::network {
namespace {

// Inputs of QuantizeLinear and DequantizeLinear.
constexpr std::size_t kConversionScale = 1, kConversionZero = 2;
constexpr int kLeastInt8 = -128, kMostInt8 = 127;
constexpr std::int64_t kOnnxFloat = 1;  // of TensorProto.DataType

bool has(const Node& node, std::size_t input) {
    return input < node.inputs.size() && node.inputs[input].valid();
}

const Tensor* constant_of(const Graph& graph, const Node& node, std::size_t input) {
    return has(node, input) ? graph.value(node.inputs[input]).constant.get() : nullptr;
}

bool is_single(const Tensor* tensor) {
    return tensor != nullptr && tensor->elements() == 1;
}

/// Whether there is one scale, in FP32, by which integers have the order of their real numbers, all
/// of them finite.
bool keeps_order(const Tensor* scale) {
    constexpr float kBeyondBytes = 512;
    return is_single(scale) && scale->type.type == ElementType::kFloat && scale->reals[0] > 0 &&
           std::isfinite(kBeyondBytes * scale->reals[0]);
}

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

/// The steps from the sums of a product to its QuantizeLinear.
struct Ending {
    ValueId bias;  ///< invalid: none
    float least = -std::numeric_limits<float>::infinity();
    float most = std::numeric_limits<float>::infinity();
    std::size_t quantization = 0;  ///< index of that node
};

class Recogniser {
public:
    Recogniser(Graph& graph, const Graph& file) : graph_(graph), file_(file), of_file_(file) {}

    std::size_t run() {
        std::size_t taken = 0;
        for (Node& node : graph_.nodes) {
            if (is_quantized_product(node)) centre_weights(node);
        }
        const Neighbours neighbours(graph_);
        std::vector<std::pair<std::size_t, Node>> found;
        for (const Node& node : graph_.nodes) {
            std::size_t at = 0;
            std::optional<Node> one;
            if (node.operation == "Conv" || node.operation == "MatMul" ||
                node.operation == "Gemm") {
                one = taken_as_integers(neighbours, node, at);
            } else if (node.operation == "Add") {
                one = sum_of_integers(neighbours, node, at);
            } else if (keeps_integers(node)) {
                one = moved_integers(neighbours, node, at);
            }
            if (one) found.emplace_back(at, *std::move(one));
        }
        for (auto& [at, node] : found) {
            taken += is_quantized_product(node) ? 1 : 0;
            graph_.nodes[at] = std::move(node);
        }
        if (!found.empty()) graph_.remove_unread_nodes();
        return taken;
    }

private:
    ValueId add(const std::string& name, Tensor tensor) {
        auto shared = std::make_shared<const Tensor>(std::move(tensor));
        const TensorType type = shared->type;
        return graph_.add({name, type, std::move(shared)});
    }

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
        node.inputs[QuantizedInputs::kB] = add(name + " less its zero point", std::move(centred));
        node.inputs[QuantizedInputs::kBZero] = add(name + " zero point", std::move(none));
    }

    /// Operands of a DequantizeLinear of real numbers in FP32; nothing if it has blocks.
    [[nodiscard]] std::optional<Quantized> operands_of(const Node* node) const {
        if (node == nullptr || node->attributes.integer("block_size") != 0) return std::nullopt;
        if (graph_.value(node->inputs.at(kConversionScale)).type.type != ElementType::kFloat ||
            graph_.value(node->outputs[0]).type.type != ElementType::kFloat) {
            return std::nullopt;
        }
        Quantized found{node->inputs[0], node->inputs[kConversionScale],
                        has(*node, kConversionZero) ? node->inputs[kConversionZero] : ValueId()};
        const auto rank =
            static_cast<std::int64_t>(graph_.value(node->inputs[0]).type.shape.size());
        const std::int64_t axis = node->attributes.integer("axis", 1);
        found.axis = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
        return found;
    }

    /// Constant weights that the file dequantises, perhaps transposed afterwards.
    [[nodiscard]] std::optional<Quantized> weights_of(ValueId id) const {
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
        std::optional<Quantized> found = operands_of(of_file_.made_by(id, "DequantizeLinear"));
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

    /// The steps between a product and its only reader at the end, a QuantizeLinear.
    [[nodiscard]] std::optional<Ending> ending_of(const Neighbours& neighbours, const Node& node_of,
                                                  bool may_be_biased) const {
        Ending ending;
        if (may_be_biased && has(node_of, 2)) ending.bias = node_of.inputs[2];
        ValueId so_far = node_of.outputs[0];
        bool is_bounded = false;
        constexpr std::size_t kMostSteps = 3;
        for (std::size_t step = 0; step < kMostSteps; ++step) {
            const std::optional<std::size_t> reader = neighbours.only_reader(so_far);
            if (!reader) return std::nullopt;
            const Node& node = graph_.nodes[*reader];
            if (node.operation == "QuantizeLinear") {
                ending.quantization = *reader;
                return node.inputs[0] == so_far ? std::optional(ending) : std::nullopt;
            }
            if (is_bounded) return std::nullopt;
            if (node.operation == "Add" && may_be_biased && !ending.bias.valid()) {
                const std::size_t other = node.inputs[0] == so_far ? 1 : 0;
                if (constant_of(graph_, node, other) == nullptr) return std::nullopt;
                ending.bias = node.inputs[other];
            } else if (node.operation == "Relu") {
                ending.least = 0;
                is_bounded = true;
            } else if (node.operation == "Clip" && node.inputs[0] == so_far) {
                const OperatorCall call = call_of(
                    graph_, node, [this](ValueId id) { return graph_.value(id).constant.get(); });
                for (const std::size_t bound : {1U, 2U}) {
                    if (call.has(bound) && call.tensors[bound] == nullptr) return std::nullopt;
                }
                std::tie(ending.least, ending.most) = clip_bounds(call);
                is_bounded = true;
            } else {
                return std::nullopt;
            }
            if (graph_.value(node.outputs[0]).type != graph_.value(so_far).type) {
                return std::nullopt;
            }
            so_far = node.outputs[0];
        }
        return std::nullopt;
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
    [[nodiscard]] std::optional<Tensor> whole_bias(const Node& product, ValueId id, float a_scale,
                                                   const Tensor& b_scale,
                                                   std::size_t columns) const {
        const bool is_conv = product.operation == "Conv";
        const Tensor& real = *graph_.value(id).constant;
        if (!is_real(real.type.type)) return std::nullopt;
        const std::size_t rank = graph_.value(product.outputs[0]).type.shape.size();
        // The third input of a Conv has one side, that of the channels.
        const bool is_input = has(product, 2) && product.inputs[2] == id;
        const std::optional<std::vector<float>> values =
            is_conv && is_input ? std::optional(real.reals)
                                : by_columns(real, columns, rank, is_conv ? 1 : rank - 1);
        if (!values || values->size() != columns) return std::nullopt;
        const std::optional<Quantized> quantized =
            operands_of(of_file_.made_by(id, "DequantizeLinear"));
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
    [[nodiscard]] ValueId placed_weights(const Node& product, const Quantized& weights) {
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
        return add(graph_.value(weights.integers).name + " transposed", std::move(turned));
    }

    ValueId zero_of(ElementType type, const std::string& name) {
        return add(name, Tensor::of_integers({}, {0}, type));
    }

    [[nodiscard]] std::optional<Node> taken_as_integers(const Neighbours& neighbours,
                                                        const Node& product, std::size_t& at) {
        const Attributes& attributes = product.attributes;
        const bool is_conv = product.operation == "Conv";
        if (product.operation == "Gemm" &&
            (attributes.real("alpha", 1) != 1 || attributes.real("beta", 1) != 1 ||
             attributes.integer("transA") != 0)) {
            return std::nullopt;
        }
        std::optional<Quantized> a =
            operands_of(neighbours.made_by(product.inputs[0], "DequantizeLinear"));
        std::optional<Quantized> b = weights_of(product.inputs[1]);
        const std::optional<Ending> ending = ending_of(neighbours, product, true);
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
        if (!is_single(a_scale) || !has_one_scale(last)) return std::nullopt;
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
        const ElementType type = graph_.value(last.outputs[0]).type.type;
        const ElementType a_type = graph_.value(a->integers).type.type;
        const ElementType b_type = graph_.value(b->integers).type.type;
        const auto zero = [&](ValueId id, ElementType of, const char* what) {
            return id.valid() ? id : zero_of(of, product.name + what);
        };
        node.inputs = {a->integers,
                       a->scale,
                       zero(a->zero, a_type, " zero point of A"),
                       placed_weights(product, *b),
                       b->scale,
                       zero(b->zero, b_type, " zero point of B"),
                       last.inputs[kConversionScale],
                       zero(has(last, kConversionZero) ? last.inputs[kConversionZero] : ValueId(),
                            type, " zero point of the result")};
        if (ending->bias.valid()) {
            if (graph_.value(ending->bias).constant == nullptr) return std::nullopt;
            std::optional<Tensor> bias =
                whole_bias(product, ending->bias, a_scale->reals[0], *b_scale, columns);
            if (!bias) return std::nullopt;
            node.inputs.push_back(
                add(graph_.value(ending->bias).name + " as integers", *std::move(bias)));
        }
        node.outputs = {last.outputs[0]};
        if (!set_bounds(*ending, node)) return std::nullopt;
        centre_weights(node);
        if (!is_integer_product(graph_, node)) return std::nullopt;
        at = ending->quantization;
        return node;
    }

    /// Operands of a DequantizeLinear of bytes with one scale that keeps the order; all of it is
    /// constant but the integers.
    [[nodiscard]] std::optional<Quantized> bytes_of(const Neighbours& neighbours,
                                                    ValueId id) const {
        std::optional<Quantized> found = operands_of(neighbours.made_by(id, "DequantizeLinear"));
        if (!found || !is_byte(graph_.value(found->integers).type.type) ||
            !keeps_order(graph_.value(found->scale).constant.get())) {
            return std::nullopt;
        }
        const bool is_known =
            !found->zero.valid() || is_single(graph_.value(found->zero).constant.get());
        return is_known ? found : std::nullopt;
    }
    /// Whether a QuantizeLinear has one scale that keeps the order and one zero point, both
    /// constant, and does not round the quotient to FP16.
    [[nodiscard]] bool has_one_scale(const Node& quantization) const {
        const std::int64_t precision = quantization.attributes.integer("precision");
        return keeps_order(constant_of(graph_, quantization, kConversionScale)) &&
               (precision == 0 || precision == kOnnxFloat) &&
               (!has(quantization, kConversionZero) ||
                is_single(constant_of(graph_, quantization, kConversionZero)));
    }

    /// Takes an Add of two quantised tensors of one shape as QLinearAdd.
    [[nodiscard]] std::optional<Node> sum_of_integers(const Neighbours& neighbours, const Node& sum,
                                                      std::size_t& at) {
        const std::optional<Quantized> a = bytes_of(neighbours, sum.inputs[0]);
        const std::optional<Quantized> b = bytes_of(neighbours, sum.inputs[1]);
        const std::optional<Ending> ending = ending_of(neighbours, sum, false);
        if (!a || !b || !ending) return std::nullopt;
        if (graph_.value(a->integers).type.shape != graph_.value(b->integers).type.shape) {
            return std::nullopt;
        }
        const Node& last = graph_.nodes[ending->quantization];
        if (!has_one_scale(last)) return std::nullopt;
        Node node;
        node.name = sum.name;
        node.operation = "QLinearAdd";
        node.version = 1;
        const auto zero = [&](ValueId id, ValueId of, const char* what) {
            return id.valid() ? id : zero_of(graph_.value(of).type.type, sum.name + what);
        };
        node.inputs = {a->integers,
                       a->scale,
                       zero(a->zero, a->integers, " zero point of A"),
                       b->integers,
                       b->scale,
                       zero(b->zero, b->integers, " zero point of B"),
                       last.inputs[kConversionScale],
                       zero(has(last, kConversionZero) ? last.inputs[kConversionZero] : ValueId(),
                            last.outputs[0], " zero point of the result")};
        node.outputs = {last.outputs[0]};
        if (!set_bounds(*ending, node)) return std::nullopt;
        at = ending->quantization;
        return node;
    }

    /// Operators whose results are elements of what they read.
    [[nodiscard]] static bool keeps_integers(const Node& node) {
        constexpr int kFirstMaxPool = 10;  // with the attributes of the one that takes bytes
        if (node.operation == "MaxPool") {
            return node.version >= kFirstMaxPool && node.outputs.size() == 1;
        }
        return node.operation == "Reshape" || node.operation == "Flatten" ||
               node.operation == "Transpose";
    }

    /// Lets such an operator between a DequantizeLinear and a QuantizeLinear with the same scale
    /// and zero point work on the integers.
    [[nodiscard]] std::optional<Node> moved_integers(const Neighbours& neighbours,
                                                     const Node& moves, std::size_t& at) const {
        const std::optional<Quantized> x = bytes_of(neighbours, moves.inputs[0]);
        const std::optional<std::size_t> reader = neighbours.only_reader(moves.outputs[0]);
        if (!x || !reader) return std::nullopt;
        const Node& last = graph_.nodes[*reader];
        if (last.operation != "QuantizeLinear" || last.inputs[0] != moves.outputs[0] ||
            !has_one_scale(last)) {
            return std::nullopt;
        }
        const auto whole = [&](ValueId id) {
            return id.valid() ? graph_.value(id).constant->integers[0] : 0;
        };
        const ValueId zero = has(last, kConversionZero) ? last.inputs[kConversionZero] : ValueId();
        const bool is_same =
            graph_.value(last.outputs[0]).type.type == graph_.value(x->integers).type.type &&
            constant_of(graph_, last, kConversionScale)->reals ==
                graph_.value(x->scale).constant->reals &&
            whole(zero) == whole(x->zero);
        if (!is_same) return std::nullopt;
        Node node = moves;
        node.inputs[0] = x->integers;
        node.outputs = {last.outputs[0]};
        constexpr int kMaxPoolOfBytes = 12;
        if (node.operation == "MaxPool") node.version = std::max(node.version, kMaxPoolOfBytes);
        at = *reader;
        return node;
    }

    /// Sets the integers that Relu or Clip bound the result to. Scale and zero point are constant.
    [[nodiscard]] bool set_bounds(const Ending& ending, Node& node) const {
        const float scale = constant_of(graph_, node, QuantizedInputs::kResultScale)->reals[0];
        const Tensor& zero = *constant_of(graph_, node, QuantizedInputs::kResultZero);
        const auto bound = [&](float value) {
            return saturated(value / scale, zero.integers[0], zero.type.type);
        };
        if (std::isfinite(ending.least)) node.attributes.set("least", bound(ending.least));
        if (std::isfinite(ending.most)) node.attributes.set("most", bound(ending.most));
        return !(ending.least > ending.most);
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
    if (has(node, QuantizedInputs::kBias) &&
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

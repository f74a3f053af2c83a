#include "sc_models/network/quantized_nodes.h"

#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "sc_models/network/executor.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/quantization.h"

namespace tessera::network {
namespace {

constexpr std::int64_t kOnnxFloat = 1;  // of TensorProto.DataType

/// Whether there is one scale, in FP32, by which integers have the order of their real numbers, all
/// of them finite.
bool keeps_order(const Tensor* scale) {
    constexpr float kBeyondBytes = 512;
    return is_single(scale) && scale->type.type == ElementType::kFloat && scale->reals[0] > 0 &&
           std::isfinite(kBeyondBytes * scale->reals[0]);
}

/// The zero point of a QuantizeLinear, invalid if it has none.
ValueId zero_of(const Node& quantization) {
    return has_input(quantization, ConversionInputs::kZero)
               ? quantization.inputs[ConversionInputs::kZero]
               : ValueId();
}

}  // namespace

bool has_input(const Node& node, std::size_t input) {
    return input < node.inputs.size() && node.inputs[input].valid();
}

const Tensor* constant_of(const Graph& graph, const Node& node, std::size_t input) {
    return has_input(node, input) ? graph.value(node.inputs[input]).constant.get() : nullptr;
}

ValueId add_constant(Graph& graph, const std::string& name, Tensor tensor) {
    auto shared = std::make_shared<const Tensor>(std::move(tensor));
    const TensorType type = shared->type;
    return graph.add({name, type, std::move(shared)});
}

bool is_single(const Tensor* tensor) {
    return tensor != nullptr && tensor->elements() == 1;
}

std::vector<ValueId> QuantizedNodes::inputs_of(const std::string& name, const Quantized& a,
                                               const Quantized& b, const Node& quantization) {
    const auto zero = [&](ValueId id, ValueId of, const char* what) {
        const ElementType type = graph_.value(of).type.type;
        return id.valid() ? id
                          : add_constant(graph_, name + " zero point of " + what,
                                         Tensor::of_integers({}, {0}, type));
    };
    return {a.integers,
            a.scale,
            zero(a.zero, a.integers, "A"),
            b.integers,
            b.scale,
            zero(b.zero, b.integers, "B"),
            quantization.inputs[ConversionInputs::kScale],
            zero(zero_of(quantization), quantization.outputs[0], "the result")};
}

std::optional<Quantized> QuantizedNodes::operands_of(const Node* node) const {
    if (node == nullptr || node->attributes.integer("block_size") != 0) return std::nullopt;
    if (graph_.value(node->inputs.at(ConversionInputs::kScale)).type.type != ElementType::kFloat ||
        graph_.value(node->outputs[0]).type.type != ElementType::kFloat) {
        return std::nullopt;
    }
    Quantized found{node->inputs[0], node->inputs[ConversionInputs::kScale],
                    has_input(*node, ConversionInputs::kZero)
                        ? node->inputs[ConversionInputs::kZero]
                        : ValueId()};
    const auto rank = static_cast<std::int64_t>(graph_.value(node->inputs[0]).type.shape.size());
    const std::int64_t axis = node->attributes.integer("axis", 1);
    found.axis = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    return found;
}

std::optional<Quantized> QuantizedNodes::bytes_of(ValueId id) const {
    std::optional<Quantized> found = operands_of(neighbours_.made_by(id, "DequantizeLinear"));
    if (!found || !is_byte(graph_.value(found->integers).type.type) ||
        !keeps_order(graph_.value(found->scale).constant.get())) {
        return std::nullopt;
    }
    const bool is_known =
        !found->zero.valid() || is_single(graph_.value(found->zero).constant.get());
    return is_known ? found : std::nullopt;
}

bool QuantizedNodes::has_one_scale(const Node& quantization) const {
    const std::int64_t precision = quantization.attributes.integer("precision");
    return keeps_order(constant_of(graph_, quantization, ConversionInputs::kScale)) &&
           (precision == 0 || precision == kOnnxFloat) &&
           (!has_input(quantization, ConversionInputs::kZero) ||
            is_single(constant_of(graph_, quantization, ConversionInputs::kZero)));
}

bool QuantizedNodes::has_scale_of(const Quantized& operand, const Node& quantization) const {
    const auto whole = [this](ValueId id) {
        return id.valid() ? graph_.value(id).constant->integers[0] : 0;
    };
    return graph_.value(quantization.outputs[0]).type.type ==
               graph_.value(operand.integers).type.type &&
           constant_of(graph_, quantization, ConversionInputs::kScale)->reals ==
               graph_.value(operand.scale).constant->reals &&
           whole(zero_of(quantization)) == whole(operand.zero);
}

std::optional<Ending> QuantizedNodes::ending_of(const Node& first, bool may_be_biased) const {
    Ending ending;
    if (may_be_biased && has_input(first, 2)) ending.bias = first.inputs[2];
    ValueId so_far = first.outputs[0];
    bool is_bounded = false;
    constexpr std::size_t kMostSteps = 3;
    for (std::size_t step = 0; step < kMostSteps; ++step) {
        const std::optional<std::size_t> reader = neighbours_.only_reader(so_far);
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

bool QuantizedNodes::set_bounds(const Ending& ending, Node& node) const {
    const float scale = constant_of(graph_, node, QuantizedInputs::kResultScale)->reals[0];
    const Tensor& zero = *constant_of(graph_, node, QuantizedInputs::kResultZero);
    const auto bound = [&](float value) {
        return saturated(value / scale, zero.integers[0], zero.type.type);
    };
    if (std::isfinite(ending.least)) node.attributes.set("least", bound(ending.least));
    if (std::isfinite(ending.most)) node.attributes.set("most", bound(ending.most));
    return !(ending.least > ending.most);
}

}  // namespace tessera::network

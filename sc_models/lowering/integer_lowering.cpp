#include "sc_models/lowering/integer_lowering.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "sc_models/lowering/convolution_lowering.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/walk.h"

namespace tessera {

using network::OperatorCall;
using network::QuantizedInputs;
using network::Window;

PlacedTensor IntegerLowering::lower() {
    const bool is_conv = node_.operation == "QLinearConv";
    const PlacedTensor a =
        in_layout(layers_.placed(node_.inputs[QuantizedInputs::kA]), is_conv, layers_.sink());
    const PlacedTensor b =
        layers_.placed(node_.inputs[QuantizedInputs::kB]).with_channels_last(is_conv);
    LoweredLayer lowered = is_conv ? convolution(a, b) : matrices(a, b);
    const bool is_unsigned = a.type == TensorType::kUint8;
    (is_conv ? lowered.layer.operands : lowered.gemm.operands) =
        is_unsigned ? OperandType::kUint8 : OperandType::kInt8;
    const OperatorCall call = layers_.call_of(node_);
    const network::Operator& operation = *network::find_operator(node_.operation);
    const std::vector<network::TensorType> types = operation.infer(call);
    PlacedTensor result;
    result.shape = types.at(0).shape;
    result.channels_last = is_conv;
    result.type =
        types[0].type == network::ElementType::kUint8 ? TensorType::kUint8 : TensorType::kInt8;
    const Requantization rule = requantization();
    lowered.operation = node_.operation;
    lowered.flop = operation.flop(call, types);
    lowered.bytes = a.bytes() + b.bytes() + result.bytes() +
                    rule.bias.size() * (sizeof(rule.bias[0]) + sizeof(rule.factors[0]));
    lowered.zeros_a = a.zeros();
    lowered.zeros_b = b.zeros();
    lowered.given.requantization = std::make_shared<const Requantization>(rule);
    if (a.elements != nullptr && layers_.is_known(node_)) {
        result.elements = layers_.result_of(node_, result);
        lowered.given.result = result.elements;
    }
    layers_.add(std::move(lowered), result);
    return result;
}

LoweredLayer IntegerLowering::matrices(const PlacedTensor& a, const PlacedTensor& b) const {
    const network::MatMulSides sides(network::factors_of(layers_.call_of(node_)));
    LoweredLayer lowered;
    lowered.kind = LoweredLayer::Kind::kProduct;
    const std::uint64_t rows =
        network::element_count(sides.batch) * static_cast<std::uint64_t>(sides.m);
    lowered.gemm.m = static_cast<std::uint32_t>(rows);
    lowered.gemm.n = side_of(sides.n);
    lowered.gemm.k = side_of(sides.k);
    lowered.shape = fmt::format("{}x{}x{}", rows, sides.n, sides.k);
    lowered.given.activations = a.elements;
    lowered.given.weights = permuted(b.elements, {sides.k, sides.n}, {1, 0});
    return lowered;
}

LoweredLayer IntegerLowering::convolution(const PlacedTensor& x,
                                          const PlacedTensor& weights) const {
    const Window window = Window::of_convolution(network::factors_of(layers_.call_of(node_)));
    LoweredLayer lowered;
    lowered.kind = LoweredLayer::Kind::kConvolution;
    LayerConfig& layer = lowered.layer;
    set_window(window, layer);
    layer.batch = side_of(x.shape[0]);
    layer.height = side_of(window.image[1]);
    layer.width = side_of(window.image[2]);
    layer.channels = side_of(x.shape[1]);
    layer.filters = side_of(weights.shape[0]);
    lowered.shape = layer_text(layer);
    lowered.given.activations = x.elements;
    lowered.given.weights = weights.elements;
    return lowered;
}

Requantization IntegerLowering::requantization() const {
    const OperatorCall call = layers_.call_of(node_);
    const bool is_conv = node_.operation == "QLinearConv";
    const std::vector<std::int64_t>& weights = call.indices(QuantizedInputs::kB);
    const network::AxisView columns(call.shape(QuantizedInputs::kB), is_conv ? 0 : 1);
    std::vector<std::int64_t> sums(columns.side);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sums[i / columns.inner % columns.side] += weights[i];
    }
    Requantization rule;
    const std::int64_t zero = call.indices(QuantizedInputs::kAZero)[0];
    for (std::size_t c = 0; c < columns.side; ++c) {
        const std::int64_t bias =
            call.has(QuantizedInputs::kBias) ? call.indices(QuantizedInputs::kBias)[c] : 0;
        rule.bias.push_back(
            static_cast<std::int32_t>(static_cast<std::uint32_t>(bias - zero * sums[c])));
        const std::vector<float>& scales = call.reals(QuantizedInputs::kBScale);
        rule.factors.push_back(call.reals(QuantizedInputs::kAScale)[0] *
                               scales[scales.size() == 1 ? 0 : c] /
                               call.reals(QuantizedInputs::kResultScale)[0]);
    }
    const network::ElementType type = call.type(QuantizedInputs::kResultZero).type;
    const auto [low, high] = network::integer_range(type);
    rule.zero_point = static_cast<std::int32_t>(call.indices(QuantizedInputs::kResultZero)[0]);
    rule.least = static_cast<std::int32_t>(call.attributes().integer("least", low));
    rule.most = static_cast<std::int32_t>(call.attributes().integer("most", high));
    rule.is_unsigned = type == network::ElementType::kUint8;
    return rule;
}

}  // namespace tessera

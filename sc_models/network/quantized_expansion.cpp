// QLinearMatMul and QLinearConv as a product of real numbers between conversions.
#include <optional>
#include <utility>

#include "sc_models/network/node_maker.h"
#include "sc_models/network/quantization.h"

namespace tessera::network {
namespace {

class QuantizedExpansion {
public:
    QuantizedExpansion(Graph& graph, NodeMaker& maker, const Node& node)
        : graph_(graph), maker_(maker), node_(node), is_conv_(node.operation == "QLinearConv") {}

    /// Whether DequantizeLinear and QuantizeLinear have scales as these.
    [[nodiscard]] bool is_possible() const {
        return is_by_axis(QuantizedInputs::kA + 1) && is_by_axis(QuantizedInputs::kB + 1) &&
               is_by_axis(QuantizedInputs::kResultScale);
    }

    void run() {
        const ValueId a = dequantized(QuantizedInputs::kA, QuantizedInputs::kA + 1, 0);
        const ValueId b =
            dequantized(QuantizedInputs::kB, QuantizedInputs::kB + 1, is_conv_ ? 0 : 1);
        std::vector<ValueId> factors = {a, b};
        if (is_conv_ && QuantizedInputs::kBias < node_.inputs.size() &&
            node_.inputs[QuantizedInputs::kBias].valid()) {
            const ValueId scale = maker_.make("Mul", {node_.inputs[QuantizedInputs::kA + 1],
                                                      node_.inputs[QuantizedInputs::kB + 1]});
            factors.push_back(maker_.make("DequantizeLinear",
                                          {node_.inputs[QuantizedInputs::kBias], scale}, axis(0)));
        }
        const ValueId product = is_conv_ ? maker_.make("Conv", factors, node_.attributes)
                                         : maker_.make("MatMul", factors);
        (void)maker_.make("QuantizeLinear",
                          {product, node_.inputs[QuantizedInputs::kResultScale],
                           node_.inputs[QuantizedInputs::kResultScale + 1]},
                          axis(0), node_.outputs.at(0));
    }

private:
    /// The zero point stands behind its scale.
    [[nodiscard]] bool is_by_axis(std::size_t scale) const {
        const TensorType& scales = graph_.value(node_.inputs[scale]).type;
        const TensorType& zeros = graph_.value(node_.inputs[scale + 1]).type;
        return scales.shape.size() <= 1 && zeros.elements() == scales.elements();
    }
    static Attributes axis(std::int64_t number) {
        Attributes attributes;
        attributes.set("axis", number);
        return attributes;
    }
    ValueId dequantized(std::size_t factor, std::size_t scale, std::int64_t along) {
        return maker_.make("DequantizeLinear",
                           {node_.inputs[factor], node_.inputs[scale], node_.inputs[scale + 1]},
                           axis(along));
    }

    Graph& graph_;
    NodeMaker& maker_;
    const Node& node_;
    const bool is_conv_;
};

}  // namespace

void expand_quantized(Graph& graph, NodeMaker& maker, const Node& node) {
    QuantizedExpansion expansion(graph, maker, node);
    if (expansion.is_possible()) {
        expansion.run();
    } else {
        maker.keep(node);
    }
}

}  // namespace tessera::network

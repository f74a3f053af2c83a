#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/error_kinds.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/lowering/attention_lowering.h"
#include "sc_models/lowering/convolution_lowering.h"
#include "sc_models/lowering/integer_lowering.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/lowering/matrix_lowering.h"
#include "sc_models/lowering/node_layers.h"
#include "sc_models/lowering/product_layer.h"
#include "sc_models/network/fused_attention.h"
#include "sc_models/network/integer_products.h"
#include "sc_models/network/unsupported_operator.h"

namespace tessera {

using network::Graph;
using network::Node;
using network::ValueId;
using network::WorkKind;

namespace {

/// The first output that is present; outputs may be omitted.
ValueId made_by(const Node& node) {
    const auto found = std::find_if(node.outputs.begin(), node.outputs.end(),
                                    [](ValueId id) { return id.valid(); });
    return found == node.outputs.end() ? ValueId() : *found;
}

/// Lowering of one node: chooses the class of its family, and lowers what its epilogue does beyond
/// the kernel of a product.
class NodeLowering {
public:
    NodeLowering(const Graph& graph, const Node& node, const Layouts& layouts,
                 const network::TensorOf& tensor_of, EpilogueStyle style)
        : node_(node), layers_(graph, node, layouts, tensor_of), product_(layers_, style) {}

    [[nodiscard]] std::vector<LoweredLayer> run();

private:
    [[nodiscard]] bool reads_or_makes_bytes() const;
    /// Whether there are kernels of the node's operator for integers of 8 bits.
    [[nodiscard]] bool has_kernels_of_bytes() const {
        constexpr std::array<std::string_view, 15> kOfBytes = {"QuantizeLinear",
                                                               "DequantizeLinear",
                                                               "QLinearAdd",
                                                               "MaxPool",
                                                               "Transpose",
                                                               "Concat",
                                                               "Slice",
                                                               "Split",
                                                               "Gather",
                                                               "GatherElements",
                                                               "DepthToSpace",
                                                               "SpaceToDepth",
                                                               "Pad",
                                                               "Expand",
                                                               "Tile"};
        return std::find(kOfBytes.begin(), kOfBytes.end(), node_.operation) != kOfBytes.end();
    }
    void lower_view();
    [[nodiscard]] PlacedTensor lower_product();
    [[nodiscard]] std::vector<PlacedTensor> lower_plain(
        const Node& node, const std::optional<std::pair<std::size_t, PlacedTensor>>& chained);

    const Node& node_;
    NodeLayers layers_;
    ProductLayer product_;
};

std::vector<LoweredLayer> NodeLowering::run() {
    const network::Operator& operation = *network::find_operator(node_.operation);
    if (network::is_part_of_attention(layers_.graph(), node_)) return {};
    if (operation.kind == WorkKind::kFree) {
        lower_view();
        return layers_.take();
    }
    const std::string unsupported = network::unsupported_operation(node_);
    if (!unsupported.empty()) {
        layers_.call_of(node_).fail("operator " + in_quotes(unsupported) + " is not supported");
    }
    if (operation.kind == WorkKind::kRecurrent) {
        layers_.call_of(node_).fail("there is no kernel for a sequence without elements");
    }
    if (network::is_integer_product(layers_.graph(), node_)) {
        layers_.compare({IntegerLowering(layers_).lower()});
        return layers_.take();
    }
    if (network::is_fused_attention(layers_.graph(), node_)) {
        layers_.compare({lower_attention(layers_)});
        return layers_.take();
    }
    if (operation.kind == WorkKind::kComposite) {
        layers_.call_of(node_).fail("there is no kernel for it as a whole");
    }
    const ValueId output = made_by(node_);
    if (!output.valid()) return {};
    if (is_for_host(layers_.graph(), node_)) {
        layers_.call_of(node_).fail("there is no kernel for integers and truth values");
    }
    if (reads_or_makes_bytes() && !has_kernels_of_bytes()) {
        layers_.call_of(node_).fail("there is no kernel for INT8 and UINT8");
    }
    std::vector<PlacedTensor> results;
    if (operation.kind == WorkKind::kConvolution || operation.kind == WorkKind::kProduct) {
        results = {lower_product()};
    } else {
        results = lower_plain(node_, std::nullopt);
    }
    for (std::size_t i = product_.fused_steps(); i < node_.epilogue.size(); ++i) {
        const network::EpilogueStep& step = node_.epilogue[i];
        const Node one = network::node_of(step, node_.outputs[0]);
        results = lower_plain(one, std::make_pair(step.chained, results.at(0)));
    }
    layers_.compare(results);
    return layers_.take();
}

bool NodeLowering::reads_or_makes_bytes() const {
    const auto is_byte_value = [this](ValueId id) {
        return id.valid() && network::is_byte(layers_.graph().value(id).type.type);
    };
    return std::any_of(node_.inputs.begin(), node_.inputs.end(), is_byte_value) ||
           std::any_of(node_.outputs.begin(), node_.outputs.end(), is_byte_value);
}

/// Lowers views: tensors that keep their bytes must be in the file's order.
void NodeLowering::lower_view() {
    const ValueId input = node_.inputs.empty() ? ValueId() : node_.inputs[0];
    if (!input.valid()) return;
    const network::TensorType& type = layers_.graph().value(input).type;
    if (!network::is_real(type.type) && !network::is_byte(type.type)) return;
    (void)in_layout(layers_.placed(input), false, layers_.sink());
}

PlacedTensor NodeLowering::lower_product() {
    if (node_.operation == "Conv" || node_.operation == "ConvTranspose") {
        ConvolutionLowering convolution(layers_, product_);
        return node_.operation == "Conv" ? convolution.lower() : convolution.lower_transposed();
    }
    MatrixLowering matrix(layers_, product_);
    return node_.operation == "Gemm" ? matrix.lower_gemm() : matrix.lower_matmul();
}

std::vector<PlacedTensor> NodeLowering::lower_plain(
    const Node& node, const std::optional<std::pair<std::size_t, PlacedTensor>>& chained) {
    std::vector<PlacedTensor> inputs(node.inputs.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (chained && chained->first == i) {
            inputs[i] = chained->second;
        } else if (node.inputs[i].valid()) {
            inputs[i] = layers_.placed(node.inputs[i]);
        }
    }
    const bool last =
        chained ? chained->second.channels_last : layers_.layouts().channels_last(made_by(node));
    return lower_operator(layers_.call_of(node), inputs, last, layers_.sink());
}

}  // namespace

bool is_for_host(const Graph& graph, const Node& node) {
    const auto is_real_value = [&](ValueId id) {
        return id.valid() && network::is_real(graph.value(id).type.type);
    };
    const auto is_on_machine = [&](ValueId id) {
        return is_real_value(id) || (id.valid() && network::is_byte(graph.value(id).type.type));
    };
    const WorkKind kind = network::find_operator(node.operation)->kind;
    if (kind == WorkKind::kConvolution || kind == WorkKind::kProduct) return false;
    const bool reads_rows = node.operation == "ArgMax" || node.operation == "ArgMin";
    if (reads_rows && is_real_value(node.inputs.at(0))) return false;
    return network::unsupported_operation(node).empty() &&
           std::none_of(node.outputs.begin(), node.outputs.end(), is_on_machine);
}

std::vector<LoweredLayer> lower(const Graph& graph, const Node& node, const Layouts& layouts,
                                const network::TensorOf& tensor_of, EpilogueStyle style) {
    try {
        return NodeLowering(graph, node, layouts, tensor_of, style).run();
    } catch (const FileError&) {
        throw;
    } catch (const ConfigError& error) {
        const std::string place = "node " + in_quotes(node.name) + " (" + node.operation + "): ";
        const std::string what = error.what();
        throw NoKernelError(what.compare(0, place.size(), place) == 0 ? what : place + what);
    }
}

}  // namespace tessera

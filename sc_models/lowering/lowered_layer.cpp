#include "sc_models/lowering/lowered_layer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/config_node.h"
#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"
#include "sc_models/network/window.h"
#include "sc_models/workload/tensor_golden.h"

namespace tessera {
namespace {

using network::Graph;
using network::Node;
using network::OperatorCall;
using network::Shape;
using network::Tensor;
using network::ValueId;
using network::Window;
using network::WorkKind;

std::string text_of(const TensorShape& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::vector<float> floats_of(const GivenLayer::Elements& elements) {
    std::vector<float> floats(elements->size());
    std::transform(elements->begin(), elements->end(), floats.begin(), half_to_float);
    return floats;
}

std::uint64_t product_of(const Shape& sides) {
    return network::element_count(sides);
}

std::uint32_t side_of(std::int64_t side) {
    return static_cast<std::uint32_t>(side);
}

/// A node on its way to layers.
class NodeLowering {
public:
    NodeLowering(const Graph& graph, const Node& node, const Layouts& layouts,
                 const network::TensorOf& tensor_of, EpilogueStyle style)
        : graph_(graph), node_(node), layouts_(layouts), tensor_of_(tensor_of), style_(style) {}

    std::vector<LoweredLayer> run() {
        const network::Operator& operation = *network::find_operator(node_.operation);
        if (operation.kind == WorkKind::kFree) {
            lower_view();
            return std::move(layers_);
        }
        if (operation.kind == WorkKind::kRecurrent) {
            call_of(node_).fail(
                "there are no kernels for steps in time with a clip, with lengths of their own, or "
                "with functions other than ONNX's defaults");
        }
        const ValueId output = made_by(node_);
        if (!output.valid()) return {};
        if (!network::is_real(graph_.value(output).type.type)) {
            call_of(node_).fail("there is no kernel for integers and truth values");
        }
        std::vector<PlacedTensor> results;
        if (operation.kind == WorkKind::kConvolution || operation.kind == WorkKind::kProduct) {
            results = {lower_product()};
        } else {
            results = lower_plain(node_, std::nullopt);
        }
        for (std::size_t i = fused_steps_; i < node_.epilogue.size(); ++i) {
            const network::EpilogueStep& step = node_.epilogue[i];
            const Node one = network::node_of(step, node_.outputs[0]);
            results = lower_plain(one, std::make_pair(step.chained, results.at(0)));
        }
        compare(results);
        return std::move(layers_);
    }

private:
    /// The first output that there is: some may be left out.
    [[nodiscard]] static ValueId made_by(const Node& node) {
        const auto found = std::find_if(node.outputs.begin(), node.outputs.end(),
                                        [](ValueId id) { return id.valid(); });
        return found == node.outputs.end() ? ValueId() : *found;
    }

    [[nodiscard]] OperatorCall call_of(const Node& node) const {
        return network::call_of(graph_, node, tensor_of_);
    }

    [[nodiscard]] PlacedTensor placed(ValueId id) const {
        const network::Value& value = graph_.value(id);
        PlacedTensor tensor;
        tensor.shape = value.type.shape;
        // Integers and truth values are the host's, which puts them where they are wanted.
        tensor.constant = value.constant != nullptr || !network::is_real(value.type.type);
        tensor.elements = elements_of(tensor_of_(id));
        const bool last = !tensor.constant && layouts_.channels_last(id);
        return tensor.with_channels_last(last);
    }

    /// Tensors that keep their bytes have to lie in the file's order for that.
    void lower_view() {
        const ValueId input = node_.inputs.empty() ? ValueId() : node_.inputs[0];
        if (!input.valid() || !network::is_real(graph_.value(input).type.type)) return;
        (void)in_layout(placed(input), false, sink());
    }

    std::vector<PlacedTensor> lower_plain(
        const Node& node, const std::optional<std::pair<std::size_t, PlacedTensor>>& chained) {
        std::vector<PlacedTensor> inputs(node.inputs.size());
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (chained && chained->first == i) {
                inputs[i] = chained->second;
            } else if (node.inputs[i].valid()) {
                inputs[i] = placed(node.inputs[i]);
            }
        }
        const bool last =
            chained ? chained->second.channels_last : layouts_.channels_last(made_by(node));
        return lower_operator(call_of(node), inputs, last, sink());
    }

    OperationSink sink() {
        return [this](const std::string& name, const TensorOperation& operation,
                      const std::vector<PlacedTensor>& operands,
                      const std::vector<MadeTensor>& results) {
            return add_operation(name, operation, operands, results);
        };
    }

    std::vector<PlacedTensor> add_operation(const std::string& name,
                                            const TensorOperation& operation,
                                            const std::vector<PlacedTensor>& operands,
                                            const std::vector<MadeTensor>& results) {
        check_tensor_operation(operation);
        const std::vector<TensorShape> shapes = result_shapes(operation);
        LoweredLayer layer;
        layer.operation = name;
        layer.given.operation = operation;
        bool known = true;
        for (const PlacedTensor& operand : operands) {
            layer.given.operands.push_back(operand.elements);
            layer.shape += (layer.shape.empty() ? "" : ", ") + text_of(operand.sides());
            layer.bytes += operand.bytes();
            known = known && operand.elements != nullptr;
        }
        if (gathers(operation.op)) layer.bytes += elements_of(operation.sizes) * kIndexBytes;
        layer.zeros_a = operands[0].zeros();
        if (operands.size() > 1) layer.zeros_b = operands[1].zeros();
        TensorValues golden;
        if (known) {
            TensorValues values;
            for (const PlacedTensor& operand : operands) {
                values.push_back(floats_of(operand.elements));
            }
            golden = tensor_golden(make_tensor_plan(operation), values, shapes);
        }
        std::vector<PlacedTensor> made;
        for (std::size_t i = 0; i < results.size(); ++i) {
            PlacedTensor result;
            result.shape = results[i].shape;
            result.channels_last = results[i].channels_last;
            if (result.sides() != shapes.at(i)) {
                call_of(node_).fail(fmt::format("lowered to {} of {}, expected {}", name,
                                                text_of(shapes[i]), text_of(result.sides())));
            }
            layer.bytes += result.bytes();
            layer.flop += is_copy(operation.op) ? 0 : static_cast<double>(result.bytes()) / 2;
            if (known) {
                Tensor tensor;
                tensor.reals = std::move(golden[i]);
                result.elements = elements_of(&tensor);
                note(result);
            }
            made.push_back(std::move(result));
        }
        if (is_reduction(operation.op)) layer.flop = static_cast<double>(operands[0].bytes()) / 2;
        layers_.push_back(std::move(layer));
        return made;
    }

    static bool is_copy(TensorOperator op) {
        return is_in(op, TensorOperator::kTranspose, TensorOperator::kResize);
    }

    // Products

    PlacedTensor lower_product() {
        if (node_.operation == "Conv") return lower_convolution();
        if (node_.operation == "ConvTranspose") return lower_transposed_convolution();
        if (node_.operation == "Gemm") return lower_gemm();
        return lower_matmul();
    }

    /// What a product's kernel does with its sums.
    struct Fused {
        std::vector<ProductEpilogue::Operand> operands;
        std::vector<ProductEpilogue::Step> steps;
        std::uint64_t bytes = 0;              ///< of the operands
        bool factor = false, addend = false;  ///< alpha and C of a Gemm, bias of a convolution
    };
    enum class Columns {
        kChannels,  ///< of images
        kLast,      ///< the last side
        kUnknown    ///< of batches, whose products lie side by side
    };

    /// The product of the node with what its kernel does besides.
    [[nodiscard]] Node with_fused(const Fused& fused) const {
        Node node = node_;
        node.epilogue.resize(fused_steps_);
        if (!fused.addend) node.inputs.resize(std::min<std::size_t>(node.inputs.size(), 2));
        if (!fused.factor) node.attributes.set("alpha", 1.0F);
        return node;
    }

    [[nodiscard]] static bool can_be_fused(TensorOperator op) {
        switch (op) {
            case TensorOperator::kExp:
            case TensorOperator::kLog:
            case TensorOperator::kSqrt:
            case TensorOperator::kReciprocal:
            case TensorOperator::kPow:
            case TensorOperator::kFloor:
            case TensorOperator::kCeil:
            case TensorOperator::kRound:
            case TensorOperator::kSign:
            case TensorOperator::kThresholdedRelu:
            case TensorOperator::kMod:
                return false;  // steep, or not steady
            default:
                return is_unary(op) || is_binary(op);
        }
    }

    /// `tensor` as the other operand of a step on a result of this shape; nothing if it does not
    /// lie as the result does.
    [[nodiscard]] std::optional<ProductEpilogue::Operand> operand_of(const PlacedTensor& tensor,
                                                                     const Shape& result,
                                                                     Columns columns) {
        using Place = ProductEpilogue::Place;
        ProductEpilogue::Operand operand;
        const std::uint64_t elements = network::element_count(tensor.shape);
        if (elements == 1) {
            if (tensor.elements == nullptr) return std::nullopt;
            operand.scalar = half_to_float(tensor.elements->at(0));
            return operand;
        }
        if (columns == Columns::kUnknown || tensor.shape.size() > result.size()) {
            return std::nullopt;
        }
        const bool last = columns == Columns::kChannels;
        if (tensor.shape == result) {
            operand.place = Place::kElements;
            operand.values = in_layout(tensor, last, sink()).elements;
            return operand;
        }
        const std::size_t column = last ? 1 : result.size() - 1;
        const PlacedTensor all = tensor.with_sides(result.size());
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (all.shape[i] != (i == column ? result[i] : 1)) return std::nullopt;
        }
        operand.place = Place::kColumns;
        operand.values = all.elements;
        return operand;
    }

    bool fuse_with(TensorOperator op, const PlacedTensor& tensor, const Shape& result,
                   Columns columns, bool operand_first, Fused& fused) {
        std::optional<ProductEpilogue::Operand> operand = operand_of(tensor, result, columns);
        const bool full = fused.operands.size() == ProductEpilogue::kMostInMemory;
        if (!operand || full) return false;
        if (operand->place != ProductEpilogue::Place::kScalar) fused.bytes += tensor.bytes();
        ProductEpilogue::Step step;
        step.op = op;
        step.operand = static_cast<std::int32_t>(fused.operands.size());
        step.operand_first = operand_first;
        fused.operands.push_back(std::move(*operand));
        fused.steps.push_back(step);
        return true;
    }

    /// Takes in the steps of the node's epilogue, the first ones, as far as kernels can do them.
    void fuse_epilogue(const Shape& result, Columns columns, Fused& fused) {
        for (const network::EpilogueStep& step : node_.epilogue) {
            const std::string name = step.operation == "Sum" ? "Add" : step.operation;
            const std::optional<TensorOperator> op = tensor_operator(name);
            if (!op || !can_be_fused(*op)) return;
            if (is_binary(*op)) {
                if (step.inputs.size() != 2) return;
                const PlacedTensor other = placed(step.inputs[1 - step.chained]);
                const bool first = step.chained == 1;
                if (!fuse_with(*op, other, result, columns, first, fused)) return;
            } else {
                const Node node = network::node_of(step, node_.outputs[0]);
                const OperatorCall call = call_of(node);
                ProductEpilogue::Step unary;
                unary.op = *op;
                for (const std::size_t bound : {1U, 2U}) {
                    if (call.has(bound) && call.tensors[bound] == nullptr) return;
                }
                std::tie(unary.alpha, unary.beta) = attributes_of(*op, call);
                fused.steps.push_back(unary);
            }
            ++fused_steps_;
        }
    }

    /// Adds a layer whose result is that of with_fused(), placed so.
    PlacedTensor add_product(LoweredLayer layer, const PlacedTensor& activations,
                             const PlacedTensor& weights, bool channels_last, const Fused& fused) {
        const Node node = with_fused(fused);
        const OperatorCall call = call_of(node);
        const network::Operator& operation = *network::find_operator(node.operation);
        PlacedTensor result;
        const std::vector<network::TensorType> types = operation.infer(call);
        result.shape = types.at(0).shape;
        result.channels_last = channels_last;
        layer.operation = node.operation;
        layer.flop = operation.flop(call, types);
        layer.bytes = activations.bytes() + weights.bytes() + result.bytes() + fused.bytes;
        // The operator counts its own addend.
        const std::size_t further = fused.steps.size() - (fused.addend ? 1 : 0);
        layer.flop += static_cast<double>(further) *
                      static_cast<double>(network::element_count(result.shape));
        for (std::size_t i = 0; i < fused_steps_; ++i) {
            layer.operation += "+" + node_.epilogue[i].operation;
        }
        if (!fused.steps.empty()) {
            layer.given.epilogue =
                std::make_shared<const ProductEpilogue>(fused.operands, fused.steps);
        }
        layer.zeros_a = activations.zeros();
        layer.zeros_b = weights.zeros();
        if (activations.elements != nullptr && weights.elements != nullptr && is_known(node)) {
            const std::vector<Tensor> made = network::run_node(graph_, node, tensor_of_);
            PlacedTensor in_file;
            in_file.shape = result.shape;
            in_file.elements = elements_of(&made.at(0));
            result.elements = in_file.with_channels_last(channels_last).elements;
            layer.given.result = result.elements;
            note(result);
        }
        layers_.push_back(std::move(layer));
        return result;
    }

    /// Adds a bias, one for each channel or feature.
    PlacedTensor with_bias(const PlacedTensor& x, PlacedTensor bias, std::size_t side) {
        Shape shape(x.shape.size(), 1);
        shape[side] = x.shape[side];
        bias.shape = shape;
        bias = bias.with_channels_last(x.channels_last);
        TensorOperation operation;
        operation.op = TensorOperator::kAdd;
        operation.operands = {x.sides(), bias.sides()};
        return add_operation("Bias", operation, {x, bias}, {{x.shape, x.channels_last}}).at(0);
    }

    /// Steps, dilation and padding before of a window.
    void set_window(const OperatorCall& call, const Window& window, LayerConfig& layer) {
        if (window.sides > 2) call.fail("there is no kernel for volumes");
        layer.filter_height = side_of(window.taps[1]);
        layer.filter_width = side_of(window.taps[2]);
        layer.stride = side_of(window.stride[2]);
        if (window.stride[1] != window.stride[2] && window.sides == 2) {
            layer.stride_height = side_of(window.stride[1]);
            layer.stride_width = side_of(window.stride[2]);
        }
        const bool rows = window.taps[1] > 1;
        const bool columns = window.taps[2] > 1;
        if (rows && columns && window.dilation[1] != window.dilation[2]) {
            call.fail(fmt::format("there is no kernel for dilations {} and {}", window.dilation[1],
                                  window.dilation[2]));
        }
        layer.dilation = side_of(columns ? window.dilation[2] : rows ? window.dilation[1] : 1);
        set_pad(layer, window.pad_begin[1], window.pad_begin[2]);
    }
    static void set_pad(LayerConfig& layer, std::int64_t height, std::int64_t width) {
        layer.pad = side_of(width);
        if (height == width) return;
        layer.pad_height = side_of(height);
        layer.pad_width = side_of(width);
    }

    PlacedTensor lower_convolution() {
        const OperatorCall call = call_of(node_);
        Window window = Window::of_convolution(call);
        PlacedTensor x = in_layout(placed(node_.inputs[0]), true, sink());
        const PlacedTensor weights = placed(node_.inputs[1]).with_channels_last(true);
        LoweredLayer lowered;
        lowered.kind = LoweredLayer::Kind::kConvolution;
        LayerConfig& layer = lowered.layer;
        set_window(call, window, layer);
        const std::int64_t groups = call.attributes().integer("group", 1);
        for (const std::size_t side : {1U, 2U}) {
            const std::int64_t reach = (window.taps[side] - 1) * window.dilation[side] + 1;
            const std::int64_t outputs =
                (window.image[side] + 2 * window.pad_begin[side] - reach) / window.stride[side] + 1;
            if (outputs == window.output[side]) continue;
            // Padded all around beforehand.
            x = padded(x, window);
            for (const std::size_t both : {1U, 2U}) {
                window.image[both] += window.pad_begin[both] + window.pad_end[both];
            }
            layer.pad_height = layer.pad_width = LayerConfig::kSame;
            layer.pad = 0;
            break;
        }
        layer.batch = side_of(x.shape[0]);
        layer.height = side_of(window.image[1]);
        layer.width = side_of(window.image[2]);
        layer.channels = side_of(x.shape[1]);
        layer.filters = side_of(weights.shape[0]);
        layer.groups = side_of(groups);
        lowered.shape = layer_text(layer);
        lowered.given.activations = x.elements;
        lowered.given.weights = weights.elements;
        return add_convolution(std::move(lowered), x, weights);
    }

    PlacedTensor add_convolution(LoweredLayer lowered, const PlacedTensor& x,
                                 const PlacedTensor& weights) {
        const bool biased = call_of(node_).has(2);
        Fused fused;
        if (style_ == EpilogueStyle::kFused) {
            const Shape& shape = graph_.value(node_.outputs[0]).type.shape;
            if (biased) {
                PlacedTensor bias = placed(node_.inputs[2]);
                bias.shape = Shape(shape.size(), 1);
                bias.shape[1] = shape[1];
                fused.addend =
                    fuse_with(TensorOperator::kAdd, bias, shape, Columns::kChannels, false, fused);
            }
            if (fused.addend || !biased) fuse_epilogue(shape, Columns::kChannels, fused);
        }
        PlacedTensor result = add_product(std::move(lowered), x, weights, true, fused);
        if (!biased || fused.addend) return result;
        return with_bias(result, placed(node_.inputs[2]), 1);
    }

    PlacedTensor padded(const PlacedTensor& x, const Window& window) {
        TensorOperation operation;
        operation.op = TensorOperator::kPad;
        operation.operands = {x.sides()};
        std::vector<std::int64_t> before(x.shape.size());
        std::vector<std::int64_t> after(x.shape.size());
        Shape shape = x.shape;
        for (std::size_t i = 0; i < window.sides; ++i) {
            const std::size_t from = network::kImageSides - window.sides + i;
            before[2 + i] = window.pad_begin[from];
            after[2 + i] = window.pad_end[from];
            shape[2 + i] += before[2 + i] + after[2 + i];
        }
        operation.pads_before = x.for_sides(before);
        operation.pads_after = x.for_sides(after);
        return add_operation("Pad", operation, {x}, {{shape, x.channels_last}}).at(0);
    }

    /// As the gradient of the input of the convolution whose output this one's input is.
    PlacedTensor lower_transposed_convolution() {
        const OperatorCall call = call_of(node_);
        const Window window = Window::of_transposed_convolution(call);
        const PlacedTensor x = in_layout(placed(node_.inputs[0]), true, sink());
        const PlacedTensor weights = placed(node_.inputs[1]).with_channels_last(true);
        LoweredLayer lowered;
        lowered.kind = LoweredLayer::Kind::kConvolution;
        lowered.pass = LayerPass::kBackwardData;
        LayerConfig& layer = lowered.layer;
        set_window(call, window, layer);
        const std::int64_t groups = call.attributes().integer("group", 1);
        for (const std::size_t side : {1U, 2U}) {
            const std::int64_t reach = (window.taps[side] - 1) * window.dilation[side] + 1;
            const std::int64_t outputs =
                (window.image[side] + 2 * window.pad_begin[side] - reach) / window.stride[side] + 1;
            if (outputs != window.output[side]) {
                call.fail("there is no kernel for padding that is not the same on both sides");
            }
        }
        layer.batch = side_of(x.shape[0]);
        layer.height = side_of(window.image[1]);
        layer.width = side_of(window.image[2]);
        layer.channels = side_of(weights.shape[1] * groups);
        layer.filters = side_of(weights.shape[0]);
        layer.groups = side_of(groups);
        lowered.shape = layer_text(layer) + ", transposed";
        lowered.given.activations = x.elements;
        lowered.given.weights = weights.elements;
        return add_convolution(std::move(lowered), x, weights);
    }

    static GemmShapeConfig by_rows(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
        GemmShapeConfig gemm;
        gemm.m = static_cast<std::uint32_t>(m);
        gemm.n = static_cast<std::uint32_t>(n);
        gemm.k = static_cast<std::uint32_t>(k);
        return gemm;
    }

    /// Rows become columns where the right matrix lies by rows.
    [[nodiscard]] static GivenLayer::Elements turned(const GivenLayer::Elements& elements,
                                                     std::int64_t matrices, std::int64_t rows,
                                                     std::int64_t columns) {
        return permuted(elements, {matrices, rows, columns}, {0, 2, 1});
    }

    PlacedTensor scaled(const PlacedTensor& x, float factor) {
        PlacedTensor scalar;
        scalar.constant = true;
        scalar.elements =
            std::make_shared<std::vector<HalfBits>>(std::vector<HalfBits>{float_to_half(factor)});
        TensorOperation operation;
        operation.op = TensorOperator::kMul;
        operation.operands = {x.sides(), scalar.sides()};
        return add_operation("Scale", operation, {x, scalar}, {{x.shape, x.channels_last}}).at(0);
    }

    PlacedTensor lower_gemm() {
        const OperatorCall call = call_of(node_);
        const network::GemmSides sides(call);
        const PlacedTensor a = in_layout(placed(node_.inputs[0]), false, sink());
        const PlacedTensor b = in_layout(placed(node_.inputs[1]), false, sink());
        LoweredLayer lowered;
        lowered.kind = LoweredLayer::Kind::kProduct;
        lowered.gemm =
            by_rows(static_cast<std::uint64_t>(sides.m), static_cast<std::uint64_t>(sides.n),
                    static_cast<std::uint64_t>(sides.k));
        lowered.shape = fmt::format("{}x{}x{}", sides.m, sides.n, sides.k);
        lowered.given.activations =
            sides.transpose_a ? turned(a.elements, 1, sides.k, sides.m) : a.elements;
        lowered.given.weights =
            sides.transpose_b ? b.elements : turned(b.elements, 1, sides.k, sides.n);
        const float alpha = call.attributes().real("alpha", 1);
        const float beta = call.attributes().real("beta", 1);
        const bool adds = call.has(2) && beta != 0;
        PlacedTensor c;
        if (adds) c = in_layout(placed(node_.inputs[2]), false, sink());
        Fused fused;
        // Numbers that are no halves would be rounded.
        if (style_ == EpilogueStyle::kFused && alpha == 1 && (!adds || beta == 1)) {
            const Shape shape = {sides.m, sides.n};
            fused.factor = true;
            fused.addend =
                adds && fuse_with(TensorOperator::kAdd, c, shape, Columns::kLast, false, fused);
            if (fused.addend || !adds) fuse_epilogue(shape, Columns::kLast, fused);
        }
        PlacedTensor result = add_product(std::move(lowered), a, b, false, fused);
        if (alpha != 1) result = scaled(result, alpha);
        if (!adds || fused.addend) return result;
        if (beta != 1) c = scaled(c, beta);
        TensorOperation add;
        add.op = TensorOperator::kAdd;
        add.operands = {result.sides(), c.sides()};
        return add_operation("Bias", add, {result, c}, {{result.shape, false}}).at(0);
    }

    /// Copies of an operand for each product of a batch.
    [[nodiscard]] static GivenLayer::Elements broadcast(const GivenLayer::Elements& elements,
                                                        const Shape& batch, const Shape& to,
                                                        std::uint64_t matrix) {
        if (elements == nullptr || product_of(batch) == product_of(to)) return elements;
        auto all = std::make_shared<std::vector<HalfBits>>(product_of(to) * matrix);
        network::walk(
            to, network::broadcast_strides(batch, to), [&](std::size_t i, std::size_t from) {
                std::copy_n(elements->begin() + static_cast<std::ptrdiff_t>(from * matrix), matrix,
                            all->begin() + static_cast<std::ptrdiff_t>(i * matrix));
            });
        return all;
    }

    PlacedTensor lower_matmul() {
        const OperatorCall call = call_of(node_);
        const network::MatMulSides sides(call);
        const PlacedTensor a = in_layout(placed(node_.inputs[0]), false, sink());
        const PlacedTensor b = in_layout(placed(node_.inputs[1]), false, sink());
        const auto m = static_cast<std::uint64_t>(sides.m);
        const auto n = static_cast<std::uint64_t>(sides.n);
        const auto k = static_cast<std::uint64_t>(sides.k);
        const std::uint64_t batch = product_of(sides.batch);
        LoweredLayer lowered;
        if (product_of(sides.batch_b) == 1) {
            const std::uint64_t rows = batch * m;
            lowered.kind = LoweredLayer::Kind::kProduct;
            lowered.gemm = by_rows(rows, n, k);
            lowered.shape = fmt::format("{}x{}x{}", rows, n, k);
            lowered.given.activations = a.elements;
            lowered.given.weights = turned(b.elements, 1, sides.k, sides.n);
            Fused fused;
            if (style_ == EpilogueStyle::kFused) {
                const Shape shape = sides.result();
                const bool plain = !sides.row && !sides.column;
                fuse_epilogue(shape, plain ? Columns::kLast : Columns::kUnknown, fused);
            }
            return add_product(std::move(lowered), a, b, false, fused);
        }
        // Pixels are rows, and groups the products of the batch.
        const auto groups = static_cast<std::int64_t>(batch);
        lowered.kind = LoweredLayer::Kind::kConvolution;
        LayerConfig& layer = lowered.layer;
        layer.batch = layer.width = layer.filter_height = layer.filter_width = layer.stride = 1;
        layer.pad = 0;
        layer.height = side_of(sides.m);
        layer.channels = static_cast<std::uint32_t>(batch * k);
        layer.filters = static_cast<std::uint32_t>(batch * n);
        layer.groups = static_cast<std::uint32_t>(batch);
        lowered.shape = fmt::format("{} of {}x{}x{}", batch, m, n, k);
        lowered.given.activations =
            permuted(broadcast(a.elements, sides.batch_a, sides.batch, m * k),
                     {groups, sides.m, sides.k}, {1, 0, 2});
        lowered.given.weights = turned(broadcast(b.elements, sides.batch_b, sides.batch, k * n),
                                       groups, sides.k, sides.n);
        Fused fused;
        if (style_ == EpilogueStyle::kFused) {
            fuse_epilogue(sides.result(), Columns::kUnknown, fused);
        }
        PlacedTensor result = add_product(std::move(lowered), a, b, false, fused);
        layers_.back().given.result =
            permuted(result.elements, {groups, sides.m, sides.n}, {1, 0, 2});
        return result;
    }

    // The network's own result

    void note(const PlacedTensor& made) {
        for (const HalfBits half : *made.elements) {
            const float magnitude = std::fabs(half_to_float(half));
            if (std::isfinite(magnitude)) largest_ = std::max(largest_, magnitude);
        }
    }

    /// Whether the values of all that a node and its epilogue read are known. Where they are not, a
    /// layer may have some of its own, such as drawn indices.
    [[nodiscard]] bool is_known(const Node& node) const {
        const auto is_known_value = [this](ValueId id) {
            return !id.valid() || tensor_of_(id) != nullptr;
        };
        const auto are_known = [&](const std::vector<ValueId>& ids) {
            return std::all_of(ids.begin(), ids.end(), is_known_value);
        };
        return are_known(node.inputs) && std::all_of(node.epilogue.begin(), node.epilogue.end(),
                                                     [&](const network::EpilogueStep& step) {
                                                         return are_known(step.inputs);
                                                     });
    }

    /// Roundings between layers are the only difference: each is half a unit in the last place of
    /// what is rounded, and what is rounded is no larger than the largest element.
    void compare(const std::vector<PlacedTensor>& results) const {
        if (results.at(0).elements == nullptr || layers_.empty() || !is_known(node_)) return;
        const std::vector<Tensor> expected = network::run_node(graph_, node_, tensor_of_);
        const double rounding = static_cast<double>(layers_.size()) * 0x1p-10;
        for (std::size_t i = 0; i < results.size() && i < node_.outputs.size(); ++i) {
            if (results[i].elements == nullptr) continue;  // nobody wants it
            const PlacedTensor in_file = results[i].with_channels_last(false);
            const std::vector<float>& wanted = expected[i].reals;
            for (std::size_t e = 0; e < wanted.size(); ++e) {
                const float got = half_to_float(in_file.elements->at(e));
                const bool special = !std::isfinite(wanted[e]) || !std::isfinite(got);
                if (special && (got == wanted[e] || (got != got && wanted[e] != wanted[e]))) {
                    continue;
                }
                const double bound = rounding * largest_ + 0x1p-14;
                if (std::fabs(static_cast<double>(got) - wanted[e]) <= bound) continue;
                throw CheckError(fmt::format(
                    "node {} ({}): element {} of its layers is {}, but {} by its definition",
                    in_quotes(node_.name), node_.operation, e, got, wanted[e]));
            }
        }
    }

    const Graph& graph_;
    const Node& node_;
    const Layouts& layouts_;
    const network::TensorOf& tensor_of_;
    const EpilogueStyle style_;
    std::size_t fused_steps_ = 0;  ///< of the node's epilogue
    std::vector<LoweredLayer> layers_;
    float largest_ = 0;
};

template <class Type>
void add_line(std::string& yaml, const char* key, const Type& value) {
    yaml += fmt::format("    {}: {}\n", key, value);
}

void add_layer_lines(std::string& yaml, const LayerConfig& layer) {
    add_line(yaml, "batch", layer.batch.get());
    add_line(yaml, "height", layer.height.get());
    add_line(yaml, "width", layer.width.get());
    add_line(yaml, "channels", layer.channels.get());
    add_line(yaml, "filters", layer.filters.get());
    add_line(yaml, "filter_height", layer.filter_height.get());
    add_line(yaml, "filter_width", layer.filter_width.get());
    add_line(yaml, "pad", layer.pad.get());
    add_line(yaml, "stride", layer.stride.get());
    add_line(yaml, "groups", layer.groups.get());
    const auto add_axis = [&](const char* key, const Knob<std::uint32_t>& value) {
        if (value.get() != LayerConfig::kSame) add_line(yaml, key, value.get());
    };
    add_axis("pad_height", layer.pad_height);
    add_axis("pad_width", layer.pad_width);
    add_axis("stride_height", layer.stride_height);
    add_axis("stride_width", layer.stride_width);
    if (layer.dilation != 1) add_line(yaml, "dilation", layer.dilation.get());
}

}  // namespace

std::vector<LoweredLayer> lower(const Graph& graph, const Node& node, const Layouts& layouts,
                                const network::TensorOf& tensor_of, EpilogueStyle style) {
    try {
        return NodeLowering(graph, node, layouts, tensor_of, style).run();
    } catch (const ConfigError& error) {
        const std::string place = "node " + in_quotes(node.name) + " (" + node.operation + "): ";
        const std::string what = error.what();
        throw ConfigError(what.compare(0, place.size(), place) == 0 ? what : place + what);
    }
}

std::string layer_text(const LayerConfig& layer) {
    return fmt::format("{}x{}x{}x{}, {} of {}x{}{}", layer.batch.get(), layer.height.get(),
                       layer.width.get(), layer.channels.get(), layer.filters.get(),
                       layer.filter_height.get(), layer.filter_width.get(),
                       layer.groups > 1 ? fmt::format(", {} groups", layer.groups.get()) : "");
}

std::string layer_yaml(const LoweredLayer& layer, const std::string& name,
                       const std::string& tensors, const std::string& digest) {
    std::string yaml =
        fmt::format("# {} of {}\npart: workload\n\nworkload:\n", layer.operation, layer.shape);
    yaml += fmt::format("  layer:\n    name: \"{}\"\n", name);
    switch (layer.kind) {
        case LoweredLayer::Kind::kConvolution:
            add_layer_lines(yaml, layer.layer);
            if (layer.pass == LayerPass::kBackwardData) yaml += "  pass: backward_data\n";
            break;
        case LoweredLayer::Kind::kProduct:
            yaml += "  gemm:\n";
            add_line(yaml, "m", layer.gemm.m.get());
            add_line(yaml, "n", layer.gemm.n.get());
            add_line(yaml, "k", layer.gemm.k.get());
            break;
        case LoweredLayer::Kind::kOperator:
            yaml += "  tensor: {}\n";
            break;
    }
    yaml += fmt::format("  given:\n    file: \"{}\"\n    digest: \"{}\"\n", tensors, digest);
    return yaml;
}

}  // namespace tessera

#include "sc_models/lowering/node_lowering.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "sc_models/network/fusion.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

// Lowering of products, including operations that their kernels apply to the sums.

namespace tessera {

using network::Node;
using network::OperatorCall;
using network::Shape;
using network::Tensor;

namespace {

std::uint64_t product_of(const Shape& sides) {
    return network::element_count(sides);
}

GemmShapeConfig by_rows(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    GemmShapeConfig gemm;
    gemm.m = static_cast<std::uint32_t>(m);
    gemm.n = static_cast<std::uint32_t>(n);
    gemm.k = static_cast<std::uint32_t>(k);
    return gemm;
}

/// Transposes a right matrix stored by rows, whose rows become columns.
GivenLayer::Elements turned(const GivenLayer::Elements& elements, std::int64_t matrices,
                            std::int64_t rows, std::int64_t columns) {
    return permuted(elements, {matrices, rows, columns}, {0, 2, 1});
}

/// Replicates an operand for each product of a batch.
GivenLayer::Elements broadcast(const GivenLayer::Elements& elements, const Shape& batch,
                               const Shape& to, std::uint64_t matrix) {
    if (elements == nullptr || product_of(batch) == product_of(to)) return elements;
    auto all = std::make_shared<std::vector<HalfBits>>(product_of(to) * matrix);
    network::walk(to, network::broadcast_strides(batch, to), [&](std::size_t i, std::size_t from) {
        std::copy_n(elements->begin() + static_cast<std::ptrdiff_t>(from * matrix), matrix,
                    all->begin() + static_cast<std::ptrdiff_t>(i * matrix));
    });
    return all;
}

}  // namespace

PlacedTensor NodeLowering::lower_product() {
    if (node_.operation == "Conv") return lower_convolution();
    if (node_.operation == "ConvTranspose") return lower_transposed_convolution();
    if (node_.operation == "Gemm") return lower_gemm();
    return lower_matmul();
}

/// Returns the node's product with the operations that its kernel applies in addition.
Node NodeLowering::with_fused(const Fused& fused) const {
    Node node = node_;
    node.epilogue.resize(fused_steps_);
    if (!fused.addend) node.inputs.resize(std::min<std::size_t>(node.inputs.size(), 2));
    if (!fused.factor) node.attributes.set("alpha", 1.0F);
    return node;
}

/// Returns `tensor` as the other operand of a step on a result of this shape, or nothing if its
/// layout differs from the result's.
std::optional<ProductEpilogue::Operand> NodeLowering::operand_of(const PlacedTensor& tensor,
                                                                 const Shape& result,
                                                                 Columns columns) {
    using OperandExtent = ProductEpilogue::OperandExtent;
    ProductEpilogue::Operand operand;
    const std::uint64_t elements = network::element_count(tensor.shape);
    if (elements == 1) {
        // A kernel is built before the network computes the number.
        if (!tensor.constant || tensor.elements == nullptr) return std::nullopt;
        operand.scalar = half_to_float(tensor.elements->at(0));
        return operand;
    }
    if (columns == Columns::kUnknown || tensor.shape.size() > result.size()) {
        return std::nullopt;
    }
    const bool last = columns == Columns::kChannels;
    if (tensor.shape == result) {
        operand.place = OperandExtent::kElements;
        operand.values = in_layout(tensor, last, sink()).elements;
        return operand;
    }
    const std::size_t column = last ? 1 : result.size() - 1;
    const PlacedTensor all = tensor.with_sides(result.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (all.shape[i] != (i == column ? result[i] : 1)) return std::nullopt;
    }
    operand.place = OperandExtent::kColumns;
    operand.values = all.elements;
    return operand;
}

bool NodeLowering::fuse_with(TensorOperator op, const PlacedTensor& tensor, const Shape& result,
                             Columns columns, bool operand_first, Fused& fused) {
    std::optional<ProductEpilogue::Operand> operand = operand_of(tensor, result, columns);
    const bool full = fused.operands.size() == ProductEpilogue::kMostInMemory;
    if (!operand || full) return false;
    if (operand->place != ProductEpilogue::OperandExtent::kScalar) fused.bytes += tensor.bytes();
    ProductEpilogue::Step step;
    step.op = op;
    step.operand = static_cast<std::int32_t>(fused.operands.size());
    step.operand_first = operand_first;
    fused.operands.push_back(std::move(*operand));
    fused.steps.push_back(step);
    return true;
}

/// Fuses the leading steps of the node's epilogue that kernels support.
void NodeLowering::fuse_epilogue(const Shape& result, Columns columns, Fused& fused) {
    for (const network::EpilogueStep& step : node_.epilogue) {
        const std::string name = step.operation == "Sum" ? "Add" : step.operation;
        const std::optional<TensorOperator> op = tensor_operator(name);
        if (!op || network::is_steep(name) || !(is_unary(*op) || is_binary(*op))) return;
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
                if (call.has(bound) && graph_.value(node.inputs[bound]).constant == nullptr) return;
            }
            std::tie(unary.alpha, unary.beta) = attributes_of(*op, call);
            fused.steps.push_back(unary);
        }
        ++fused_steps_;
    }
}

/// Adds a layer whose result is that of with_fused(), with the same layout.
PlacedTensor NodeLowering::add_product(LoweredLayer layer, const PlacedTensor& activations,
                                       const PlacedTensor& weights, bool channels_last,
                                       const Fused& fused) {
    return add_product_of(with_fused(fused), std::move(layer), activations, weights, channels_last,
                          fused);
}

/// Adds a layer whose result is that of `node`.
PlacedTensor NodeLowering::add_product_of(const Node& node, LoweredLayer layer,
                                          const PlacedTensor& activations,
                                          const PlacedTensor& weights, bool channels_last,
                                          const Fused& fused) {
    const OperatorCall call = call_of(node);
    const network::Operator& operation = *network::find_operator(node.operation);
    PlacedTensor result;
    const std::vector<network::TensorType> types = operation.infer(call);
    result.shape = types.at(0).shape;
    result.channels_last = channels_last;
    layer.operation = node.operation;
    layer.flop = operation.flop(call, types);
    layer.bytes = activations.bytes() + weights.bytes() + result.bytes() + fused.bytes;
    // The operator's own count includes its addend.
    const std::size_t further = fused.steps.size() - (fused.addend ? 1 : 0);
    layer.flop +=
        static_cast<double>(further) * static_cast<double>(network::element_count(result.shape));
    for (std::size_t i = 0; i < fused_steps_; ++i) {
        layer.operation += "+" + node_.epilogue[i].operation;
    }
    if (!fused.steps.empty()) {
        layer.given.epilogue = std::make_shared<const ProductEpilogue>(fused.operands, fused.steps);
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

PlacedTensor NodeLowering::scaled(const PlacedTensor& x, float factor) {
    PlacedTensor scalar;
    scalar.constant = true;
    scalar.elements =
        std::make_shared<std::vector<HalfBits>>(std::vector<HalfBits>{float_to_half(factor)});
    TensorOperation operation;
    operation.op = TensorOperator::kMul;
    operation.operands = {x.sides(), scalar.sides()};
    return add_operation("Scale", operation, {x, scalar}, {{x.shape, x.channels_last}}).at(0);
}

PlacedTensor NodeLowering::lower_gemm() {
    const OperatorCall call = call_of(node_);
    const network::GemmSides sides(call);
    const PlacedTensor a = in_layout(placed(node_.inputs[0]), false, sink());
    const PlacedTensor b = in_layout(placed(node_.inputs[1]), false, sink());
    LoweredLayer lowered;
    lowered.kind = LoweredLayer::Kind::kProduct;
    lowered.gemm = by_rows(static_cast<std::uint64_t>(sides.m), static_cast<std::uint64_t>(sides.n),
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
    // Numbers that are not halves would be rounded.
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

PlacedTensor NodeLowering::lower_matmul() {
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
    // Rows are pixels, and products of the batch are groups.
    const auto groups = static_cast<std::int64_t>(batch);
    lowered.kind = LoweredLayer::Kind::kConvolution;
    lowered.is_batch = true;
    LayerConfig& layer = lowered.layer;
    layer.batch = layer.width = layer.filter_height = layer.filter_width = layer.stride = 1;
    layer.pad = 0;
    layer.height = side_of(sides.m);
    layer.channels = static_cast<std::uint32_t>(batch * k);
    layer.filters = static_cast<std::uint32_t>(batch * n);
    layer.groups = static_cast<std::uint32_t>(batch);
    lowered.shape = fmt::format("{} of {}x{}x{}", batch, m, n, k);
    lowered.given.activations = permuted(broadcast(a.elements, sides.batch_a, sides.batch, m * k),
                                         {groups, sides.m, sides.k}, {1, 0, 2});
    lowered.given.weights =
        turned(broadcast(b.elements, sides.batch_b, sides.batch, k * n), groups, sides.k, sides.n);
    Fused fused;
    if (style_ == EpilogueStyle::kFused) {
        fuse_epilogue(sides.result(), Columns::kUnknown, fused);
    }
    PlacedTensor result = add_product(std::move(lowered), a, b, false, fused);
    layers_.back().given.result = permuted(result.elements, {groups, sides.m, sides.n}, {1, 0, 2});
    return result;
}

}  // namespace tessera

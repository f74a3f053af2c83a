#include "sc_models/lowering/matrix_lowering.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera {

using network::OperatorCall;
using network::Shape;

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

PlacedTensor MatrixLowering::scaled(const PlacedTensor& x, float factor) {
    PlacedTensor scalar;
    scalar.constant = true;
    scalar.type = x.type;
    scalar.elements = std::make_shared<std::vector<HalfBits>>(
        std::vector<HalfBits>{to_bits(factor, format_of(x.type))});
    TensorOperation operation;
    operation.op = TensorOperator::kMul;
    operation.operands = {x.sides(), scalar.sides()};
    return layers_.add_operation("Scale", operation, {x, scalar}, {{x.shape, x.channels_last}})
        .at(0);
}

PlacedTensor MatrixLowering::lower_gemm() {
    const OperatorCall call = layers_.call_of(node_);
    const network::GemmSides sides(call);
    const PlacedTensor a = in_layout(layers_.placed(node_.inputs[0]), false, layers_.sink());
    const PlacedTensor b = in_layout(layers_.placed(node_.inputs[1]), false, layers_.sink());
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
    if (adds) c = in_layout(layers_.placed(node_.inputs[2]), false, layers_.sink());
    ProductLayer::Fused fused;
    // Numbers that are not halves would be rounded.
    if (product_.fuses() && alpha == 1 && (!adds || beta == 1)) {
        const Shape shape = {sides.m, sides.n};
        fused.factor = true;
        fused.addend = adds && product_.fuse_with(TensorOperator::kAdd, c, shape,
                                                  ProductLayer::Columns::kLast, false, fused);
        if (fused.addend || !adds)
            product_.fuse_epilogue(shape, ProductLayer::Columns::kLast, fused);
    }
    PlacedTensor result = product_.add(std::move(lowered), a, b, false, fused);
    if (alpha != 1) result = scaled(result, alpha);
    if (!adds || fused.addend) return result;
    if (beta != 1) c = scaled(c, beta);
    TensorOperation add;
    add.op = TensorOperator::kAdd;
    add.operands = {result.sides(), c.sides()};
    return layers_.add_operation("Bias", add, {result, c}, {{result.shape, false}}).at(0);
}

PlacedTensor MatrixLowering::lower_matmul() {
    const OperatorCall call = layers_.call_of(node_);
    const network::MatMulSides sides(call);
    const PlacedTensor a = in_layout(layers_.placed(node_.inputs[0]), false, layers_.sink());
    const PlacedTensor b = in_layout(layers_.placed(node_.inputs[1]), false, layers_.sink());
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
        ProductLayer::Fused fused;
        if (product_.fuses()) {
            const Shape shape = sides.result();
            const bool plain = !sides.row && !sides.column;
            product_.fuse_epilogue(
                shape, plain ? ProductLayer::Columns::kLast : ProductLayer::Columns::kUnknown,
                fused);
        }
        return product_.add(std::move(lowered), a, b, false, fused);
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
    ProductLayer::Fused fused;
    if (product_.fuses()) {
        product_.fuse_epilogue(sides.result(), ProductLayer::Columns::kUnknown, fused);
    }
    PlacedTensor result = product_.add(std::move(lowered), a, b, false, fused);
    layers_.last().given.result = permuted(result.elements, {groups, sides.m, sides.n}, {1, 0, 2});
    return result;
}

}  // namespace tessera

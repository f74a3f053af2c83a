// Products of matrices: MatMul and Gemm.
#include <algorithm>
#include <utility>

#include "sc_models/network/multiply_add.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

// MatMul: batches of products, broadcast against each other

std::int64_t take_last(Shape& shape) {
    const std::int64_t side = shape.back();
    shape.pop_back();
    return side;
}

std::vector<TensorType> infer_matmul(const OperatorCall& call) {
    call.expect_real(0);
    call.expect_same_type(0, 1);
    return {{call.type(0).type, MatMulSides(call).result()}};
}

double flop_of_matmul(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    return 2.0 * static_cast<double>(outputs[0].elements()) *
           static_cast<double>(call.shape(0).back());
}

void run_matmul(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const MatMulSides sides(call);
    const auto m = static_cast<std::size_t>(sides.m);
    const auto n = static_cast<std::size_t>(sides.n);
    const auto k = static_cast<std::size_t>(sides.k);
    std::vector<std::size_t> first_of_a(element_count(sides.batch));
    walk(sides.batch, broadcast_strides(sides.batch_a, sides.batch),
         [&](std::size_t i, std::size_t offset) { first_of_a[i] = offset * m * k; });
    walk(sides.batch, broadcast_strides(sides.batch_b, sides.batch),
         [&](std::size_t i, std::size_t offset) {
             multiply_add(m, n, k, {call.reals(0).data() + first_of_a[i], k},
                          {call.reals(1).data() + offset * k * n, n},
                          outputs[0].reals.data() + i * m * n);
         });
}

// Gemm: alpha A B + beta C

std::vector<TensorType> infer_gemm(const OperatorCall& call) {
    call.expect_real(0);
    call.expect_same_type(0, 1);
    const GemmSides sides(call);
    const Shape shape = {sides.m, sides.n};
    if (call.has(2)) {
        call.expect_same_type(0, 2);
        expect_broadcast(call, 2, shape);
    }
    return {{call.type(0).type, shape}};
}

double flop_of_gemm(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const GemmSides sides(call);
    return static_cast<double>(outputs[0].elements()) *
           (2.0 * static_cast<double>(sides.k) + (call.has(2) ? 1 : 0));
}

void run_gemm(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const GemmSides sides(call);
    const auto m = static_cast<std::size_t>(sides.m);
    const auto n = static_cast<std::size_t>(sides.n);
    const auto k = static_cast<std::size_t>(sides.k);
    std::vector<float>& out = outputs[0].reals;
    const float* a = call.reals(0).data();
    const float* b = call.reals(1).data();
    multiply_add(m, n, k, sides.transpose_a ? MatrixView{a, 1, m} : MatrixView{a, k, 1},
                 sides.transpose_b ? MatrixView{b, 1, k} : MatrixView{b, n, 1}, out.data());
    const float alpha = call.attributes().real("alpha", 1);
    const float beta = call.attributes().real("beta", 1);
    if (alpha != 1) {
        for (float& value : out) value *= alpha;
    }
    if (!call.has(2)) return;
    const Shape& shape = outputs[0].type.shape;
    walk(shape, broadcast_strides(call.shape(2), shape),
         [&](std::size_t i, std::size_t from) { out[i] += beta * call.reals(2)[from]; });
}

}  // namespace

MatMulSides::MatMulSides(const OperatorCall& call)
    : batch_a(call.shape(0)), batch_b(call.shape(1)) {
    if (batch_a.empty() || batch_b.empty()) {
        call.fail_input(batch_a.empty() ? 0 : 1, "got a scalar, expected a matrix or a vector");
    }
    k = take_last(batch_a);
    row = batch_a.empty();
    if (!row) m = take_last(batch_a);
    column = batch_b.size() == 1;
    if (!column) n = take_last(batch_b);
    const std::int64_t k_of_b = take_last(batch_b);
    if (k_of_b != k) {
        call.fail_input(1, "got shape " + shape_text(call.shape(1)) + ", expected " +
                               std::to_string(k) + " rows for the columns of " +
                               shape_text(call.shape(0)));
    }
    batch = batch_a;
    if (batch_b.size() > batch.size()) {
        batch.insert(batch.begin(), batch_b.size() - batch.size(), 1);
    }
    for (std::size_t i = 1; i <= batch_b.size(); ++i) {
        std::int64_t& side = batch[batch.size() - i];
        const std::int64_t other = batch_b[batch_b.size() - i];
        if (other != 1 && side != 1 && other != side) {
            call.fail_input(1, "got shape " + shape_text(call.shape(1)) +
                                   ", whose batch cannot be broadcast with " +
                                   shape_text(call.shape(0)));
        }
        if (side == 1) side = other;
    }
}

Shape MatMulSides::result() const {
    Shape shape = batch;
    if (!row) shape.push_back(m);
    if (!column) shape.push_back(n);
    return shape;
}

GemmSides::GemmSides(const OperatorCall& call)
    : transpose_a(call.attributes().integer("transA") != 0),
      transpose_b(call.attributes().integer("transB") != 0),
      m(0),
      n(0),
      k(0) {
    for (const std::size_t input : {0U, 1U}) {
        if (call.shape(input).size() != 2) {
            call.fail_input(input,
                            "got shape " + shape_text(call.shape(input)) + ", expected a matrix");
        }
    }
    m = call.shape(0)[transpose_a ? 1 : 0];
    k = call.shape(0)[transpose_a ? 0 : 1];
    n = call.shape(1)[transpose_b ? 0 : 1];
    if (call.shape(1)[transpose_b ? 1 : 0] != k) {
        call.fail_input(1, "got shape " + shape_text(call.shape(1)) + ", expected k = " +
                               std::to_string(k) + " as in " + shape_text(call.shape(0)));
    }
}

std::vector<Operator> product_operators() {
    return {{"Gemm", WorkKind::kProduct, infer_gemm, run_gemm, flop_of_gemm},
            {"MatMul", WorkKind::kProduct, infer_matmul, run_matmul, flop_of_matmul}};
}

}  // namespace tessera::network

// Do fused epilogues compute what the operators' definitions say, whatever the product's shape?
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/workload/library/library_convolution.h"
#include "sc_models/workload/library/library_product.h"
#include "sc_models/workload/onednn_check.h"
#include "sc_models/workload/sparse/sparse_product.h"
#include "tests/support/library_convolutions.h"
#include "tests/support/library_products.h"
#include "tests/support/product_epilogues.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

using OperandExtent = ProductEpilogue::OperandExtent;
using Step = ProductEpilogue::Step;

std::string mismatch_of(const Workload& workload) {
    test::FlatMemory memory = test::make_memory(workload);
    for (const auto& kernel : workload.kernels()) test::interpret(*kernel, memory);
    const VerificationReport report = workload.verify(memory.reader());
    return report.passed() && report.outputs > 0 ? "" : "not right: " + report.first_mismatch;
}

/// All kernels and layouts, k divided or not, C read or not, the result by columns and by rows;
/// oneDNN and the definition of the steps agree, too.
TEST(ProductEpilogues, OfLibraryProductsAreBitExact) {
    std::mt19937_64 random(23);
    for (std::uint32_t i = 0; i < 200; ++i) {
        WorkloadConfig config = test::random_library_product(random, i);
        test::give_product_an_epilogue(random, config);
        const LibraryProduct product(config, random(), true, {});
        SCOPED_TRACE(testing::Message() << i << ": " << product.kernels().front()->info().name);
        test::FlatMemory memory = test::make_memory(product);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = product.verify(memory.reader());
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        const OnednnReport onednn = compare_with_onednn(product, memory.reader());
        if (!onednn.checked()) continue;
        EXPECT_TRUE(onednn.passed()) << onednn.violations << " violations";
        EXPECT_EQ(onednn.outputs, report.outputs);
    }
}

/// Forward passes, and gradients of the input, which transposed layers become.
TEST(ProductEpilogues, OfLibraryConvolutionsAreBitExact) {
    std::mt19937_64 random(29);
    for (std::uint32_t i = 0; i < 100; ++i) {
        WorkloadConfig config = test::random_library_convolution(random, 3 * (i / 2) + i % 2);
        const ConvolutionPass pass(config.layer, config.pass);
        const std::uint64_t n =
            config.pass == LayerPass::kForward ? config.layer.filters : config.layer.channels;
        config.epilogue = test::random_epilogue(random, test::elements_of_result(config) / n, n);
        const LibraryConvolution layer(config, random(), true, {}, {});
        SCOPED_TRACE(testing::Message()
                     << i << ": " << layer.kernels()[layer.main_kernel()]->info().name);
        EXPECT_EQ(mismatch_of(layer), "");
    }
}

/// Fragments of sparse products, whose warps' tiles are any multiples of 16.
TEST(ProductEpilogues, OfProductsInFragmentsAreBitExact) {
    std::mt19937_64 random(31);
    constexpr std::uint32_t kTiles[][4] = {{32, 96, 16, 96}, {64, 64, 32, 32}, {32, 160, 16, 80},
                                           {96, 32, 48, 16}, {64, 64, 32, 64}, {32, 96, 32, 48}};
    for (std::uint32_t i = 0; i < 60; ++i) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kSparseGemm;
        config.sparse.method = ProductMethod::kDense;
        config.sparse.read_c = random() % 2 == 0;
        config.sparse.k_step = 16 * (1 + random() % 4);
        config.gemm = {static_cast<std::uint32_t>(1 + random() % 150),
                       static_cast<std::uint32_t>(1 + random() % 200),
                       static_cast<std::uint32_t>(1 + random() % 90)};
        const auto& tile = kTiles[i % std::size(kTiles)];
        config.tiling.cta_m = tile[0];
        config.tiling.cta_n = tile[1];
        config.tiling.warp_m = tile[2];
        config.tiling.warp_n = tile[3];
        config.tiling.fragment_buffers = 1 + static_cast<std::uint32_t>(random() % 2);
        config.epilogue = test::random_epilogue(random, config.gemm.m, config.gemm.n);
        const SparseProduct product(config, random(), true, {});
        SCOPED_TRACE(testing::Message() << i << ": warps of " << tile[2] << " x " << tile[3]);
        EXPECT_EQ(mismatch_of(product), "");
    }
}

/// Against numbers, not against the golden model, which has the same formulas.
TEST(ProductEpilogues, DoTheirStepsInOrder) {
    ProductEpilogue::Operand bias, residual, two;
    bias.place = OperandExtent::kColumns;
    bias.values = std::make_shared<const std::vector<HalfBits>>(
        std::vector<HalfBits>{float_to_half(1), float_to_half(-4), float_to_half(0.5F)});
    residual.place = OperandExtent::kElements;
    residual.values = std::make_shared<const std::vector<HalfBits>>(
        std::vector<HalfBits>{float_to_half(0), float_to_half(1), float_to_half(2),
                              float_to_half(3), float_to_half(4), float_to_half(5)});
    two.scalar = 2;
    Step add, relu, subtract, multiply;
    add.op = TensorOperator::kAdd;
    add.operand = 0;
    relu.op = TensorOperator::kRelu;
    subtract.op = TensorOperator::kSub;
    subtract.operand = 1;
    subtract.operand_first = true;
    multiply.op = TensorOperator::kMul;
    multiply.operand = 2;
    const ProductEpilogue epilogue({bias, residual, two}, {add, relu, subtract, multiply});
    EXPECT_EQ(epilogue.apply(3, 1, 0, 3), 2 * (3 - (3 + 1.0F)));
    EXPECT_EQ(epilogue.apply(3, 1, 1, 3), 2 * (4 - 0.0F));
    EXPECT_EQ(epilogue.apply(3, 0, 2, 3), 2 * (2 - 3.5F));
    EXPECT_EQ(epilogue.apply(3, 0, 3, 3), 2 * (0 - 3.0F));  // behind the last column
    EXPECT_EQ(epilogue.cost_of(0).fp32, 2U);                // with the conversion
    EXPECT_EQ(epilogue.cost_of(1).fp32, 1U);
    EXPECT_EQ(epilogue.cost_of(3).fp32, 1U);
}

/// A value multiplied by zero has no error, so a later step function cannot amplify it.
TEST(ProductEpilogues, ErrorsGrowWithTheStepsThatFollow) {
    ProductEpilogue::Operand zero, three;
    three.scalar = 3;
    Step times_zero, times_three, floor;
    times_zero.op = times_three.op = TensorOperator::kMul;
    times_zero.operand = 0;
    times_three.operand = 1;
    floor.op = TensorOperator::kFloor;
    const auto growth = [&](std::vector<Step> steps) {
        return ProductEpilogue({zero, three}, std::move(steps)).growth(0, 0, 1);
    };
    EXPECT_EQ(growth({times_three, times_three}), 9);
    EXPECT_EQ(growth({times_three, floor}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(growth({times_zero, floor}), 0);
    EXPECT_EQ(growth({floor, times_zero}), 0);
}

/// A wrong bias, residual or result is found, with k divided, too.
TEST(ProductEpilogues, WrongValuesAreFound) {
    for (const std::uint32_t parts : {1U, 2U}) {
        for (const OperandExtent place : {OperandExtent::kColumns, OperandExtent::kElements}) {
            WorkloadConfig config;
            config.kind = WorkloadKind::kGemm;
            config.kernel = ProductKernel::k64x64;
            config.split_k = parts;
            config.gemm = {70, 50, 100};
            config.gemm.output = OutputType::kFp16;
            const std::size_t values = place == OperandExtent::kColumns ? 70 : 70 * 50;
            config.epilogue = test::one_step(TensorOperator::kAdd, place,
                                             std::vector<HalfBits>(values, float_to_half(1)));
            const LibraryProduct product(config, 7, true, {});
            EXPECT_EQ(mismatch_of(product), "");
            test::FlatMemory memory = test::make_memory(product);
            const HalfBits wrong = float_to_half(12);
            memory.write(product.region("epilogue0").base + 2 * 69, &wrong, sizeof wrong);
            for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
            const VerificationReport report = product.verify(memory.reader());
            EXPECT_EQ(report.mismatches, place == OperandExtent::kColumns ? 50U : 1U);
        }
    }
}

TEST(ProductEpilogues, WhatIsNoneIsRefused) {
    const auto refused = [](Step step) {
        EXPECT_THROW(ProductEpilogue({ProductEpilogue::Operand{}}, {step}), std::logic_error);
    };
    Step step;
    step.op = TensorOperator::kSoftmax;
    refused(step);
    step.op = TensorOperator::kAdd;
    refused(step);  // of nothing
    step.operand = 1;
    refused(step);  // there is only one
    step.op = TensorOperator::kRelu;
    step.operand = 0;
    refused(step);
    ProductEpilogue::Operand column;
    column.place = OperandExtent::kColumns;
    EXPECT_THROW(ProductEpilogue(std::vector<ProductEpilogue::Operand>(9, column), {}),
                 std::logic_error);

    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::k64x64;
    config.gemm = {70, 50, 100};
    config.epilogue = test::one_step(TensorOperator::kAdd, OperandExtent::kColumns, {});
    EXPECT_THROW(LibraryProduct(config, 7, false, {}), std::logic_error);  // FP32
    config.gemm.output = OutputType::kFp16;
    const LibraryProduct product(config, 7, true, {});
    EXPECT_THROW(test::make_memory(product), std::logic_error);  // no values
    config.kind = WorkloadKind::kConvolution;
    config.pass = LayerPass::kBackwardWeight;
    EXPECT_THROW(LibraryConvolution(config, 7, false, {}, {}), std::logic_error);
    config.kernel = ProductKernel::kFragments;
    EXPECT_THROW(LibraryProduct(config, 7, false, {}), std::logic_error);
}

}  // namespace
}  // namespace tessera

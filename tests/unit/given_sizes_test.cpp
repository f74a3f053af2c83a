// Are tensors of a network's layer refused if they have other sizes than the layer?
#include "sc_models/workload/given_sizes.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {
namespace {

using testing::HasSubstr;

GivenLayer::Elements halves(std::size_t count) {
    return std::make_shared<const std::vector<HalfBits>>(count);
}

std::string size_refusal(WorkloadConfig config, GivenLayer layer) {
    config.given_layer = std::make_shared<const GivenLayer>(std::move(layer));
    try {
        check_given_sizes(config);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

GivenLayer product(std::size_t activations, std::size_t weights, std::size_t result) {
    GivenLayer layer;
    layer.activations = halves(activations);
    layer.weights = halves(weights);
    layer.result = halves(result);
    return layer;
}

/// One image of 5x4 pixels and 2 channels; 3 filters of 3x2, a stride and dilations: 2x3 outputs.
WorkloadConfig small_convolution() {
    WorkloadConfig config;
    config.layer.batch = 1;
    config.layer.height = 5;
    config.layer.width = 4;
    config.layer.channels = 2;
    config.layer.filters = 3;
    config.layer.filter_height = 2;
    config.layer.filter_width = 2;
    config.layer.pad = 0;
    config.layer.pad_width = 1;
    config.layer.stride_height = 2;
    config.layer.stride_width = 1;
    config.layer.stride = 1;
    config.layer.dilation = 2;
    return config;
}

TEST(GivenSizes, OfConvolutionsAreThoseOfTheLayer) {
    WorkloadConfig config = small_convolution();
    constexpr std::size_t kInput = 5 * 4 * 2, kFilters = 3 * 2 * 2 * 2, kOutput = 2 * 4 * 3;
    for (const WorkloadKind kind : {WorkloadKind::kConvolution, WorkloadKind::kSparseConvolution,
                                    WorkloadKind::kDirectConvolution}) {
        config.kind = kind;
        EXPECT_EQ(size_refusal(config, product(kInput, kFilters, kOutput)), "");
        EXPECT_EQ(size_refusal(config, GivenLayer{}), "");
        EXPECT_EQ(size_refusal(config, product(kInput - 1, kFilters, kOutput)),
                  "workload.given.file: got activations of 39 elements, expected 40 as the layer "
                  "has them");
        EXPECT_THAT(size_refusal(config, product(kInput, kFilters + 1, kOutput)),
                    HasSubstr("got weights of 25 elements, expected 24"));
        EXPECT_THAT(size_refusal(config, product(kInput, kFilters, 1)),
                    HasSubstr("got result of 1 elements, expected 24"));
    }
    config.kind = WorkloadKind::kConvolution;
    config.pass = LayerPass::kBackwardData;
    EXPECT_EQ(size_refusal(config, product(kOutput, kFilters, kInput)), "");
    EXPECT_THAT(size_refusal(config, product(kInput, kFilters, kInput)),
                HasSubstr("got activations of 40 elements, expected 24"));
    config.pass = LayerPass::kBackwardWeight;
    EXPECT_THAT(size_refusal(config, GivenLayer{}), HasSubstr("expected forward"));
}

TEST(GivenSizes, OfProductsAndTheirEpilogues) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm.m = 5;
    config.gemm.n = 3;
    config.gemm.k = 2;
    EXPECT_EQ(size_refusal(config, product(10, 6, 15)), "");
    EXPECT_THAT(size_refusal(config, product(10, 10, 15)), HasSubstr("expected 6"));
    using OperandExtent = ProductEpilogue::OperandExtent;
    for (const auto& [place, size] :
         {std::pair(OperandExtent::kColumns, 3), std::pair(OperandExtent::kElements, 15)}) {
        for (const int off : {0, 1}) {
            GivenLayer layer = product(10, 6, 15);
            ProductEpilogue::Operand operand;
            operand.place = place;
            operand.values = halves(static_cast<std::size_t>(size + off));
            ProductEpilogue::Step add;
            add.op = TensorOperator::kAdd;
            add.operand = 0;
            layer.epilogue = std::make_shared<const ProductEpilogue>(
                std::vector<ProductEpilogue::Operand>{operand},
                std::vector<ProductEpilogue::Step>{add});
            EXPECT_THAT(size_refusal(config, layer),
                        HasSubstr(off == 0 ? "" : "got operand 0 of the epilogue of"));
            EXPECT_EQ(size_refusal(config, layer).empty(), off == 0);
        }
    }
}

TEST(GivenSizes, OfOperationsAreThoseOfTheirOperands) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kTensor;
    GivenLayer layer;
    layer.operation = TensorOperation{};
    layer.operation->op = TensorOperator::kAdd;
    layer.operation->operands = {{2, 3}, {3}};
    layer.operands = {halves(6), halves(3)};
    EXPECT_EQ(size_refusal(config, layer), "");
    layer.operands[1] = nullptr;
    EXPECT_EQ(size_refusal(config, layer), "");
    layer.operands[1] = halves(6);
    EXPECT_EQ(
        size_refusal(config, layer),
        "workload.given.file: got operand 1 of Add of 6 elements, expected 3 as the layer has "
        "them");
    layer.operands.pop_back();
    EXPECT_THAT(size_refusal(config, layer), HasSubstr("got 1 operands, expected 2 of Add"));
    layer.operation->operands = {{2, 3}, {4}};
    EXPECT_THAT(size_refusal(config, layer), HasSubstr("expected equal axes"));
    EXPECT_THAT(size_refusal(config, GivenLayer{}), HasSubstr("got a product"));
    config.kind = WorkloadKind::kGemm;
    EXPECT_THAT(size_refusal(config, layer), HasSubstr("expected workload.kind tensor"));
}

TEST(GivenSizes, OfAttentionAreThoseOfItsTokens) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kAttention;
    AttentionConfig& attention = config.attention;
    attention.batch = 2;
    attention.tokens = 3;
    attention.context = 1;
    attention.heads = 2;
    attention.kv_heads = 1;
    attention.head_size = 64;
    constexpr std::size_t kQueries = 2 * 3 * 2 * 64, kKeys = 2 * 4 * 64;
    GivenLayer layer;
    layer.operands = {halves(kQueries), halves(kKeys), halves(kKeys)};
    layer.result = halves(kQueries);
    EXPECT_EQ(size_refusal(config, layer), "");
    attention.mask = AttentionMask::kKeys;
    EXPECT_THAT(size_refusal(config, layer), HasSubstr("got 3 operands, expected 4 of attention"));
    layer.operands.push_back(halves(2 * 4));
    EXPECT_EQ(size_refusal(config, layer), "");
    layer.operands[2] = halves(kKeys - 1);
    EXPECT_THAT(size_refusal(config, layer),
                HasSubstr("got operand 2 of attention of 511 elements, expected 512"));
    layer.operands[2] = nullptr;
    EXPECT_EQ(size_refusal(config, layer), "");
    layer.result = halves(1);
    EXPECT_THAT(size_refusal(config, layer), HasSubstr("got result of 1 elements, expected 768"));
    config.kind = WorkloadKind::kGemm;
    EXPECT_THAT(size_refusal(config, layer), HasSubstr("expected workload.kind attention"));

    config.kind = WorkloadKind::kAttention;
    attention.context = 0;
    attention.layout = AttentionLayout::kPacked;
    layer.operands = {halves(2 * 3 * (2 + 2 * 1) * 64), halves(2 * 3)};
    layer.result = halves(kQueries);
    EXPECT_EQ(size_refusal(config, layer), "");
}

}  // namespace
}  // namespace tessera

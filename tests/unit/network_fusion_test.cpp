// Does a fused network compute what the network computes, in as few nodes as it should?
#include "sc_models/network/fusion.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/fused_network.h"

namespace tessera::network {
namespace {

using test::fused;
using test::noise;
using test::OnnxModel;
using test::operators_of;
using ::testing::ElementsAre;

/// Scale, shift, mean and variance of so many channels.
void add_norm_constants(OnnxModel& model, const std::string& name, std::int64_t channels) {
    const auto count = static_cast<std::size_t>(channels);
    std::vector<float> variance = noise(count, 9);
    for (float& value : variance) value = 1.5F + value;
    model.weights(name + "s", {channels}, noise(count, 6));
    model.weights(name + "b", {channels}, noise(count, 7));
    model.weights(name + "m", {channels}, noise(count, 8));
    model.weights(name + "v", {channels}, variance);
}

OnnxModel& batch_normalization(OnnxModel& model, const std::string& x, const std::string& name,
                               const std::string& y) {
    return model.node("BatchNormalization", {x, name + "s", name + "b", name + "m", name + "v"},
                      {y}, name);
}

TEST(Fusion, AResidualBlockIsTwoNodes) {
    OnnxModel model;
    model.input("x", {1, 4, 5, 5}).weights("w", {4, 4, 3, 3}, noise(144, 1));
    model.weights("w2", {4, 4, 3, 3}, noise(144, 2)).output("y");
    add_norm_constants(model, "n", 4);
    model.node("Conv", {"x", "w"}, {"a"}, "c1").with("pads", {1, 1, 1, 1});
    batch_normalization(model, "a", "n", "b").node("Relu", {"b"}, {"c"}, "r1");
    model.node("Conv", {"c", "w2"}, {"d"}, "c2").with("pads", {1, 1, 1, 1});
    batch_normalization(model, "d", "n", "e");
    model.node("Add", {"e", "x"}, {"f"}, "add").node("Relu", {"f"}, {"y"}, "r2");
    FusionCounts counts;
    const Graph graph = fused(model, counts);
    EXPECT_THAT(operators_of(graph), ElementsAre("Conv+Relu", "Conv+Add+Relu"));
    EXPECT_EQ(counts.batch_normalizations, 2U);
    EXPECT_EQ(counts.epilogue_steps, 3U);
    EXPECT_EQ(graph.nodes[1].name, "c2");
    for (const Node& node : graph.nodes) {
        EXPECT_EQ(node.inputs.size(), 3U) << "input, filters, bias";
    }
}

TEST(Fusion, OfTwoProductsThatAreAddedTheLaterOneTakesTheOther) {
    OnnxModel model;
    model.input("x", {2, 3}).weights("w", {3, 4}, noise(12, 1)).output("y");
    model.node("MatMul", {"x", "w"}, {"a"}).node("MatMul", {"x", "w"}, {"b"});
    model.node("Sub", {"a", "b"}, {"c"}).node("Tanh", {"c"}, {"y"});
    const Graph graph = fused(model);
    EXPECT_THAT(operators_of(graph), ElementsAre("MatMul", "MatMul+Sub+Tanh"));
    EXPECT_EQ(graph.nodes[1].epilogue[0].chained, 1U);
}

TEST(Fusion, ValuesWithAnotherReaderStay) {
    OnnxModel model;
    model.input("x", {2, 3}).weights("w", {3, 4}, noise(12, 1)).output("y").output("a");
    model.node("MatMul", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"y"});
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("MatMul", "Relu"));
}

TEST(Fusion, WhatChangesShapeOrTypeStays) {
    OnnxModel model;
    model.input("x", {1, 3}).input("z", {5, 4}).weights("w", {3, 4}, noise(12, 1)).output("y");
    model.node("MatMul", {"x", "w"}, {"a"}).node("Add", {"a", "z"}, {"y"});
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("MatMul", "Add"));
    model = OnnxModel();
    model.input("x", {1, 3}).weights("w", {3, 4}, noise(12, 1)).weights("k", {1}, {0}).output("y");
    model.node("MatMul", {"x", "w"}, {"a"}).node("Greater", {"a", "k"}, {"y"});
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("MatMul", "Greater"));
}

TEST(Fusion, BatchNormalizationOfGroupsOfATransposedConvolution) {
    OnnxModel model;
    model.input("x", {1, 4, 3, 3}).weights("w", {4, 3, 2, 2}, noise(48, 1)).output("y");
    model.weights("bias", {6}, noise(6, 2));
    add_norm_constants(model, "n", 6);
    model.node("ConvTranspose", {"x", "w", "bias"}, {"a"}).with("group", 2);
    batch_normalization(model, "a", "n", "y");
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("ConvTranspose"));
}

TEST(Fusion, BatchNormalizationOfGroupsOfAConvolution) {
    OnnxModel model;
    model.input("x", {2, 4, 3, 3}).weights("w", {6, 2, 2, 2}, noise(48, 1)).output("y");
    add_norm_constants(model, "n", 6);
    model.node("Conv", {"x", "w"}, {"a"}).with("group", 2);
    batch_normalization(model, "a", "n", "y");
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("Conv"));
}

TEST(Fusion, BatchNormalizationOfAGemm) {
    for (const std::int64_t transposed : {0, 1}) {
        for (const std::int64_t biases : {1, 5}) {
            OnnxModel model;
            const std::vector<std::int64_t> shape =
                transposed != 0 ? std::vector<std::int64_t>{5, 3} : std::vector<std::int64_t>{3, 5};
            model.input("x", {2, 3}).weights("w", shape, noise(15, 1)).output("y");
            model.weights("c", {biases}, noise(static_cast<std::size_t>(biases), 2));
            add_norm_constants(model, "n", 5);
            model.node("Gemm", {"x", "w", "c"}, {"a"}).with("transB", transposed);
            batch_normalization(model, "a", "n", "y");
            EXPECT_THAT(operators_of(fused(model)), ElementsAre("Gemm"));
        }
    }
}

/// C of a Gemm may have numbers for each row, which weights cannot take in.
TEST(Fusion, BatchNormalizationOfAGemmWithABiasOfEveryShape) {
    struct Case {
        std::vector<std::int64_t> shape;
        bool folds;
    };
    for (const std::int64_t m : {1, 4}) {
        const std::vector<Case> cases = {{{}, true},      {{1}, true},    {{4}, true},
                                         {{1, 4}, true},  {{1, 1}, true}, {{m, 1}, m == 1},
                                         {{m, 4}, m == 1}};
        for (const Case& one : cases) {
            for (const bool transposed : {false, true}) {
                SCOPED_TRACE(shape_text(one.shape) + " of " + std::to_string(m) + " rows");
                OnnxModel model;
                model.input("x", {m, 3}).output("y");
                model.weights("w", {transposed ? 4 : 3, transposed ? 3 : 4}, noise(12, 1));
                model.weights("c", one.shape, noise(element_count(one.shape), 2));
                add_norm_constants(model, "n", 4);
                model.node("Gemm", {"x", "w", "c"}, {"a"}, "g").with("transB", transposed ? 1 : 0);
                batch_normalization(model, "a", "n", "y");
                const Graph graph = fused(model);
                EXPECT_THAT(operators_of(graph), one.folds
                                                     ? ElementsAre("Gemm")
                                                     : ElementsAre("Gemm+BatchNormalization"));
            }
        }
    }
}

TEST(Fusion, BatchNormalizationOfAGemmWithFactors) {
    for (const auto& [alpha, beta] : {std::pair(2.0F, 1.0F), {1.0F, 3.0F}, {1.0F, 0.0F}}) {
        OnnxModel model;
        model.input("x", {4, 3}).output("y").weights("w", {3, 4}, noise(12, 1));
        model.weights("c", {4}, noise(4, 2));
        add_norm_constants(model, "n", 4);
        model.node("Gemm", {"x", "w", "c"}, {"a"}, "g").with_real("alpha", alpha);
        model.with_real("beta", beta);
        batch_normalization(model, "a", "n", "y");
        EXPECT_THAT(operators_of(fused(model)), ElementsAre("Gemm+BatchNormalization"));
    }
}

TEST(Fusion, BatchNormalizationOfWhatIsNotConstantStays) {
    OnnxModel model;
    model.input("x", {4, 3}).input("c", {4}).output("y").weights("w", {3, 4}, noise(12, 1));
    add_norm_constants(model, "n", 4);
    model.node("Gemm", {"x", "w", "c"}, {"a"}, "g");
    batch_normalization(model, "a", "n", "y");
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("Gemm+BatchNormalization"));
}

/// Where a rounding decides, the tensor before is rounded.
TEST(Fusion, SteepOperatorsAreNoSteps) {
    for (const char* const operation : {"Ceil", "Exp", "Floor", "Log", "Reciprocal", "Round",
                                        "Sign", "Sqrt", "ThresholdedRelu"}) {
        OnnxModel model;
        model.input("x", {2, 3}).weights("w", {3, 4}, noise(12, 1)).output("y");
        model.node("MatMul", {"x", "w"}, {"a"}).node(operation, {"a"}, {"y"});
        EXPECT_THAT(operators_of(fused(model)), ElementsAre("MatMul", operation));
    }
}

TEST(Fusion, BatchNormalizationBehindAnActivationIsAStep) {
    OnnxModel model;
    model.input("x", {1, 4, 3, 3}).weights("w", {4, 4, 1, 1}, noise(16, 1)).output("y");
    add_norm_constants(model, "n", 4);
    model.node("Conv", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
    batch_normalization(model, "b", "n", "y");
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("Conv+Relu+BatchNormalization"));
}

// Patterns

TEST(Fusion, HalvesAreRoundedOnceBehindTheEpilogue) {
    OnnxModel model;
    constexpr int kHalf = onnx::TensorProto::FLOAT16;
    model.input("x", {1, 2}, kHalf).input("z", {2, 1}, kHalf).input("c", {1, 1}, kHalf);
    model.output("y").node("MatMul", {"x", "z"}, {"a"}).node("Sub", {"a", "c"}, {"y"});
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "");
    // 2048 + 1 is no half; one less 2048 is.
    const std::vector<Tensor> inputs = {Tensor::of_reals({1, 2}, {2048, 1}, ElementType::kHalf),
                                        Tensor::of_reals({2, 1}, {1, 1}, ElementType::kHalf),
                                        Tensor::of_reals({1, 1}, {2048}, ElementType::kHalf)};
    EXPECT_THAT(execute(graph, inputs)[0].reals, ElementsAre(0));
    (void)fuse(graph);
    EXPECT_THAT(execute(graph, inputs)[0].reals, ElementsAre(1));
}

}  // namespace
}  // namespace tessera::network

// Does a fused network compute what the network computes, in as few nodes as it should?
#include "sc_models/network/fusion.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sc_models/common/splitmix.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/transformation_check.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

/// Numbers between -1 and 1.
std::vector<float> noise(std::size_t count, std::uint64_t key) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(splitmix_at(key, i) >> 40U) * 0x1p-23F - 1;
    }
    return values;
}

std::vector<Tensor> inputs_of(const Graph& graph) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs) {
        const TensorType& type = graph.value(id).type;
        inputs.push_back(Tensor::of_reals(type.shape, noise(type.elements(), inputs.size())));
    }
    return inputs;
}

std::vector<std::string> operations_of(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes) {
        names.push_back(node.operation);
        for (const EpilogueStep& step : node.epilogue) names.back() += "+" + step.operation;
    }
    return names;
}

/// The model fused, having compared all its outputs before and after, and each tensor that is left
/// with that of the file.
Graph fused(const OnnxModel& model, FusionCounts& counts, double tolerance = 1e-5) {
    Graph file;
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &file);
    const std::vector<Tensor> expected = execute(graph, inputs_of(graph));
    counts = fuse(graph);
    (void)check_transformation(file, graph, inputs_of(graph));
    const std::vector<Tensor> got = execute(graph, inputs_of(graph));
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].type, expected[i].type);
        for (std::size_t x = 0; x < got[i].reals.size(); ++x) {
            if (std::isnan(got[i].reals[x]) && std::isnan(expected[i].reals[x])) continue;
            EXPECT_NEAR(got[i].reals[x], expected[i].reals[x], tolerance) << i << " " << x;
        }
    }
    return graph;
}

Graph fused(const OnnxModel& model) {
    FusionCounts counts;
    return fused(model, counts);
}

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
    EXPECT_THAT(operations_of(graph), ElementsAre("Conv+Relu", "Conv+Add+Relu"));
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
    EXPECT_THAT(operations_of(graph), ElementsAre("MatMul", "MatMul+Sub+Tanh"));
    EXPECT_EQ(graph.nodes[1].epilogue[0].chained, 1U);
}

TEST(Fusion, ValuesWithAnotherReaderStay) {
    OnnxModel model;
    model.input("x", {2, 3}).weights("w", {3, 4}, noise(12, 1)).output("y").output("a");
    model.node("MatMul", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"y"});
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("MatMul", "Relu"));
}

TEST(Fusion, WhatChangesShapeOrTypeStays) {
    OnnxModel model;
    model.input("x", {1, 3}).input("z", {5, 4}).weights("w", {3, 4}, noise(12, 1)).output("y");
    model.node("MatMul", {"x", "w"}, {"a"}).node("Add", {"a", "z"}, {"y"});
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("MatMul", "Add"));
    model = OnnxModel();
    model.input("x", {1, 3}).weights("w", {3, 4}, noise(12, 1)).weights("k", {1}, {0}).output("y");
    model.node("MatMul", {"x", "w"}, {"a"}).node("Greater", {"a", "k"}, {"y"});
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("MatMul", "Greater"));
}

TEST(Fusion, BatchNormalizationOfGroupsOfATransposedConvolution) {
    OnnxModel model;
    model.input("x", {1, 4, 3, 3}).weights("w", {4, 3, 2, 2}, noise(48, 1)).output("y");
    model.weights("bias", {6}, noise(6, 2));
    add_norm_constants(model, "n", 6);
    model.node("ConvTranspose", {"x", "w", "bias"}, {"a"}).with("group", 2);
    batch_normalization(model, "a", "n", "y");
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("ConvTranspose"));
}

TEST(Fusion, BatchNormalizationOfGroupsOfAConvolution) {
    OnnxModel model;
    model.input("x", {2, 4, 3, 3}).weights("w", {6, 2, 2, 2}, noise(48, 1)).output("y");
    add_norm_constants(model, "n", 6);
    model.node("Conv", {"x", "w"}, {"a"}).with("group", 2);
    batch_normalization(model, "a", "n", "y");
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("Conv"));
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
            EXPECT_THAT(operations_of(fused(model)), ElementsAre("Gemm"));
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
                EXPECT_THAT(operations_of(graph), one.folds
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
        EXPECT_THAT(operations_of(fused(model)), ElementsAre("Gemm+BatchNormalization"));
    }
}

TEST(Fusion, BatchNormalizationOfWhatIsNotConstantStays) {
    OnnxModel model;
    model.input("x", {4, 3}).input("c", {4}).output("y").weights("w", {3, 4}, noise(12, 1));
    add_norm_constants(model, "n", 4);
    model.node("Gemm", {"x", "w", "c"}, {"a"}, "g");
    batch_normalization(model, "a", "n", "y");
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("Gemm+BatchNormalization"));
}

/// Where a rounding decides, the tensor before is rounded.
TEST(Fusion, SteepOperatorsAreNoSteps) {
    for (const char* const operation : {"Ceil", "Exp", "Floor", "Log", "Reciprocal", "Round",
                                        "Sign", "Sqrt", "ThresholdedRelu"}) {
        OnnxModel model;
        model.input("x", {2, 3}).weights("w", {3, 4}, noise(12, 1)).output("y");
        model.node("MatMul", {"x", "w"}, {"a"}).node(operation, {"a"}, {"y"});
        EXPECT_THAT(operations_of(fused(model)), ElementsAre("MatMul", operation));
    }
}

TEST(Fusion, BatchNormalizationBehindAnActivationIsAStep) {
    OnnxModel model;
    model.input("x", {1, 4, 3, 3}).weights("w", {4, 4, 1, 1}, noise(16, 1)).output("y");
    add_norm_constants(model, "n", 4);
    model.node("Conv", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
    batch_normalization(model, "b", "n", "y");
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("Conv+Relu+BatchNormalization"));
}

// Patterns

TEST(Fusion, GeluInBothOrders) {
    for (const bool half_first : {true, false}) {
        OnnxModel model;
        model.input("x", {3, 4}).output("y").weights("root", {1}, {std::sqrt(2.0F)});
        model.weights("one", {1}, {1}).weights("half", {1}, {0.5F});
        model.node("Div", {"x", "root"}, {"a"}).node("Erf", {"a"}, {"b"});
        model.node("Add", {"b", "one"}, {"c"});
        if (half_first) {
            model.node("Mul", {"x", "half"}, {"d"}).node("Mul", {"d", "c"}, {"y"});
        } else {
            model.node("Mul", {"x", "c"}, {"d"}).node("Mul", {"d", "half"}, {"y"});
        }
        FusionCounts counts;
        EXPECT_THAT(operations_of(fused(model, counts)), ElementsAre("Gelu"));
        EXPECT_EQ(counts.patterns, 1U);
    }
}

OnnxModel normalization(std::int64_t axis, float exponent,
                        const std::vector<std::int64_t>& shape = {}) {
    OnnxModel model;
    model.input("x", {2, 3, 4}).output("y").weights("two", {}, {exponent});
    model.weights("epsilon", shape, {1e-3F}).weights("g", {4}, noise(4, 1));
    model.weights("b", {4}, noise(4, 2));
    model.node("ReduceMean", {"x"}, {"m"}).with("axes", std::vector<std::int64_t>{axis});
    model.node("Sub", {"x", "m"}, {"d"}).node("Pow", {"d", "two"}, {"p"});
    model.node("ReduceMean", {"p"}, {"v"}).with("axes", std::vector<std::int64_t>{axis});
    model.node("Add", {"v", "epsilon"}, {"e"}).node("Sqrt", {"e"}, {"s"});
    model.node("Div", {"d", "s"}, {"n"}).node("Mul", {"n", "g"}, {"k"});
    return model.node("Add", {"k", "b"}, {"y"});
}

/// Gelu by these constants, each of a shape.
OnnxModel gelu(float root, float one, float half, const std::vector<std::int64_t>& shape = {}) {
    OnnxModel model;
    model.input("x", {3}).output("y").weights("root", shape, {root});
    model.weights("one", shape, {one}).weights("half", shape, {half});
    model.node("Div", {"x", "root"}, {"a"}).node("Erf", {"a"}, {"b"});
    model.node("Add", {"b", "one"}, {"c"}).node("Mul", {"x", "c"}, {"d"});
    return model.node("Mul", {"d", "half"}, {"y"});
}

bool is_one_node(const OnnxModel& model) {
    return fused(model).nodes.size() == 1;
}

TEST(Fusion, ConstantsOfPatternsAreThoseOfTheOperator) {
    const auto root = static_cast<float>(std::sqrt(2.0));
    EXPECT_TRUE(is_one_node(gelu(root, 1, 0.5F)));
    EXPECT_TRUE(is_one_node(gelu(std::nextafter(root, 2.0F), 1, 0.5F)));
    EXPECT_FALSE(is_one_node(gelu(root * (1 + 0x1p-20F), 1, 0.5F)));
    EXPECT_FALSE(is_one_node(gelu(1.4142F, 1, 0.5F)));
    EXPECT_FALSE(is_one_node(gelu(root, std::nextafter(1.0F, 2.0F), 0.5F)));
    EXPECT_FALSE(is_one_node(gelu(root, 1, 0.5004F)));
    EXPECT_TRUE(is_one_node(normalization(-1, 2)));
    EXPECT_FALSE(is_one_node(normalization(-1, 2.001F)));
    for (const float alpha : {1.0F / 6, 0.16665F}) {
        OnnxModel model;
        model.input("x", {3}).output("y").node("HardSigmoid", {"x"}, {"a"});
        model.with_real("alpha", alpha).node("Mul", {"x", "a"}, {"y"});
        EXPECT_EQ(is_one_node(model), alpha == 1.0F / 6);
    }
}

/// x clip(x + 3, 0, 6) / 6.
OnnxModel hard_swish(float shift, float sixth, const std::vector<std::int64_t>& shape) {
    OnnxModel model;
    model.input("x", {3}).output("y").weights("k", shape, {shift}).weights("six", shape, {sixth});
    model.weights("low", {}, {0}).weights("high", {}, {6});
    model.node("Add", {"x", "k"}, {"a"}).node("Clip", {"a", "low", "high"}, {"b"});
    return model.node("Mul", {"x", "b"}, {"c"}).node("Div", {"c", "six"}, {"y"});
}

TEST(Fusion, HardSwishOfOtherConstantsIsNone) {
    EXPECT_TRUE(is_one_node(hard_swish(3, 6, {})));
    EXPECT_FALSE(is_one_node(hard_swish(3.002F, 6, {})));
    EXPECT_FALSE(is_one_node(hard_swish(3, 6.005F, {})));
}

/// Constants with more sides than x give the result more sides.
TEST(Fusion, PatternsKeepTheShapeOfTheirResult) {
    EXPECT_TRUE(is_one_node(gelu(static_cast<float>(std::sqrt(2.0)), 1, 0.5F, {1})));
    EXPECT_FALSE(is_one_node(gelu(static_cast<float>(std::sqrt(2.0)), 1, 0.5F, {1, 1})));
    EXPECT_TRUE(is_one_node(hard_swish(3, 6, {1})));
    EXPECT_FALSE(is_one_node(hard_swish(3, 6, {1, 1})));
    EXPECT_FALSE(is_one_node(normalization(-1, 2, {1, 1, 1, 1})));
}

TEST(Fusion, ClipWithBoundsThatAreComputedIsNoPattern) {
    OnnxModel model;
    model.input("x", {3}).input("high", {}).output("y").weights("k", {}, {3});
    model.weights("six", {}, {6}).weights("low", {}, {0});
    model.node("Add", {"x", "k"}, {"a"}).node("Clip", {"a", "low", "high"}, {"b"});
    model.node("Mul", {"x", "b"}, {"c"}).node("Div", {"c", "six"}, {"y"});
    EXPECT_EQ(fused(model).nodes.size(), 4U);
}

/// A tensor inside a pattern is still computed apart if another node reads it or it is an output.
TEST(Fusion, TensorsInTheMiddleOfAPatternStayIfTheyAreRead) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y").output("a").output("z").node("Sigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"y"}).node("Neg", {"a"}, {"z"});
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("Sigmoid", "Swish", "Neg"));
}

TEST(Fusion, SwishAndHardSwish) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y").node("Sigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"b"}).node("HardSigmoid", {"b"}, {"c"});
    model.with_real("alpha", 1.0F / 6).node("Mul", {"c", "b"}, {"y"});
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("Swish", "HardSwish"));
    model = OnnxModel();
    model.input("x", {3, 4}).output("y").node("HardSigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"y"});  // of another slope
    EXPECT_THAT(operations_of(fused(model)), ElementsAre("HardSigmoid", "Mul"));
}

TEST(Fusion, LayerNormalization) {
    EXPECT_THAT(operations_of(fused(normalization(-1, 2))), ElementsAre("LayerNormalization"));
    // Along another side, and of another exponent, it is none.
    EXPECT_EQ(fused(normalization(1, 2)).nodes.size(), 9U);
    EXPECT_EQ(fused(normalization(-1, 4)).nodes.size(), 9U);
}

using Axes = std::vector<std::int64_t>;

/// (x - mean) / sqrt(variance + epsilon) scale + shift of a 2x3x4 tensor. The means that are
/// subtracted above and below the line, and the variance, are over axes of their own.
OnnxModel normalization_over(const Axes& above, const Axes& below, const Axes& variance,
                             const std::vector<std::int64_t>& row) {
    const auto elements = static_cast<std::size_t>(element_count(row));
    OnnxModel model;
    model.input("x", {2, 3, 4}).output("y").weights("epsilon", {}, {1e-3F});
    model.weights("g", row, noise(elements, 1)).weights("b", row, noise(elements, 2));
    model.node("ReduceMean", {"x"}, {"m"}).with("axes", above).node("Sub", {"x", "m"}, {"d"});
    model.node("ReduceMean", {"x"}, {"n"}).with("axes", below).node("Sub", {"x", "n"}, {"c"});
    model.node("Mul", {"c", "c"}, {"p"});
    model.node("ReduceMean", {"p"}, {"v"}).with("axes", variance);
    model.node("Add", {"v", "epsilon"}, {"e"}).node("Sqrt", {"e"}, {"s"});
    model.node("Div", {"d", "s"}, {"q"}).node("Mul", {"q", "g"}, {"k"});
    return model.node("Add", {"k", "b"}, {"y"});
}

/// It is over all axes from one on, and both means and the variance are over the same ones.
TEST(Fusion, LayerNormalizationIsOverTheSameLastAxes) {
    const Axes last = {2}, last_two = {-1, 1};
    const auto is_one = testing::ElementsAre("LayerNormalization");
    EXPECT_THAT(operations_of(fused(normalization_over(last, last, last, {4}))), is_one);
    EXPECT_THAT(operations_of(fused(normalization_over(last_two, last_two, last_two, {3, 4}))),
                is_one);
    const std::size_t apart = 11;
    for (const Axes& other : {Axes{1}, Axes{0}, Axes{0, 2}, Axes{0, 1}}) {
        for (const Axes& row : {Axes{2, 3, 4}, Axes{3, 4}, Axes{4}}) {
            EXPECT_EQ(fused(normalization_over(other, other, other, row)).nodes.size(), apart);
        }
    }
    for (const Axes& row : {Axes{3, 4}, Axes{4}}) {
        EXPECT_EQ(fused(normalization_over(last, last, last_two, row)).nodes.size(), apart);
        EXPECT_EQ(fused(normalization_over(last_two, last_two, last, row)).nodes.size(), apart);
        EXPECT_EQ(fused(normalization_over(last, last_two, last, row)).nodes.size(), apart);
        EXPECT_EQ(fused(normalization_over(last_two, last, last, row)).nodes.size(), apart);
    }
}

/// x / sqrt(mean(x^2) + epsilon) scale of a 2x3x4 tensor, by a quotient, or a product with a
/// reciprocal.
OnnxModel root_mean_square(const std::string& inverse, std::int64_t axis,
                           int type = onnx::TensorProto::FLOAT) {
    OnnxModel model;
    model.input("z", {2, 3, 4}).output("w").weights("e", {}, {1e-3F}).weights("one", {}, {1});
    model.weights("two", {}, {2}).weights("h", {4}, noise(4, 1));
    model.node("Cast", {"z"}, {"x"}).with("to", type).node("Cast", {"h"}, {"g"}).with("to", type);
    model.node("Cast", {"e"}, {"epsilon"}).with("to", type);
    model.node("Cast", {"two"}, {"exponent"}).with("to", type);
    model.node("Pow", {"x", "exponent"}, {"p"});
    model.node("ReduceMean", {"p"}, {"m"}).with("axes", std::vector<std::int64_t>{axis});
    model.node("Add", {"m", "epsilon"}, {"f"}).node("Sqrt", {"f"}, {"s"});
    if (inverse == "Div") {
        model.node("Div", {"x", "s"}, {"q"});
    } else {
        if (inverse == "Reciprocal") model.node("Reciprocal", {"s"}, {"r"});
        if (inverse == "quotient") model.node("Div", {"one", "s"}, {"r"});
        model.node("Mul", {"r", "x"}, {"q"});
    }
    model.node("Mul", {"q", "g"}, {"y"});
    return model.node("Cast", {"y"}, {"w"}).with("to", onnx::TensorProto::FLOAT);
}

TEST(Fusion, RmsNormalization) {
    const auto is_one = Contains("RMSNormalization");
    for (const std::string inverse : {"Div", "Reciprocal", "quotient"}) {
        const std::vector<std::string> all = operations_of(fused(root_mean_square(inverse, 2)));
        EXPECT_THAT(all, is_one);
        EXPECT_THAT(all, Not(Contains("Sqrt")));
        EXPECT_THAT(operations_of(fused(root_mean_square(inverse, 1))), Not(is_one));
    }
    const OnnxModel halves = root_mean_square("Div", 2, onnx::TensorProto::FLOAT16);
    FusionCounts counts;
    EXPECT_THAT(operations_of(fused(halves, counts, 1e-2)), Not(is_one));
}

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

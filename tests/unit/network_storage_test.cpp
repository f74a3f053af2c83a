// Are networks rounded to halves and pruned as documented?
#include "sc_models/network/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using testing::ElementsAre;

Graph read(const OnnxModel& model) {
    return parse_onnx(model.bytes(), "small.onnx", "", {});
}

const Value& value_of(const Graph& graph, const std::string& name) {
    for (const Value& value : graph.values) {
        if (value.name == name) return value;
    }
    throw std::out_of_range(name);
}

/// The weights of a product behind pruning; they lie as 1 x shape.
std::vector<float> pruned(const std::string& how, OnnxModel model) {
    Graph graph = read(model);
    prune(graph, *pruning_of(how, "--prune"));
    return value_of(graph, "w").constant->reals;
}

OnnxModel product(std::int64_t rows, std::int64_t columns, const std::vector<float>& weights) {
    OnnxModel model;
    model.input("x", {1, rows}).output("y").weights("w", {rows, columns}, weights);
    model.node("MatMul", {"x", "w"}, {"y"});
    return model;
}

TEST(Storage, HalvesSaturateAndShapesStay) {
    OnnxModel model;
    model.input("x", {1, 1, 2, 2}).output("y");
    model.weights("w", {1, 1, 2, 2}, {3.4e38F, -3.4e38F, 1.0F + 0x1p-12F, 65519});
    model.weights("scales", {4}, {1, 1, 1.1F, 2});
    model.node("Mul", {"x", "w"}, {"a"}).node("Cast", {"a"}, {"b"}).with("to", 1);
    model.node("Resize", {"b", "", "scales"}, {"y"});
    Graph graph = read(model);
    store_as_halves(graph);
    EXPECT_THAT(value_of(graph, "w").constant->reals, ElementsAre(65504, -65504, 1, 65504));
    EXPECT_EQ(value_of(graph, "w").type.type, ElementType::kHalf);
    EXPECT_EQ(value_of(graph, "scales").type.type, ElementType::kFloat);
    EXPECT_EQ(value_of(graph, "scales").constant->reals[2], 1.1F);
    for (const char* const name : {"x", "a", "b", "y"}) {
        EXPECT_EQ(value_of(graph, name).type.type, ElementType::kHalf) << name;
    }
}

/// BF16 has eight significant digits and the range of FP32; casts of the file make the same type.
TEST(Storage, HalvesMayBeBf16) {
    OnnxModel model;
    model.input("x", {1, 4}).output("y");
    model.weights("w", {4}, {3.4028235e38F, -3e38F, 1.0F + 0x1p-9F, 1.0F + 3 * 0x1p-8F});
    model.node("Mul", {"x", "w"}, {"a"}).node("Cast", {"a"}, {"b"}).with("to", 10);
    model.node("Relu", {"b"}, {"y"});
    Graph graph = read(model);
    EXPECT_EQ(half_type_of(graph, {ProductNumbers::kReal, false, true}), ElementType::kHalf);
    store_as_halves(graph, {}, ElementType::kBf16);
    const std::vector<float>& weights = value_of(graph, "w").constant->reals;
    EXPECT_THAT(weights, ElementsAre(0x1.fep127F, -0x1.c4p127F, 1, 1.015625F));
    for (const char* const name : {"x", "w", "a", "b", "y"}) {
        EXPECT_EQ(value_of(graph, name).type.type, ElementType::kBf16) << name;
    }
    EXPECT_EQ(half_type_of(graph, {ProductNumbers::kReal, false, true}), ElementType::kBf16);
    EXPECT_EQ(half_type_of(graph, {}), ElementType::kHalf) << "no product of the machine";
    store_as_halves(graph);
    EXPECT_THAT(value_of(graph, "w").constant->reals, ElementsAre(65504, -65504, 1, 1.015625F));
}

/// A scale of 1e-9 is no half; another reader of the same constant takes the nearest one.
TEST(Storage, ScalesOfConversionsStay) {
    OnnxModel model;
    model.input("x", {2}).output("y").output("p").weights("s", {}, {1e-9F});
    model.node("QuantizeLinear", {"x", "s"}, {"q"}).node("DequantizeLinear", {"q", "s"}, {"y"});
    model.node("Mul", {"x", "s"}, {"p"});
    Graph graph = read(model);
    store_as_halves(graph);
    for (const Node& node : graph.nodes) {
        const Value& scale = graph.value(node.inputs.at(1));
        const bool multiplies = node.operation == "Mul";
        EXPECT_EQ(scale.type.type, multiplies ? ElementType::kHalf : ElementType::kFloat);
        EXPECT_EQ(scale.constant->reals.at(0), multiplies ? 0 : 1e-9F) << node.operation;
    }
    EXPECT_EQ(value_of(graph, "q").type.type, ElementType::kUint8);
    EXPECT_EQ(value_of(graph, "y").type.type, ElementType::kHalf);
}

TEST(Storage, InfinitiesOfConstantsBecomeTheLargestHalf) {
    OnnxModel model;
    model.input("x", {3}).output("y");
    model.weights("w", {3}, {INFINITY, -INFINITY, 0});
    model.node("Add", {"x", "w"}, {"y"});
    Graph graph = read(model);
    store_as_halves(graph);
    EXPECT_THAT(value_of(graph, "w").constant->reals, ElementsAre(65504, -65504, 0));
}

TEST(Storage, AFractionOfEachTensorIsPruned) {
    const OnnxModel model = product(2, 4, {1, -8, 3, -2, 4, -5, 6, 7});
    EXPECT_THAT(pruned("0.5", model), ElementsAre(0, -8, 0, 0, 0, -5, 6, 7));
    EXPECT_THAT(pruned("0", model), ElementsAre(1, -8, 3, -2, 4, -5, 6, 7));
    EXPECT_THAT(pruned("1", model), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
    // 3.2 of 8 stay, which is 3.
    EXPECT_THAT(pruned("0.6", model), ElementsAre(0, -8, 0, 0, 0, 0, 6, 7));
}

TEST(Storage, OfEqualMagnitudesTheFirstStay) {
    EXPECT_THAT(pruned("0.5", product(4, 1, {1, -1, 1, -1})), ElementsAre(1, -1, 0, 0));
    EXPECT_THAT(pruned("1:2", product(4, 1, {-2, 2, 3, 3})), ElementsAre(-2, 0, 3, 0));
}

/// The rows of a right matrix meet one output's inputs; the last group is what is left.
TEST(Storage, NOfMInputsInARowStay) {
    EXPECT_THAT(pruned("2:4", product(5, 2, {1, 8, 2, 7, 3, 6, 4, 5, 9, 9})),
                ElementsAre(0, 8, 0, 7, 3, 0, 4, 0, 9, 9));
    EXPECT_THAT(pruned("0:2", product(2, 2, {1, 2, 3, 4})), ElementsAre(0, 0, 0, 0));
}

/// Channels under a tap, of a filter.
TEST(Storage, NOfMOfConvolutionsAreChannels) {
    OnnxModel model;
    model.input("x", {1, 4, 1, 2}).output("y");
    model.weights("w", {1, 4, 1, 2}, {1, 8, 2, 7, 3, 6, 4, 5});
    model.node("Conv", {"x", "w"}, {"y"});
    EXPECT_THAT(pruned("1:2", model), ElementsAre(0, 8, 2, 0, 0, 6, 4, 0));
    OnnxModel transposed;
    transposed.input("x", {1, 2, 1, 1}).output("y");
    transposed.weights("w", {2, 3, 1, 1}, {1, 5, 3, 4, 2, 6});
    transposed.node("ConvTranspose", {"x", "w"}, {"y"});
    EXPECT_THAT(pruned("1:2", transposed), ElementsAre(0, 5, 0, 4, 0, 6));
    OnnxModel gemm;
    gemm.input("x", {1, 4}).output("y").weights("w", {1, 4}, {1, 8, 2, 7});
    gemm.node("Gemm", {"x", "w"}, {"y"}).with("transB", 1);
    EXPECT_THAT(pruned("1:2", gemm), ElementsAre(0, 8, 0, 7));
}

/// A tensor that two products share is pruned once; biases and what is no product stay.
TEST(Storage, OnlyWeightsArePruned) {
    OnnxModel model;
    model.input("x", {1, 2}).output("y");
    model.weights("w", {2, 2}, {4, 3, 2, 1}).weights("c", {2}, {1, 2});
    model.node("MatMul", {"x", "w"}, {"a"}).node("Gemm", {"a", "w", "c"}, {"b"});
    model.node("Mul", {"b", "c"}, {"y"});
    Graph graph = read(model);
    prune(graph, *pruning_of("0.5", "--prune"));
    EXPECT_THAT(value_of(graph, "w").constant->reals, ElementsAre(4, 3, 0, 0));
    EXPECT_THAT(value_of(graph, "c").constant->reals, ElementsAre(1, 2));
}

TEST(Storage, WhatPruningCanBe) {
    EXPECT_FALSE(pruning_of("none", "--prune").has_value());
    EXPECT_EQ(pruning_of("0.25", "--prune")->fraction, 0.25);
    EXPECT_EQ(pruning_of("1:16", "--prune")->kept, 1U);
    EXPECT_EQ(pruning_of("1:16", "--prune")->of, 16U);
    for (const char* const text : {"", "2", "-0.1", "0.5x", "nan", "inf", "4:2", "2:2", "2:", ":4",
                                   "2:4:8", "-1:4", "2:4 ", "1:1025", "half"}) {
        try {
            (void)pruning_of(text, "--prune");
            ADD_FAILURE() << text;
        } catch (const ConfigError& error) {
            EXPECT_EQ(error.what(), "--prune: got '" + std::string(text) +
                                        "', expected none, a fraction from 0 to 1 (0.8) or N:M "
                                        "(2:4)");
        }
    }
}

}  // namespace
}  // namespace tessera::network

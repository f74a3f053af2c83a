// Which tensors of a network lie channels last, and do tensors come back from another order?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/onnx_model.h"

namespace tessera {
namespace {

using network::Graph;
using network::Shape;
using network::ValueId;
using test::OnnxModel;
using testing::ElementsAre;

Graph graph_of(const OnnxModel& model) {
    return network::parse_onnx(model.bytes(), "small.onnx", "", {});
}

bool is_last(const Graph& graph, const std::string& name) {
    const Layouts layouts(graph);
    for (std::uint32_t i = 0; i < graph.values.size(); ++i) {
        if (graph.values[i].name == name) return layouts.channels_last(ValueId(i));
    }
    throw std::out_of_range(name);
}

TEST(Layouts, GoOnFromConvolutions) {
    OnnxModel model;
    model.input("x", {1, 2, 4, 4}).input("z", {1, 2, 4, 4}).output("y");
    model.weights("w", {2, 2, 1, 1}, {1, 2, 3, 4}).weights("scale", {2, 1, 1}, {1, 2});
    model.node("Conv", {"x", "w"}, {"conv"}).node("Relu", {"conv"}, {"relu"});
    model.node("Mul", {"relu", "scale"}, {"mul"}).node("Add", {"mul", "z"}, {"add"});
    model.node("Concat", {"add", "z"}, {"concat"}).with("axis", 1);
    model.node("ReduceMean", {"concat"}, {"mean"});
    model.node("ReduceMean", {"concat"}, {"means"}).with("keepdims", 0);
    model.node("Softmax", {"concat"}, {"softmax"}).node("Relu", {"softmax"}, {"behind"});
    model.node("Relu", {"z"}, {"apart"}).node("Relu", {"means"}, {"vector"});
    model.node("Relu", {"mean"}, {"y"});
    const Graph graph = graph_of(model);
    for (const char* const name : {"x", "conv", "relu", "mul", "add", "concat", "mean", "y"}) {
        EXPECT_TRUE(is_last(graph, name)) << name;
    }
    for (const char* const name :
         {"z", "w", "scale", "means", "softmax", "behind", "apart", "vector"}) {
        EXPECT_FALSE(is_last(graph, name)) << name;
    }
}

TEST(Layouts, GoOnFromConvolutionsOfEveryRank) {
    for (const std::size_t sides : {1U, 2U, 3U}) {
        Shape x = {1, 2}, w = {2, 2};
        x.insert(x.end(), sides, 4);
        w.insert(w.end(), sides, 1);
        OnnxModel model;
        model.input("x", x).weights("w", w, {1, 2, 3, 4}).output("y");
        model.node("Conv", {"x", "w"}, {"conv"}).node("Relu", {"conv"}, {"y"});
        const Graph graph = graph_of(model);
        for (const char* const name : {"x", "conv", "y"}) {
            EXPECT_TRUE(is_last(graph, name)) << name << " of " << sides << " sides";
        }
    }
}

TEST(Layouts, MatricesHaveOne) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y");
    for (const char* const name : {"s", "b", "m", "v"}) model.weights(name, {4}, {1, 2, 3, 4});
    model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"});
    EXPECT_FALSE(is_last(graph_of(model), "x"));
    EXPECT_FALSE(is_last(graph_of(model), "y"));
    EXPECT_FALSE(has_two_layouts({3, 4}));
    EXPECT_FALSE(has_two_layouts({3, 1, 5, 5}));
    EXPECT_FALSE(has_two_layouts({3, 4, 1, 1}));
    EXPECT_TRUE(has_two_layouts({1, 4, 5}));
    EXPECT_THAT(channels_last_order(5), ElementsAre(0, 2, 3, 4, 1));
}

PlacedTensor counting(const Shape& shape) {
    std::vector<HalfBits> halves(network::element_count(shape));
    std::iota(halves.begin(), halves.end(), HalfBits{0});
    PlacedTensor tensor;
    tensor.shape = shape;
    tensor.elements = std::make_shared<const std::vector<HalfBits>>(std::move(halves));
    return tensor;
}

TEST(PlacedTensor, ComesBackFromTheOtherOrder) {
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{2, 3, 2, 4}, Shape{1, 5, 2, 1, 3},
                               Shape{2, 1, 4}, Shape{4, 5}, Shape{7}, Shape{}}) {
        const PlacedTensor tensor = counting(shape);
        const PlacedTensor last = tensor.with_channels_last(true);
        EXPECT_EQ(last.shape, shape);
        EXPECT_TRUE(last.channels_last);
        const PlacedTensor back = last.with_channels_last(false);
        EXPECT_EQ(*back.elements, *tensor.elements);
        EXPECT_EQ(*last.with_channels_last(true).elements, *last.elements);
    }
}

TEST(PlacedTensor, ReportsWhereItsSidesAre) {
    const PlacedTensor last = counting({2, 3, 1, 4}).with_channels_last(true);
    EXPECT_THAT(last.sides(), ElementsAre(2, 1, 4, 3));
    EXPECT_THAT(
        (std::vector<std::uint32_t>{last.side(0), last.side(1), last.side(2), last.side(3)}),
        ElementsAre(0, 3, 1, 2));
    // Channel 2 of pixel 1 of image 1.
    EXPECT_EQ((*last.elements)[12 + 1 * 3 + 2], 12 + 2 * 4 + 1);
    EXPECT_EQ(last.bytes(), 48U);
    EXPECT_THAT(last.with_sides(5).sides(), ElementsAre(1, 2, 3, 1, 4));
    EXPECT_THAT(counting({4}).with_sides(3).sides(), ElementsAre(1, 1, 4));
}

TEST(PlacedTensor, UnknownElementsStayUnknown) {
    PlacedTensor tensor = counting({2, 3, 4});
    EXPECT_DOUBLE_EQ(tensor.zeros(), 1 / 24.0);
    tensor.elements = nullptr;
    EXPECT_EQ(tensor.with_channels_last(true).elements, nullptr);
    EXPECT_EQ(tensor.zeros(), -1);
    EXPECT_EQ(permuted(nullptr, {2, 3}, {1, 0}), nullptr);
    EXPECT_EQ(elements_of(nullptr), nullptr);
    tensor.elements =
        std::make_shared<std::vector<HalfBits>>(std::vector<HalfBits>{0, 0x8000, 1, 2});
    EXPECT_EQ(tensor.zeros(), 0.5);  // of both signs
}

TEST(PlacedTensor, PermutationsComeBack) {
    const PlacedTensor tensor = counting({2, 3, 4});
    const GivenLayer::Elements turned = permuted(tensor.elements, {2, 3, 4}, {2, 0, 1});
    EXPECT_EQ((*turned)[3 * 6 + 1 * 3 + 2], 1 * 12 + 2 * 4 + 3);
    EXPECT_EQ(*permuted(turned, {4, 2, 3}, {1, 2, 0}), *tensor.elements);
}

}  // namespace
}  // namespace tessera

// Which groups of nodes are taken as one operator, and do they compute the same?
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "sc_models/network/fusion.h"
#include "tests/support/fused_network.h"

namespace tessera::network {
namespace {

using test::fused;
using test::noise;
using test::OnnxModel;
using test::operators_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(Patterns, GeluInBothOrders) {
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
        EXPECT_THAT(operators_of(fused(model, counts)), ElementsAre("Gelu"));
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

TEST(Patterns, ConstantsOfPatternsAreThoseOfTheOperator) {
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

TEST(Patterns, HardSwishOfOtherConstantsIsNone) {
    EXPECT_TRUE(is_one_node(hard_swish(3, 6, {})));
    EXPECT_FALSE(is_one_node(hard_swish(3.002F, 6, {})));
    EXPECT_FALSE(is_one_node(hard_swish(3, 6.005F, {})));
}

/// Constants with more sides than x give the result more sides.
TEST(Patterns, PatternsKeepTheShapeOfTheirResult) {
    EXPECT_TRUE(is_one_node(gelu(static_cast<float>(std::sqrt(2.0)), 1, 0.5F, {1})));
    EXPECT_FALSE(is_one_node(gelu(static_cast<float>(std::sqrt(2.0)), 1, 0.5F, {1, 1})));
    EXPECT_TRUE(is_one_node(hard_swish(3, 6, {1})));
    EXPECT_FALSE(is_one_node(hard_swish(3, 6, {1, 1})));
    EXPECT_FALSE(is_one_node(normalization(-1, 2, {1, 1, 1, 1})));
}

TEST(Patterns, ClipWithBoundsThatAreComputedIsNoPattern) {
    OnnxModel model;
    model.input("x", {3}).input("high", {}).output("y").weights("k", {}, {3});
    model.weights("six", {}, {6}).weights("low", {}, {0});
    model.node("Add", {"x", "k"}, {"a"}).node("Clip", {"a", "low", "high"}, {"b"});
    model.node("Mul", {"x", "b"}, {"c"}).node("Div", {"c", "six"}, {"y"});
    EXPECT_EQ(fused(model).nodes.size(), 4U);
}

/// A tensor inside a pattern is still computed apart if another node reads it or it is an output.
TEST(Patterns, TensorsInTheMiddleOfAPatternStayIfTheyAreRead) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y").output("a").output("z").node("Sigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"y"}).node("Neg", {"a"}, {"z"});
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("Sigmoid", "Swish", "Neg"));
}

TEST(Patterns, SwishAndHardSwish) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y").node("Sigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"b"}).node("HardSigmoid", {"b"}, {"c"});
    model.with_real("alpha", 1.0F / 6).node("Mul", {"c", "b"}, {"y"});
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("Swish", "HardSwish"));
    model = OnnxModel();
    model.input("x", {3, 4}).output("y").node("HardSigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"y"});  // of another slope
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("HardSigmoid", "Mul"));
}

TEST(Patterns, LayerNormalization) {
    FusionCounts counts;
    EXPECT_THAT(operators_of(fused(normalization(-1, 2), counts)),
                ElementsAre("LayerNormalization"));
    EXPECT_EQ(counts.patterns, 1U) << "without the RMSNormalization in it";
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
TEST(Patterns, LayerNormalizationIsOverTheSameLastAxes) {
    const Axes last = {2}, last_two = {-1, 1};
    const auto is_one = testing::ElementsAre("LayerNormalization");
    EXPECT_THAT(operators_of(fused(normalization_over(last, last, last, {4}))), is_one);
    EXPECT_THAT(operators_of(fused(normalization_over(last_two, last_two, last_two, {3, 4}))),
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

/// A LayerNormalization without its shift is an RMSNormalization of what is left of the mean.
TEST(Patterns, LayerNormalizationWithoutAShift) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y").weights("e", {}, {1e-3F}).weights("g", {4}, noise(4, 1));
    model.node("ReduceMean", {"x"}, {"m"}).with("axes", Axes{1}).node("Sub", {"x", "m"}, {"d"});
    model.node("Mul", {"d", "d"}, {"p"}).node("ReduceMean", {"p"}, {"v"}).with("axes", Axes{1});
    model.node("Add", {"v", "e"}, {"f"}).node("Sqrt", {"f"}, {"s"});
    model.node("Div", {"d", "s"}, {"q"}).node("Mul", {"q", "g"}, {"y"});
    EXPECT_THAT(operators_of(fused(model)), ElementsAre("ReduceMean", "Sub", "RMSNormalization"));
}

TEST(Patterns, RmsNormalization) {
    const auto is_one = Contains("RMSNormalization");
    for (const std::string inverse : {"Div", "Reciprocal", "quotient"}) {
        const std::vector<std::string> all = operators_of(fused(root_mean_square(inverse, 2)));
        EXPECT_THAT(all, is_one);
        EXPECT_THAT(all, Not(Contains("Sqrt")));
        EXPECT_THAT(operators_of(fused(root_mean_square(inverse, 1))), Not(is_one));
    }
    // The root of another tensor divides.
    OnnxModel other;
    other.input("x", {3, 4}).input("z", {3, 4}).output("y").weights("e", {}, {1e-3F});
    other.weights("g", {4}, noise(4, 1)).node("Mul", {"x", "x"}, {"p"});
    other.node("ReduceMean", {"p"}, {"m"}).with("axes", std::vector<std::int64_t>{1});
    other.node("Add", {"m", "e"}, {"f"}).node("Sqrt", {"f"}, {"s"});
    other.node("Div", {"z", "s"}, {"q"}).node("Mul", {"q", "g"}, {"y"});
    EXPECT_THAT(operators_of(fused(other)), Not(is_one));
    const OnnxModel halves = root_mean_square("Div", 2, onnx::TensorProto::FLOAT16);
    FusionCounts counts;
    EXPECT_THAT(operators_of(fused(halves, counts, 1e-2)), Not(is_one));
}

}  // namespace
}  // namespace tessera::network

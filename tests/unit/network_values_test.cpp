// Do operators compute what ONNX's text says where its own cases say nothing: integers that do not
// fit, infinities and no numbers, and sizes and places of resized images? Right values are those of
// ONNX Runtime 1.30 and numpy, where both agree; the rest is said at each test.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/one_node.h"

namespace tessera::network {
namespace {

using test::Integers;
using test::integers_of;
using test::kInfinity;
using test::kNan;
using test::of;
using test::OneNode;
using test::OnnxModel;
using test::Reals;
using test::reals_of;
using test::refusal_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using ::testing::Not;

constexpr std::int64_t kBig = std::int64_t{1} << 53;  // integers beyond are no doubles
constexpr std::int64_t kLeast32 = INT32_MIN;
constexpr int kFloat = onnx::TensorProto::FLOAT, kInt32 = onnx::TensorProto::INT32,
              kInt64 = onnx::TensorProto::INT64, kInt8 = onnx::TensorProto::INT8,
              kUint8 = onnx::TensorProto::UINT8, kBool = onnx::TensorProto::BOOL;

// Integers

TEST(Integers, Of32BitsWrapAround) {
    const auto two = [](const char* operation, std::int64_t a, std::int64_t b) {
        return integers_of(of(OneNode().integers32({a}).integers32({b}), operation)).at(0);
    };
    EXPECT_EQ(two("Mul", 70000, 70000), 605032704);
    EXPECT_EQ(two("Add", INT32_MAX, 1), kLeast32);
    EXPECT_EQ(two("Sub", kLeast32, 1), INT32_MAX);
    EXPECT_EQ(two("Div", kLeast32, -1), kLeast32);
    EXPECT_EQ(two("Pow", 46341, 2), 46341 * std::int64_t{46341} - (std::int64_t{1} << 32));
    EXPECT_EQ(integers_of(of(OneNode().integers32({kLeast32}), "Neg")).at(0), kLeast32);
    EXPECT_EQ(integers_of(of(OneNode().integers32({kLeast32}), "Abs")).at(0), kLeast32);
    OneNode sum = OneNode().integers32({INT32_MAX, 5});
    sum.node("ReduceSum");
    EXPECT_EQ(integers_of(sum).at(0), kLeast32 + 4);
    OneNode product = OneNode().integers32({70000, 70000});
    product.node("ReduceProd");
    EXPECT_EQ(integers_of(product).at(0), 605032704);
}

/// The next node reads the wrapped value.
TEST(Integers, AreWrappedBetweenNodes) {
    OneNode one = OneNode().integers32({70000}).integers32({70000}).integers32({2});
    one.model.node("Mul", {"a", "b"}, {"p"}).node("Div", {"p", "c"}, {"y"});
    EXPECT_THAT(integers_of(one), ElementsAre(302516352));
}

TEST(Integers, Of64BitsAreExact) {
    const auto holds = [](const char* operation, std::int64_t a, std::int64_t b) {
        return integers_of(of(OneNode().integers({a}).integers({b}), operation)).at(0) != 0;
    };
    EXPECT_FALSE(holds("Equal", kBig, kBig + 1));
    EXPECT_TRUE(holds("Less", kBig, kBig + 1));
    EXPECT_FALSE(holds("GreaterOrEqual", kBig, kBig + 1));
    const auto reduced = [](const char* operation, const Integers& row) {
        OneNode one = OneNode(11).integers(row);
        one.node(operation).with("keepdims", 0);
        return integers_of(one).at(0);
    };
    EXPECT_EQ(reduced("ReduceMax", {kBig + 1, 5}), kBig + 1);
    EXPECT_EQ(reduced("ReduceMin", {kBig + 1, kBig + 3}), kBig + 1);
    EXPECT_EQ(reduced("ReduceSum", {kBig + 1, 2}), kBig + 3);
    EXPECT_EQ(reduced("ReduceProd", {kBig + 1, 3}), 3 * (kBig + 1));
    EXPECT_EQ(reduced("ReduceL1", {-kBig - 1, 2}), kBig + 3);
    EXPECT_EQ(reduced("ReduceSumSquare", {94906267, 1}), 94906267 * std::int64_t{94906267} + 1);
    // Means and roots are rounded towards zero.
    EXPECT_EQ(reduced("ReduceMean", {-7, 2}), -2);
    EXPECT_EQ(reduced("ReduceMean", {INT64_MAX, INT64_MAX}), INT64_MAX);
    EXPECT_EQ(reduced("ReduceL2", {-7, 2}), 7);
    EXPECT_EQ(reduced("ReduceLogSum", {3, 4, 5}), 2);
}

TEST(Integers, ArePaddedAndCountedExactly) {
    OneNode pad;
    pad.integers({1}).model.integers("pads", {1, 0});
    pad.add(Tensor::of_integers({}, {kBig + 1}));
    pad.model.node("Pad", {"a", "pads", "b"}, {"y"});
    EXPECT_THAT(integers_of(pad), ElementsAre(kBig + 1, 1));

    OnnxModel range;
    range.output("y");
    for (const auto& [name, value] :
         {std::pair("s", kBig), std::pair("l", kBig + 3), std::pair("d", std::int64_t{1})}) {
        range.integers(name, {value});
        range.graph().mutable_initializer()->rbegin()->clear_dims();
    }
    range.node("Range", {"s", "l", "d"}, {"y"});
    EXPECT_THAT(execute(parse_onnx(range.bytes(), "m.onnx", "", {}), {}).at(0).integers,
                ElementsAre(kBig, kBig + 1, kBig + 2));
}

/// ONNX defines Range as a loop, so that roundings add up.
TEST(Reals, OfARangeAreAddedUp) {
    OnnxModel range;
    range.output("y").weights("s", {}, {0}).weights("l", {}, {1}).weights("d", {}, {0.1F});
    range.node("Range", {"s", "l", "d"}, {"y"});
    const Reals got = execute(parse_onnx(range.bytes(), "m.onnx", "", {}), {}).at(0).reals;
    ASSERT_EQ(got.size(), 10U);
    float next = 0;
    for (const float value : got) {
        EXPECT_EQ(value, next);
        next += 0.1F;
    }
}

TEST(Integers, OfClipAndReluAreThere) {
    OneNode clip = OneNode().integers({-5, 3, 9});
    clip.add(Tensor::of_integers({}, {0})).add(Tensor::of_integers({}, {4}));
    clip.node("Clip");
    EXPECT_THAT(integers_of(clip), ElementsAre(0, 3, 4));
    EXPECT_THAT(integers_of(of(OneNode(14).integers32({-1, 2}), "Relu")), ElementsAre(0, 2));
    EXPECT_THROW(integers_of(of(OneNode(13).integers32({-1, 2}), "Relu")), ConfigError);
}

TEST(Cast, OfIntegersDropsHighBits) {
    const auto cast = [](OneNode one, int to) {
        one.node("Cast").with("to", to);
        return one;
    };
    EXPECT_THAT(
        integers_of(cast(OneNode().integers({(std::int64_t{1} << 32) + 5, -kLeast32}), kInt32)),
        ElementsAre(5, kLeast32));
    EXPECT_THAT(integers_of(cast(OneNode().integers({255, 128, -129, 256}), kInt8)),
                ElementsAre(-1, -128, 127, 0));
    EXPECT_THAT(integers_of(cast(OneNode().integers({-1, 256, 300}), kUint8)),
                ElementsAre(255, 0, 44));
    EXPECT_THAT(integers_of(cast(OneNode().integers({std::int64_t{1} << 32, 0}), kBool)),
                ElementsAre(1, 0));
    // Rounded once, not to a double before.
    constexpr std::int64_t kMiddle = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
    EXPECT_THAT(reals_of(cast(OneNode().integers({kMiddle}), kFloat)), ElementsAre(0x1.000002p60F));
    EXPECT_THAT(reals_of(cast(OneNode().integers({65520, 2051}), onnx::TensorProto::FLOAT16)),
                ElementsAre(kInfinity, 2052));
}

/// ONNX leaves open what does not fit; this is what ONNX Runtime and numpy have on x86.
TEST(Cast, OfRealsRoundsTowardsZero) {
    const auto cast = [](const Reals& values, int to) {
        OneNode one = OneNode().reals(values);
        one.node("Cast").with("to", to);
        return integers_of(one);
    };
    EXPECT_THAT(cast({1.9F, -1.9F, -0x1p31F, 0x1p31F, -3e9F, kNan, kInfinity}, kInt32),
                ElementsAre(1, -1, kLeast32, kLeast32, kLeast32, kLeast32, kLeast32));
    EXPECT_THAT(cast({3e9F, 3e19F, kNan}, kInt64), ElementsAre(3000000000, INT64_MIN, INT64_MIN));
    // The low 8 bits of the INT32, as numpy on x86.
    EXPECT_THAT(cast({1.9F, -1.9F, 127.5F, 128, -129, 300, 0x1p31F, kNan}, kInt8),
                ElementsAre(1, -1, 127, -128, 127, 44, 0, 0));
    EXPECT_THAT(cast({1.9F, -1.9F, 255.5F, 256, -129, 300, 0x1p31F, kNan}, kUint8),
                ElementsAre(1, 255, 255, 0, 127, 44, 0, 0));
    EXPECT_THAT(cast({0, -0.0F, kNan, 0.5F}, kBool), ElementsAre(0, 0, 1, 1));
}

// Infinities, and no numbers

TEST(NoNumbers, GoThroughElementwiseOperators) {
    for (const char* operation : {"Celu", "Clip", "Elu", "HardSigmoid", "HardSwish", "LeakyRelu",
                                  "Relu", "Selu", "Sigmoid", "Softplus", "Softsign", "Tanh"}) {
        OneNode one(14);
        one.reals({kNan});
        one.node(operation);
        EXPECT_THAT(reals_of(one), ElementsAre(IsNan())) << operation;
    }
    // "y = x for x > alpha, y = 0 otherwise"
    EXPECT_THAT(reals_of(of(OneNode().reals({kNan}), "ThresholdedRelu")), ElementsAre(0));
    for (const char* operation : {"Max", "Min"}) {
        EXPECT_THAT(
            reals_of(of(OneNode().reals({kNan, 1, kNan}).reals({1, kNan, kNan}), operation)),
            ElementsAre(IsNan(), IsNan(), IsNan()))
            << operation;
    }
}

TEST(Clip, HasTheTypesBounds) {
    constexpr float kMost = std::numeric_limits<float>::max();
    EXPECT_THAT(reals_of(of(OneNode().reals({kInfinity, -kInfinity, 1}), "Clip")),
                ElementsAre(kMost, -kMost, 1));
    OneNode halves;
    halves.add(Tensor::of_reals({2}, {kInfinity, -kInfinity}, ElementType::kHalf));
    EXPECT_THAT(reals_of(of(halves, "Clip")), ElementsAre(65504, -65504));
    // A bound below the other: all become the upper one. A bound that is no number bounds nothing.
    EXPECT_THAT(reals_of(of(OneNode().reals({1, 9}).scalar(3).scalar(2), "Clip")),
                ElementsAre(2, 2));
    EXPECT_THAT(reals_of(of(OneNode().reals({-kInfinity, 9}).scalar(kNan).scalar(2), "Clip")),
                ElementsAre(-kInfinity, 2));
}

Reals rows_reduced(const char* operation, const Reals& values, std::int64_t rows) {
    const auto columns = static_cast<std::int64_t>(values.size()) / rows;
    OneNode one(11);
    one.reals(values, {rows, columns});
    one.node(operation).with("axes", std::vector<std::int64_t>{1}).with("keepdims", 0);
    return reals_of(one);
}

TEST(NoNumbers, AreExtremesOfRows) {
    for (const char* operation : {"ReduceMax", "ReduceMin"}) {
        EXPECT_THAT(rows_reduced(operation, {kNan, 1, 1, kNan, kInfinity, kNan}, 3),
                    ElementsAre(IsNan(), IsNan(), IsNan()))
            << operation;
    }
}

TEST(Infinities, HaveALogSumExp) {
    EXPECT_THAT(rows_reduced("ReduceLogSumExp",
                             {kInfinity, 1, -kInfinity, -kInfinity, kInfinity, -kInfinity,
                              -kInfinity, 1, kNan, 1, 1, kNan, kInfinity, kNan},
                             7),
                ElementsAre(kInfinity, -kInfinity, kInfinity, 1, IsNan(), IsNan(), IsNan()));
}

TEST(Infinities, OfASoftmaxAreZerosOrSpoilTheirRow) {
    const Reals rows = {-kInfinity, 0, -kInfinity, -kInfinity, kInfinity, 0};
    EXPECT_THAT(reals_of(of(OneNode().reals(rows, {3, 2}), "Softmax")),
                ElementsAre(0, 1, IsNan(), IsNan(), IsNan(), IsNan()));
    EXPECT_THAT(reals_of(of(OneNode().reals(rows, {3, 2}), "LogSoftmax")),
                ElementsAre(-kInfinity, 0, IsNan(), IsNan(), IsNan(), IsNan()));
}

// Pools

/// Maxima, and where they are.
std::pair<Reals, Integers> max_pool(const Reals& values, const Shape& image, const Shape& window,
                                    const std::vector<std::pair<std::string, Shape>>& attributes,
                                    std::int64_t storage_order = 0, bool ceiling = false) {
    OneNode one(13, true);
    Shape shape = {1, 1};
    shape.insert(shape.end(), image.begin(), image.end());
    one.reals(values, shape);
    one.node("MaxPool").with("kernel_shape", window).with("storage_order", storage_order);
    if (ceiling) one.model.with("ceil_mode", 1);
    for (const auto& [name, attribute] : attributes) one.model.with(name, attribute);
    const std::vector<Tensor> outputs = one.run();
    return {outputs.at(0).reals, outputs.at(1).integers};
}

/// ONNX leaves open what the maximum of no numbers is: here it is as numpy's, and so as PyTorch's.
TEST(MaxPool, HasItsIndexInItsWindow) {
    const auto [low, at_low] =
        max_pool({-kInfinity, -kInfinity, -kInfinity, 3}, {4}, {2}, {{"strides", {2}}});
    EXPECT_THAT(low, ElementsAre(-kInfinity, 3));
    EXPECT_THAT(at_low, ElementsAre(0, 3));
    const auto [last, at_last] =
        max_pool({5, 5, -kInfinity, -kInfinity}, {4}, {2}, {{"strides", {2}}});
    EXPECT_THAT(last, ElementsAre(5, -kInfinity));
    EXPECT_THAT(at_last, ElementsAre(0, 2));
    const auto [padded, at_padded] =
        max_pool({-kInfinity, -kInfinity, -kInfinity, 3}, {4}, {3}, {{"pads", {1, 1}}});
    EXPECT_THAT(padded, ElementsAre(-kInfinity, -kInfinity, 3, 3));
    EXPECT_THAT(at_padded, ElementsAre(0, 0, 3, 3));
    const auto [none, at_none] =
        max_pool({1, kNan, kNan, 2, kNan, kNan}, {6}, {2}, {{"strides", {2}}});
    EXPECT_THAT(none, ElementsAre(IsNan(), IsNan(), IsNan()));
    EXPECT_THAT(at_none, ElementsAre(1, 2, 4));
}

TEST(MaxPool, CountsByRowsOrByColumns) {
    Reals image(24);
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i);
    EXPECT_THAT(max_pool(image, {2, 3, 4}, {2, 2, 2}, {}).second,
                ElementsAre(17, 18, 19, 21, 22, 23));
    EXPECT_THAT(max_pool(image, {2, 3, 4}, {2, 2, 2}, {}, 1).second,
                ElementsAre(9, 15, 21, 11, 17, 23));
    EXPECT_THAT(max_pool({1, 2, 3, 4, 5}, {5}, {2}, {{"strides", {2}}}, 0, true).second,
                ElementsAre(1, 3, 4));
}

TEST(Pools, OfNothingButPaddingAreRefused) {
    for (const char* operation : {"MaxPool", "AveragePool"}) {
        OneNode one(11);
        one.reals({1, 2}, {1, 1, 2});
        one.node(operation).with("kernel_shape", std::vector<std::int64_t>{2});
        one.model.with("pads", std::vector<std::int64_t>{0, 2});
        try {
            (void)one.run();
            FAIL() << operation;
        } catch (const ConfigError& error) {
            EXPECT_THAT(error.what(), HasSubstr("pads: got window 2, which meets no element"));
        }
    }
}

TEST(NoNumbers, AreMaximaOfWholeImages) {
    EXPECT_THAT(reals_of(of(OneNode().reals({1, kNan, 2, kNan, 1, 2}, {1, 2, 3}), "GlobalMaxPool")),
                ElementsAre(IsNan(), IsNan()));
}

// Resize

Tensor resized(int operator_set, const Reals& values, const Shape& shape, const Reals& scales,
               const std::vector<std::pair<std::string, std::string>>& attributes) {
    OnnxModel model(operator_set);
    model.input("x", shape).output("y");
    model.weights("s", {static_cast<std::int64_t>(scales.size())}, scales);
    model.node("Resize",
               operator_set < 11 ? std::vector<std::string>{"x", "s"}
                                 : std::vector<std::string>{"x", operator_set < 13 ? "s" : "", "s"},
               {"y"});
    for (const auto& [name, text] : attributes) model.with_text(name, text);
    return execute(parse_onnx(model.bytes(), "m.onnx", "", {}), {Tensor::of_reals(shape, values)})
        .at(0);
}

/// The node case of ONNX 1.5, on wider images, and ONNX Runtime: ceil where an axis shrinks.
TEST(Resize, OfSet10TakesTheNextElementWhereItShrinks) {
    const Reals image = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    EXPECT_THAT(resized(10, image, {1, 1, 2, 5}, {1, 1, 0.6F, 0.6F}, {}).reals,
                ElementsAre(10, 12, 14));
    EXPECT_THAT(resized(10, image, {1, 1, 2, 5}, {1, 1, 1.5F, 0.6F}, {}).reals,
                ElementsAre(10, 12, 14, 10, 12, 14, 15, 17, 19));
    EXPECT_THAT(resized(10, {1, 2}, {1, 1, 1, 2}, {1, 1, 1, 1.5F}, {}).reals, ElementsAre(1, 1, 2));
}

/// ONNX's shape inference: floor(side * scale) in FP32.
TEST(Resize, SidesAreFloorsOfProductsInSinglePrecision) {
    const std::vector<std::pair<std::int64_t, float>> cases = {{10, 0.9F},  {10, 0.7F}, {5, 1.4F},
                                                               {10, 1.3F},  {10, 1.9F}, {20, 1.15F},
                                                               {20, 1.05F}, {5, 2.6F}};
    const std::vector<std::int64_t> sides = {9, 7, 7, 13, 19, 23, 21, 13};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [side, scale] = cases[i];
        for (const int operator_set : {10, 11, 13}) {
            const Tensor got = resized(operator_set, Reals(static_cast<std::size_t>(side)),
                                       {1, side}, {1, scale}, {});
            EXPECT_EQ(got.type.shape.at(1), sides[i]) << side << " x " << scale;
        }
    }
}

/// 3 / 0.3F is 10 in FP32 and a little less in FP64.
TEST(Resize, PlacesAreComputedInSinglePrecision) {
    Reals line(14);
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<float>(i);
    EXPECT_THAT(
        resized(13, line, {1, 14}, {1, 0.3F},
                {{"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}})
            .reals,
        ElementsAre(0, 3, 6, 10));
}

/// ONNX Runtime multiplies neighbours by weights of 0, too. NaN reaches no other channel there.
TEST(Resize, MultipliesByWeightsOfZeroWhereASideChanges) {
    for (const char* mode : {"linear", "cubic"}) {
        const Reals got =
            resized(13, {1, kNan, 2, 3, 4, 5, 6, 7}, {1, 2, 4}, {1, 1, 2},
                    {{"coordinate_transformation_mode", "asymmetric"}, {"mode", mode}})
                .reals;
        ASSERT_EQ(got.size(), 16U);
        EXPECT_THAT(got[0], IsNan()) << mode;  // 1 x 1 + 0 x NaN
        EXPECT_THAT(Reals(got.begin() + 8, got.end()), Each(Not(IsNan()))) << mode;
    }
}

/// A linear mode reads two neighbours, a cubic one four: an infinity behind them has no effect.
TEST(Resize, ReadsAsManyNeighboursAsItsModeHasWeights) {
    const std::vector<std::pair<std::string, std::string>> places = {
        {"coordinate_transformation_mode", "asymmetric"}};
    for (const auto& [mode, neighbours] : {std::pair("linear", 2U), std::pair("cubic", 3U)}) {
        Reals line = {1, 1, 1, 1, 1};
        line[neighbours] = kInfinity;
        auto attributes = places;
        attributes.emplace_back("mode", mode);
        const Reals got = resized(13, line, {1, 5}, {1, 2}, attributes).reals;
        EXPECT_FLOAT_EQ(got.at(1), 1) << mode << ", between the first two elements";
        EXPECT_FALSE(std::isfinite(got.at(3))) << mode << ", one further";
    }
}

TEST(Resize, UpsampleOnlyEnlarges) {
    OnnxModel model(9);
    model.input("x", {1, 4}).output("y").weights("s", {2}, {1, 0.5F});
    model.node("Upsample", {"x", "s"}, {"y"});
    try {
        (void)parse_onnx(model.bytes(), "m.onnx", "", {});
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("scales: got 0.5"));
    }
}

TEST(Combinations, AreRefusedForTypesTheyDoNotCompute) {
    for (const char* operation : {"Mean", "PRelu", "Sum"}) {
        EXPECT_THAT(refusal_of(OneNode(16).integers({1}).integers({2}), operation),
                    HasSubstr("expected"))
            << operation;
        EXPECT_EQ(refusal_of(OneNode(16).reals({1}).reals({2}), operation), "none") << operation;
    }
    const Tensor truth = Tensor::of_integers({1}, {1}, ElementType::kBool);
    for (const char* operation : {"Add", "Div", "Max", "Min", "Mul", "Pow", "Sub"}) {
        EXPECT_THAT(refusal_of(OneNode().add(truth).add(truth), operation), HasSubstr("expected"))
            << operation;
        EXPECT_EQ(refusal_of(OneNode().integers({1}).integers({2}), operation), "none")
            << operation;
    }
}

/// A side without elements may be padded with a constant only, unless it stays empty.
TEST(Pad, OfASideWithoutElements) {
    const auto padded = [](const char* mode, std::int64_t before) {
        OneNode one;
        one.add(Tensor::of_reals({0}, {})).model.integers("pads", {before, 0});
        one.model.node("Pad", {"a", "pads"}, {"y"}).with_text("mode", mode);
        return one;
    };
    EXPECT_THAT(reals_of(padded("constant", 2)), ElementsAre(0, 0));
    EXPECT_THAT(reals_of(padded("edge", 0)), ElementsAre());
    EXPECT_THROW(reals_of(padded("edge", 1)), ConfigError);
}

TEST(Resize, SizesAreFromOneOn) {
    const auto read = [](std::int64_t side, std::int64_t size) {
        OnnxModel model;
        model.input("x", {1, side}).output("y").integers("s", {1, size});
        model.node("Resize", {"x", "", "", "s"}, {"y"});
        (void)parse_onnx(model.bytes(), "m.onnx", "", {});
    };
    EXPECT_NO_THROW(read(2, 5));
    EXPECT_THROW(read(2, 0), ConfigError);
    EXPECT_THROW(read(0, 2), ConfigError);
    EXPECT_THROW(read(2, std::int64_t{1} << 31), ConfigError);
}

TEST(LayerNormalization, StashesFloats) {
    OnnxModel model(17);
    model.input("x", {1, 2}).output("y").weights("s", {2}, {1, 1});
    model.node("LayerNormalization", {"x", "s"}, {"y"}).with("stash_type", 10);
    EXPECT_THROW((void)parse_onnx(model.bytes(), "m.onnx", "", {}), ConfigError);
}

}  // namespace
}  // namespace tessera::network

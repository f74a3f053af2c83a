// Do operators compute what ONNX's text defines where ONNX's own cases do not reach? All expected
// values are counted by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

std::vector<float> run(const OnnxModel& model, const Shape& shape, std::vector<float> values) {
    const Graph graph = parse_onnx(model.bytes(), "m.onnx", "");
    return execute(graph, {Tensor::of_reals(shape, std::move(values))}).at(0).reals;
}

std::vector<float> sliced(std::int64_t start, std::int64_t end, std::int64_t step) {
    OnnxModel model;
    model.input("x", {5}).output("y").integers("start", {start}).integers("end", {end});
    model.integers("axis", {0}).integers("step", {step});
    model.node("Slice", {"x", "start", "end", "axis", "step"}, {"y"});
    return run(model, {5}, {0, 1, 2, 3, 4});
}

/// An end of -6 or less lies before element 0, one of -1 is the last element.
TEST(Definitions, SlicesBackwardsReachElementZero) {
    EXPECT_THAT(sliced(4, kFirst, -1), ElementsAre(4, 3, 2, 1, 0));
    EXPECT_THAT(sliced(4, -6, -2), ElementsAre(4, 2, 0));
    EXPECT_THAT(sliced(-1, -7, -4), ElementsAre(4, 0));
    EXPECT_THAT(sliced(0, kFirst, -1), ElementsAre(0));
    EXPECT_THAT(sliced(4, 0, -2), ElementsAre(4, 2));
    EXPECT_THAT(sliced(4, -1, -1), IsEmpty());
}

std::vector<float> pooled(const std::string& operation, std::int64_t taps, std::int64_t stride,
                          const std::vector<std::int64_t>& pads, bool ceiling = true) {
    OnnxModel model(12);
    model.input("x", {1, 1, 4}).output("y").node(operation, {"x"}, {"y"});
    model.with("kernel_shape", std::vector<std::int64_t>{taps}).with("pads", pads);
    model.with("strides", std::vector<std::int64_t>{stride}).with("ceil_mode", ceiling ? 1 : 0);
    if (operation == "AveragePool") model.with("count_include_pad", 1);
    return run(model, {1, 1, 4}, {1, 2, 3, 5});
}

/// Windows that start at 4 begin behind the image, or in the padding behind it; one at 3 does not.
TEST(Definitions, CeilModeHasNoWindowBehindTheImage) {
    for (const char* const operation : {"MaxPool", "AveragePool"}) {
        EXPECT_THAT(pooled(operation, 1, 2, {0, 0}), ElementsAre(1, 3)) << operation;
    }
    EXPECT_THAT(pooled("MaxPool", 2, 2, {0, 1}), ElementsAre(2, 5));
    EXPECT_THAT(pooled("AveragePool", 2, 2, {0, 1}), ElementsAre(1.5F, 4));
    EXPECT_THAT(pooled("MaxPool", 2, 3, {0, 0}), ElementsAre(2, 5));
    EXPECT_THAT(pooled("AveragePool", 2, 3, {0, 0}), ElementsAre(1.5F, 5));
    EXPECT_THAT(pooled("MaxPool", 2, 3, {0, 0}, false), ElementsAre(2));
    EXPECT_THAT(pooled("MaxPool", 2, 2, {1, 0}), ElementsAre(1, 3, 5));
}

/// Channels c - floor((size - 1) / 2) to c + ceil((size - 1) / 2), so an even size has one more
/// behind than before.
TEST(Definitions, LrnOfEvenSizeHasOneChannelMoreBehind) {
    const auto normalized = [](std::int64_t size) {
        OnnxModel model;
        model.input("x", {1, 4, 1, 1}).output("y").node("LRN", {"x"}, {"y"}).with("size", size);
        model.with_real("alpha", static_cast<float>(size)).with_real("beta", 1);
        model.with_real("bias", 1);
        return run(model, {1, 4, 1, 1}, {1, 2, 3, 4});
    };
    EXPECT_THAT(normalized(2), ElementsAre(1.0F / 6, 2.0F / 14, 3.0F / 26, 4.0F / 17));
    EXPECT_THAT(normalized(4), ElementsAre(1.0F / 15, 2.0F / 31, 3.0F / 30, 4.0F / 26));
}

std::vector<float> transposed(std::int64_t side, const std::string& padding) {
    OnnxModel model;
    model.input("x", {1, 1, 2}).output("y").weights("w", {1, 1, 2}, {1, 10});
    model.node("ConvTranspose", {"x", "w"}, {"y"}).with_text("auto_pad", padding);
    model.with("strides", std::vector<std::int64_t>{2});
    model.with("output_shape", std::vector<std::int64_t>{side});
    return run(model, {1, 1, 2}, {1, 2});
}

/// The windows make 4 outputs, and the padding is the rest: total / 2, rounded down, on the one
/// side and what is left on the other, SAME_UPPER with the former in front. ONNX's own case of
/// an output_shape has a total of -1 only.
TEST(Definitions, OutputsOfTransposedConvolutionsGrowByNegativePadding) {
    EXPECT_THAT(transposed(4, "NOTSET"), ElementsAre(1, 10, 2, 20));
    EXPECT_THAT(transposed(5, "NOTSET"), ElementsAre(1, 10, 2, 20, 0));
    EXPECT_THAT(transposed(5, "SAME_UPPER"), ElementsAre(0, 1, 10, 2, 20));
    EXPECT_THAT(transposed(6, "NOTSET"), ElementsAre(0, 1, 10, 2, 20, 0));
    EXPECT_THAT(transposed(7, "SAME_LOWER"), ElementsAre(0, 1, 10, 2, 20, 0, 0));
    EXPECT_THAT(transposed(7, "SAME_UPPER"), ElementsAre(0, 0, 1, 10, 2, 20, 0));
    EXPECT_THAT(transposed(3, "NOTSET"), ElementsAre(10, 2, 20));
    EXPECT_THAT(transposed(3, "SAME_UPPER"), ElementsAre(1, 10, 2));
}

/// Rows from an axis on that is not the last one: both moments are those of all their elements.
TEST(Definitions, LayerNormalizationOverSeveralAxes) {
    OnnxModel model(17);
    model.input("x", {2, 2, 2}).output("y").weights("g", {2, 2}, {1, 2, 1, 1});
    model.node("LayerNormalization", {"x", "g"}, {"y"}).with("axis", 1).with_real("epsilon", 0);
    EXPECT_THAT(
        run(model, {2, 2, 2}, {1, 1, 1, 5, -3, -3, 1, 1}),
        testing::Pointwise(testing::FloatNear(1e-6F),
                           {-1 / std::sqrt(3.0F), -2 / std::sqrt(3.0F), -1 / std::sqrt(3.0F),
                            std::sqrt(3.0F), -1.0F, -2.0F, 1.0F, 1.0F}));
}

}  // namespace
}  // namespace tessera::network

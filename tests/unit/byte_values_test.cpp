// Do operators compute what ONNX's text says of integers of 8 bits and of quantised tensors? Right
// values are those of ONNX Runtime 1.30 and numpy, where both agree; the rest is said at each test.
#include <gmock/gmock.h>

#include <string>
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
using test::reals_of;
using test::refusal_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ElementType kSigned = ElementType::kInt8, kUnsigned = ElementType::kUint8;

TEST(Integers, Of8BitsWrapAround) {
    const auto two = [](const char* operation, ElementType type, std::int64_t a, std::int64_t b) {
        return integers_of(of(OneNode(14).integers({a}, type).integers({b}, type), operation))
            .at(0);
    };
    EXPECT_EQ(two("Add", kSigned, 127, 1), -128);
    EXPECT_EQ(two("Sub", kSigned, -128, 1), 127);
    EXPECT_EQ(two("Mul", kSigned, 100, 3), 44);
    EXPECT_EQ(two("Div", kSigned, -128, -1), -128);
    EXPECT_EQ(two("Div", kSigned, -7, 2), -3);
    EXPECT_EQ(two("Add", kUnsigned, 255, 1), 0);
    EXPECT_EQ(two("Sub", kUnsigned, 0, 1), 255);
    EXPECT_EQ(two("Mul", kUnsigned, 100, 3), 44);
    EXPECT_EQ(two("Max", kUnsigned, 200, 100), 200);
    EXPECT_EQ(two("Mod", kSigned, -7, 3), 2);
    EXPECT_EQ(integers_of(of(OneNode(14).integers({-128}, kSigned), "Neg")).at(0), -128);
    EXPECT_EQ(integers_of(of(OneNode(14).integers({-128}, kSigned), "Abs")).at(0), -128);
    EXPECT_EQ(integers_of(of(OneNode(18).integers({0x0f}, kUnsigned), "BitwiseNot")).at(0), 0xf0);
    OneNode clip = OneNode(13).integers({-128, 5, 127}, kSigned);
    clip.node("Clip");
    EXPECT_THAT(integers_of(clip), ElementsAre(-128, 5, 127));
}

TEST(Integers, Of8BitsAreRefusedWhereAnOperatorHasNoneOfThem) {
    EXPECT_THAT(refusal_of(OneNode(13).integers({1, 2}, kSigned), "ReduceSum"),
                HasSubstr("(ReduceSum): input 'a': got INT8 2, which this operator does not take, "
                          "expected a Cast or DequantizeLinear before it"));
    // Revisions before set 14 have no arithmetic of 8 bits.
    const OneNode sum = OneNode(13).integers({1}, kSigned).integers({1}, kSigned);
    EXPECT_THAT(refusal_of(sum, "Add"), HasSubstr("(Add): input 'a': got INT8 1, which"));
    EXPECT_THAT(refusal_of(OneNode(14).integers({1}, kUnsigned), "Neg"), HasSubstr("got UINT8 1"));
    EXPECT_EQ(refusal_of(OneNode(14).integers({1}, kSigned), "Neg"), "none");
    const OneNode gather = OneNode(13).reals({1, 2}).integers({1}, kSigned);
    EXPECT_THAT(refusal_of(gather, "Gather"), HasSubstr("input 'b': got INT8 1, which"));
    EXPECT_THAT(refusal_of(OneNode(13).integers({1}, kSigned), "Sigmoid"), HasSubstr("got INT8 1"));
    const OneNode unequal = OneNode(14).integers({1}, kSigned).integers({1}, kUnsigned);
    EXPECT_THAT(refusal_of(unequal, "Add"), HasSubstr("got UINT8 1, expected INT8 as input 0"));
}

// Quantised tensors

TEST(Quantization, SaturatesAndLeavesNoValueUndefined) {
    OneNode one = OneNode(13).reals({kInfinity, -kInfinity, kNan, 1e30F, 0.5F, 1.5F, -0.5F});
    one.scalar(1).add(Tensor::of_integers({}, {10}, ElementType::kInt8)).node("QuantizeLinear");
    EXPECT_THAT(integers_of(one), ElementsAre(127, -128, -128, 127, 10, 12, 10));
    OneNode zero_scale = OneNode(13).reals({1, -1}).scalar(0);
    zero_scale.node("QuantizeLinear");
    EXPECT_THAT(integers_of(zero_scale), ElementsAre(255, 0));
}

/// ONNX leaves it open; 1 is chosen.
TEST(Quantization, OfATensorOfZerosHasAScale) {
    OneNode one = OneNode(13).reals({0, 0});
    one.model.output("s").output("z").node("DynamicQuantizeLinear", {"a"}, {"y", "s", "z"});
    const std::vector<Tensor> made = one.run();
    EXPECT_THAT(made.at(0).integers, ElementsAre(0, 0));
    EXPECT_THAT(made.at(1).reals, ElementsAre(1));
    EXPECT_THAT(made.at(2).integers, ElementsAre(0));
}

/// 255 * 127 * 70000 is more than 2^31.
TEST(Quantization, SumsOfProductsWrapAround) {
    constexpr std::int64_t kDepth = 70000;
    OneNode one(10);
    one.add(Tensor::of_integers({1, kDepth}, Integers(kDepth, 255), ElementType::kUint8));
    one.add(Tensor::of_integers({kDepth, 1}, Integers(kDepth, 127), ElementType::kInt8));
    one.node("MatMulInteger");
    EXPECT_THAT(integers_of(one), ElementsAre(255 * 127 * kDepth - (std::int64_t{1} << 32)));
}

/// Scales and zero points of an axis that is counted from the end.
TEST(Quantization, GoesAlongAnAxis) {
    OneNode back = OneNode(13).matrix({1, 2, 3, 4, 5, 6}, 2, kSigned);
    back.reals({1, 10, 100}).integers({0, 1, 2}, kSigned);
    back.node("DequantizeLinear").with("axis", -1);
    EXPECT_THAT(reals_of(back), ElementsAre(1, 10, 100, 4, 40, 400));
    OneNode there = OneNode(13).reals({1, 10, 100, 4, 40, 400}, {2, 3});
    there.reals({1, 2}).integers({0, 5}, kUnsigned);
    there.node("QuantizeLinear").with("axis", 0);
    EXPECT_THAT(integers_of(there), ElementsAre(1, 10, 100, 7, 25, 205));
}

/// Each row of a, column of b, and row of the result has a scale and a zero point of its own.
TEST(Quantization, OfLinesOfAProduct) {
    OneNode one(10);
    one.matrix({1, 2, 3, 4}, 2, kSigned).reals({1, 2}).integers({1, 0}, kSigned);
    one.matrix({5, 6, 7, 8}, 2, kSigned).reals({1, 0.5F}).integers({0, 2}, kSigned);
    one.reals({1, 4}).integers({0, 3}, kSigned).node("QLinearMatMul");
    // (a - za) (b - zb) = {7, 6; 43, 36}, times {1, 0.5; 2, 1} / {1; 4}, plus {0; 3}; 21.5 becomes
    // 22
    EXPECT_THAT(integers_of(one), ElementsAre(7, 3, 25, 12));
}

/// Two groups with a filter each: the padding is real zero, so the zero point in integers.
TEST(Quantization, OfFiltersOfAConvolution) {
    OneNode one(10);
    one.add(Tensor::of_integers({1, 2, 2}, {3, 5, 7, 9}, kUnsigned)).scalar(1);
    one.add(Tensor::of_integers({}, {1}, kUnsigned));
    one.add(Tensor::of_integers({2, 1, 2}, {1, 2, 3, 4}, kSigned)).reals({1, 0.25F});
    one.integers({0, 1}, kSigned).scalar(0.5F).add(Tensor::of_integers({}, {10}, kUnsigned));
    one.integers32({1, -6}).node("QLinearConv").with("group", 2);
    one.model.with("pads", std::vector<std::int64_t>{1, 0});
    // {0 1 + 2 2 + 1, 2 1 + 4 2 + 1} 2 + 10, {0 2 + 6 3 - 6, 6 2 + 8 3 - 6} / 2 + 10
    EXPECT_THAT(integers_of(one), ElementsAre(20, 32, 16, 25));
}

TEST(Quantization, RefusesWhatItDoesNotCompute) {
    OneNode blocks = OneNode(21).reals({1, 2, 3, 4}).reals({1, 1});
    blocks.node("QuantizeLinear").with("block_size", 2).with("axis", 0);
    EXPECT_THAT(refusal_of(blocks), HasSubstr("(QuantizeLinear): block_size: got 2, expected 0: "
                                              "quantisation in blocks is not supported"));
    OneNode wide = OneNode(21).reals({1}).scalar(1);
    wide.node("QuantizeLinear").with("output_dtype", 6);
    EXPECT_THAT(refusal_of(wide), HasSubstr("output_dtype: got INT32, expected INT8 or UINT8"));
    OneNode early = OneNode(10).reals({1, 2}, {1, 2}).reals({1, 1});
    early.node("QuantizeLinear");
    EXPECT_THAT(refusal_of(early),
                HasSubstr("input 'b': got shape 2, expected one scale, or from"));
    OneNode sides = OneNode(13).reals({1, 2}, {1, 2}).reals({1, 1, 1});
    sides.node("QuantizeLinear");
    EXPECT_THAT(refusal_of(sides), HasSubstr("input 'b': got shape 3, expected 2"));
    OneNode zeros = OneNode(13).integers({1}, kSigned).scalar(1).integers({1}, kUnsigned);
    zeros.node("DequantizeLinear");
    EXPECT_THAT(refusal_of(zeros), HasSubstr("input 'c': got UINT8 1, expected INT8 as input 0"));
    OneNode real = OneNode(13).reals({1}).scalar(1);
    real.node("DequantizeLinear");
    EXPECT_THAT(refusal_of(real), HasSubstr("input 'a': got FLOAT 1, expected INT8 or UINT8"));
    OneNode product(10);
    product.matrix({1, 2, 3, 4}, 2, kSigned).matrix({1, 2, 3, 4}, 2, kSigned);
    product.add(Tensor::of_integers({3}, {1, 2, 3}, kSigned)).node("MatMulInteger");
    EXPECT_THAT(refusal_of(product),
                HasSubstr("input 'c': got shape 3, expected one element, or 2x1"));
    OneNode pixels(10);
    pixels.add(Tensor::of_integers({1, 2, 1}, {1, 2}, kUnsigned));
    pixels.add(Tensor::of_integers({1, 2, 1}, {1, 2}, kSigned));
    pixels.integers({1, 2}, kUnsigned).node("ConvInteger");
    EXPECT_THAT(refusal_of(pixels),
                HasSubstr("input 'c': got shape 2, expected one element, or 1"));
}

}  // namespace
}  // namespace tessera::network

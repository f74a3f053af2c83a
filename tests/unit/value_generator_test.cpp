// Are the generated values those of their index, of the right distribution, and always the same?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "sc_models/workload/value_generator.h"

namespace tessera {
namespace {

using Tensor = ValueGenerator::Tensor;
constexpr std::uint64_t kCount = 200000;

struct Moments {
    double mean = 0, variance = 0, zeros = 0, lowest = 0, highest = 0;
};

Moments measure(ValuePattern pattern) {
    const ValueGenerator values(1, Tensor::kActivations, pattern);
    Moments m;
    for (std::uint64_t i = 0; i < kCount; ++i) {
        const auto v = static_cast<double>(half_to_float(values(i)));
        m.mean += v / kCount;
        m.variance += v * v / kCount;
        m.zeros += v == 0 ? 1.0 / kCount : 0;
        m.lowest = std::min(m.lowest, v);
        m.highest = std::max(m.highest, v);
    }
    m.variance -= m.mean * m.mean;
    return m;
}

TEST(ValueGenerator, UniformFillsItsRange) {
    const Moments m = measure(ValuePattern::kUniform);
    EXPECT_NEAR(m.mean, 0, 0.01);
    EXPECT_NEAR(m.variance, 1.0 / 3, 0.01);
    EXPECT_GE(m.lowest, -1);
    EXPECT_LT(m.lowest, -0.999);
    EXPECT_LE(m.highest, 1);
    EXPECT_GT(m.highest, 0.999);
    EXPECT_LT(m.zeros, 0.001);
}

TEST(ValueGenerator, ReluIsHalfZeroAndHalfNormal) {
    const Moments m = measure(ValuePattern::kRelu);
    EXPECT_NEAR(m.zeros, 0.5, 0.01);
    EXPECT_EQ(m.lowest, 0);
    EXPECT_NEAR(m.mean, 1 / std::sqrt(2 * M_PI), 0.01);
    EXPECT_NEAR(m.variance, 0.5 - 1 / (2 * M_PI), 0.01);
}

TEST(ValueGenerator, OrderDoesNotMatter) {
    const ValueGenerator forward(3, Tensor::kWeights, ValuePattern::kUniform);
    const ValueGenerator other(3, Tensor::kWeights, ValuePattern::kUniform);
    std::vector<HalfBits> values;
    for (std::uint64_t i = 0; i < 1000; ++i) values.push_back(forward(i));
    for (std::uint64_t i = 1000; i-- > 0;) EXPECT_EQ(other(i), values[i]);
}

TEST(ValueGenerator, SeedsTensorsAndPatternsDiffer) {
    const auto same = [](const ValueGenerator& a, const ValueGenerator& b) {
        int count = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) count += a(i) == b(i) ? 1 : 0;
        return count;
    };
    const ValueGenerator base(1, Tensor::kActivations, ValuePattern::kUniform);
    EXPECT_LT(same(base, {2, Tensor::kActivations, ValuePattern::kUniform}), 10);
    EXPECT_LT(same(base, {1, Tensor::kWeights, ValuePattern::kUniform}), 10);
    EXPECT_LT(same(base, {1, Tensor::kActivations, ValuePattern::kRelu}), 10);
}

TEST(ValueGenerator, PrunedValuesAreTheTwoLargestOfFour) {
    const ValueGenerator all(4, Tensor::kWeights, ValuePattern::kDyadic);  // with ties and zeros
    const ValueGenerator pruned = all.pruned_2of4();
    int ties = 0;
    for (std::uint64_t first = 0; first < 4000; first += 4) {
        std::vector<std::uint64_t> order = {first, first + 1, first + 2, first + 3};
        const auto magnitude = [&](std::uint64_t i) { return std::abs(all.single(i)); };
        std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
            return magnitude(a) > magnitude(b);
        });
        ties += magnitude(order[1]) == magnitude(order[2]) ? 1 : 0;
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(pruned(order[i]), i < 2 ? all(order[i]) : 0) << order[i];
            EXPECT_EQ(pruned.single(order[i]), i < 2 ? all.single(order[i]) : 0) << order[i];
        }
    }
    EXPECT_GT(ties, 50);
    EXPECT_EQ(pruned.rounded(8)[5], half_to_float(pruned(5)));
    const auto given = std::make_shared<const std::vector<HalfBits>>(
        std::vector<HalfBits>{0x3c00, 0xc000, 0x4200, 0x0001, 0, 0, 0, 0x3c00});
    const ValueGenerator of_layer = ValueGenerator(given).pruned_2of4();
    const std::vector<HalfBits> expected = {0, 0xc000, 0x4200, 0, 0, 0, 0, 0x3c00};
    for (std::uint64_t i = 0; i < expected.size(); ++i) EXPECT_EQ(of_layer(i), expected[i]) << i;
}

TEST(ValueGenerator, PairsAreScaledRoundedAndClamped) {
    const ValueGenerator relu(1, Tensor::kWeights, ValuePattern::kRelu);
    const ValueGenerator pairs = relu.as_type(OperandType::kInt8, 4);
    const ValueGenerator larger = relu.as_type(OperandType::kUint8, 4);
    int clamped = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        const double scaled = std::nearbyint(127 * relu.single(i));
        const double expected = std::min(scaled, 127.0);
        clamped += scaled > 127 ? 1 : 0;
        EXPECT_EQ(static_cast<std::int8_t>(pairs(i / 2) >> (8 * (i % 2))), expected) << i;
        EXPECT_EQ(static_cast<std::uint8_t>(larger(i / 2) >> (8 * (i % 2))), expected + 128) << i;
    }
    EXPECT_GT(clamped, 100);
}

TEST(ValueGenerator, OtherFloatsAreRoundedFromTheSameNumbers) {
    const ValueGenerator uniform(1, Tensor::kWeights, ValuePattern::kUniform);
    const ValueGenerator bf16 = uniform.as_type(OperandType::kBf16, 5);
    const ValueGenerator tf32 = uniform.as_type(OperandType::kTf32, 5);
    const ValueGenerator fp8 = uniform.as_type(OperandType::kFp8, 8);
    const std::vector<float> rounded = tf32.rounded(1000);
    for (std::size_t i = 0; i < rounded.size(); ++i) {
        const float exact = uniform.single(i);
        EXPECT_EQ(bf16(i), to_bits(exact, Float16::kBf16));
        EXPECT_EQ(bf16.rounded(i + 1).back(), to_float(bf16(i), Float16::kBf16));
        EXPECT_EQ(rounded[i], to_tf32(exact));
        EXPECT_EQ(fp8(i / 2) >> (8 * (i % 2)) & 0xff, float_to_fp8(exact));
        EXPECT_EQ(fp8.rounded(i + 1).back(), fp8_to_float(float_to_fp8(exact)));
        const std::uint32_t bits = tf32(2 * i) | std::uint32_t{tf32(2 * i + 1)} << 16U;
        EXPECT_EQ(float_from_bits(bits), rounded[i]);
    }
}

/// Given elements are the integers themselves, and a line of an odd number ends with a zero.
TEST(ValueGenerator, PairsOfALayerAreItsIntegers) {
    std::vector<HalfBits> halves;
    for (const int x : {-128, 127, 3, 0, -1, 255})
        halves.push_back(float_to_half(static_cast<float>(x)));
    const ValueGenerator given(std::make_shared<const std::vector<HalfBits>>(halves));
    const auto words = [&](const ValueGenerator& pairs, std::size_t count) {
        std::vector<int> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(pairs(i));
        return all;
    };
    EXPECT_EQ(words(given.as_type(OperandType::kInt8, 6), 3),
              (std::vector<int>{0x7f80, 0x0003, 0xffff}));
    EXPECT_EQ(words(given.as_type(OperandType::kUint8, 3), 4),
              (std::vector<int>{0x7f80, 0x0003, 0xff00, 0x00ff}));
}

// Frozen: results of earlier versions stay comparable only while these hold.
TEST(ValueGenerator, KnownValues) {
    const ValueGenerator uniform(1, Tensor::kActivations, ValuePattern::kUniform);
    const ValueGenerator relu(1, Tensor::kWeights, ValuePattern::kRelu);
    const HalfBits expected_uniform[4] = {0xb475, 0x3a6c, 0xb987, 0xbb6d};
    const HalfBits expected_relu[4] = {0x39ad, 0x0000, 0x0000, 0x35f5};
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(uniform(i), expected_uniform[i]) << i;
        EXPECT_EQ(relu(i), expected_relu[i]) << i;
    }
}

}  // namespace
}  // namespace tessera

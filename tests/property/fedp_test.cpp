// Do both forms of the FEDP numerics agree, bit for bit, with an exact reference written another
// way?
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "sc_models/tensor_core/fedp.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSeed = 4711;

/// An operand as the alignment sees it.
struct Term {
    double value = 0;
    int exponent = 0;  ///< of an operand that is not zero
};

/// An operand format: values of its bits, and the exponent of its subnormals.
struct Fp16 {
    using Bits = HalfBits;
    static constexpr int kLeastExponent = -14;
    static double value(Bits bits) { return double{half_to_float(bits)}; }
    static float dot(const Bits* a, const Bits* b, float c) { return fedp4(a, b, c); }
    static void product(const Bits* a, const Bits* b, const float* c, float* d) {
        mma_16x16x16(a, b, c, d);
    }
};
struct Bf16 {
    using Bits = HalfBits;
    static constexpr int kLeastExponent = -126;
    static double value(Bits bits) { return double{to_float(bits, Float16::kBf16)}; }
    static float dot(const Bits* a, const Bits* b, float c) { return fedp4_bf16(a, b, c); }
    static void product(const Bits* a, const Bits* b, const float* c, float* d) {
        mma_16x16x16_bf16(a, b, c, d);
    }
};
struct Tf32 {
    using Bits = std::uint32_t;
    static constexpr int kLeastExponent = -126;
    static double value(Bits bits) { return double{float_from_bits(bits & ~0x1fffU)}; }
    static float dot(const Bits* a, const Bits* b, float c) { return fedp4_tf32(a, b, c); }
    static void product(const Bits* a, const Bits* b, const float* c, float* d) {
        mma_16x16x8_tf32(a, b, c, d);
    }
};

struct Fp8 {
    using Bits = Fp8Bits;
    static constexpr int kLeastExponent = -6;
    static double value(Bits bits) { return double{fp8_to_float(bits)}; }
    static float dot(const Bits* a, const Bits* b, float c) { return fedp4_fp8(a, b, c); }
    static void product(const Bits* a, const Bits* b, const float* c, float* d) {
        mma_16x16x32_fp8(a, b, c, d);
    }
};

/// Exact: doubles hold every product, every aligned term and their sum without rounding. `window`
/// is the number of significand bits kept at the largest exponent.
template <class Format>
float reference(const typename Format::Bits* a, const typename Format::Bits* b, float c,
                int window = 24) {
    const auto exponent = [](double value) {
        return std::max(std::ilogb(value), Format::kLeastExponent);
    };
    bool nan = std::isnan(c);
    bool plus = c == INFINITY;
    bool minus = c == -INFINITY;
    std::vector<Term> terms;
    for (int t = 0; t < 4; ++t) {
        const double x = Format::value(a[t]);
        const double y = Format::value(b[t]);
        const double product = x * y;
        nan = nan || std::isnan(product);
        plus = plus || product == INFINITY;
        minus = minus || (std::isinf(product) && product < 0);
        if (std::isfinite(product) && product != 0) {
            terms.push_back({product, exponent(x) + exponent(y)});
        }
    }
    if (nan || (plus && minus)) return float_from_bits(kFedpNan);
    if (plus) return INFINITY;
    if (minus) return -INFINITY;
    int largest = -126;
    if (c != 0) {
        const auto wide = static_cast<double>(c);
        terms.push_back({wide, std::max(std::ilogb(wide), -126)});
    }
    for (const Term& term : terms) largest = std::max(largest, term.exponent);
    const int unit = largest - (window - 1);
    double sum = 0;
    for (const Term& term : terms) sum += std::trunc(std::ldexp(term.value, -unit));
    if (sum == 0) return 0.0F;
    const double exact = std::ldexp(sum, unit);
    if (std::abs(exact) >= 0x1p128) return exact > 0 ? INFINITY : -INFINITY;
    const int last = std::max(std::ilogb(exact) - 23, -149);
    return static_cast<float>(std::ldexp(std::trunc(std::ldexp(exact, -last)), last));
}

/// kLargest: nearly 2 each, so that four products and the accumulator come to 2^27 and more units
/// of the alignment, four bits more than a result has.
enum class Mix { kUniform, kAnyBits, kSubnormal, kCancelling, kExtreme, kSpecial, kLargest };

HalfBits random_half(Mix mix, std::mt19937& random) {
    const auto bits = static_cast<HalfBits>(random());
    const auto finite = static_cast<HalfBits>((bits & 0x7c00U) == 0x7c00U ? bits & 0xbfffU : bits);
    switch (mix) {
        case Mix::kUniform:
            return float_to_half(static_cast<float>(static_cast<int>(random() >> 8U) - (1 << 23)) *
                                 0x1p-23F);
        case Mix::kAnyBits:
            return finite;
        case Mix::kSubnormal:
            return static_cast<HalfBits>(bits & 0x87ffU);
        case Mix::kCancelling: {
            static constexpr std::array<HalfBits, 6> kValues = {0x3c00, 0xbc00, 0x3c01,
                                                                0xbc01, 0x0000, 0x8000};
            return kValues[random() % kValues.size()];
        }
        case Mix::kExtreme: {
            static constexpr std::array<HalfBits, 8> kValues = {0x7bff, 0xfbff, 0x0001, 0x8001,
                                                                0x0400, 0x03ff, 0x8000, 0x7800};
            return kValues[random() % kValues.size()];
        }
        case Mix::kSpecial: {
            static constexpr std::array<HalfBits, 6> kValues = {0x7c00, 0xfc00, 0x7e00,
                                                                0x7c01, 0xffff, 0x0000};
            return random() % 8 == 0 ? kValues[random() % kValues.size()] : finite;
        }
        case Mix::kLargest:
            return static_cast<HalfBits>(0x3fe0U | (bits & 0x1fU));
    }
    return 0;
}

float random_accumulator(Mix mix, std::mt19937& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    switch (mix) {
        case Mix::kUniform:
            return static_cast<float>(static_cast<int>(bits)) * 0x1p-27F;
        case Mix::kCancelling:
            return static_cast<float>(static_cast<int>(bits % 9) - 4);
        case Mix::kSubnormal:
            return float_from_bits(bits & 0x80ffffffU);
        case Mix::kExtreme: {
            static constexpr std::array<std::uint32_t, 6> kValues = {
                0x7f7fffffU, 0xff7fffffU, 1U, 0x80000001U, 0x00800000U, 0x80000000U};
            return float_from_bits(kValues[bits % kValues.size()]);
        }
        case Mix::kSpecial:
            return bits % 8 == 0 ? float_from_bits(0x7f800000U | (bits & 0x80000001U))
                                 : float_from_bits(bits & 0xbfffffffU);
        case Mix::kLargest:
            return float_from_bits(0x3fe00000U | (bits & 0x1fffffU));
        case Mix::kAnyBits:
            break;
    }
    return float_from_bits((bits & 0x7f800000U) == 0x7f800000U ? bits & 0xbfffffffU : bits);
}

/// An operand with 8 bits of exponent, from the upper bits of an FP32 number.
float random_wide(Mix mix, std::mt19937& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    switch (mix) {
        case Mix::kUniform:
            return static_cast<float>(static_cast<int>(bits)) * 0x1p-31F;
        case Mix::kSubnormal:  // products from 2^-160 to 2^-120, and operands that are subnormal
            return bits % 4 == 0 ? float_from_bits(bits & 0x807fffffU)
                                 : float_from_bits((bits & 0x87ffffffU) | 0x1c000000U);
        case Mix::kCancelling: {
            static constexpr std::array<float, 6> kValues = {1,           -1, 1.0078125F,
                                                             -1.0078125F, 0,  -0.0F};
            return kValues[bits % kValues.size()];
        }
        case Mix::kExtreme: {  // sums beyond 2^128 and below 2^-149, and those that come back
            static constexpr std::array<std::uint32_t, 8> kValues = {
                0x7f7f0000U, 0xff7f0000U, 0x00010000U, 0x80010000U,
                0x5f000000U, 0xdf800000U, 0x20000000U, 0x80000000U};
            return float_from_bits(kValues[bits % kValues.size()]);
        }
        case Mix::kSpecial: {
            static constexpr std::array<std::uint32_t, 6> kValues = {
                0x7f800000U, 0xff800000U, 0x7fc00000U, 0x7f810000U, 0xffff0000U, 0};
            return random() % 8 == 0 ? float_from_bits(kValues[bits % kValues.size()])
                                     : float_from_bits(bits & 0xbfffffffU);
        }
        case Mix::kLargest:
            return float_from_bits(0x3ff80000U | (bits & 0x7ffffU));
        case Mix::kAnyBits:
            break;
    }
    return float_from_bits((bits & 0x7f800000U) == 0x7f800000U ? bits & 0xbfffffffU : bits);
}

template <class Format>
typename Format::Bits random_operand(Mix mix, std::mt19937& random);
template <>
HalfBits random_operand<Fp16>(Mix mix, std::mt19937& random) {
    return random_half(mix, random);
}
template <>
HalfBits random_operand<Bf16>(Mix mix, std::mt19937& random) {
    return static_cast<HalfBits>(float_bits(random_wide(mix, random)) >> 16U);
}
template <>
std::uint32_t random_operand<Tf32>(Mix mix, std::mt19937& random) {
    return float_bits(random_wide(mix, random));
}

template <>
Fp8Bits random_operand<Fp8>(Mix mix, std::mt19937& random) {
    const auto bits = static_cast<Fp8Bits>(random() >> 8U);
    switch (mix) {
        case Mix::kSpecial:
            return random() % 8 == 0 ? static_cast<Fp8Bits>(bits | 0x7fU) : bits;
        case Mix::kSubnormal:
            return static_cast<Fp8Bits>(bits & 0x8fU);
        case Mix::kCancelling: {
            static constexpr std::array<Fp8Bits, 6> kValues = {0x38, 0xb8, 0x39, 0xb9, 0, 0x80};
            return kValues[bits % kValues.size()];
        }
        case Mix::kExtreme: {
            static constexpr std::array<Fp8Bits, 6> kValues = {0x7e, 0xfe, 0x01, 0x81, 0x78, 0x80};
            return kValues[bits % kValues.size()];
        }
        case Mix::kLargest:
            return static_cast<Fp8Bits>(0x3eU | (bits & 1U));
        default:
            return (bits & 0x7fU) == 0x7fU ? Fp8Bits{0x7e} : bits;
    }
}

class FedpMix : public testing::TestWithParam<Mix> {};

template <class Format>
void check_scalar(Mix mix, int cases) {
    std::mt19937 random(kSeed);
    for (int i = 0; i < cases; ++i) {
        typename Format::Bits a[4];
        typename Format::Bits b[4];
        for (auto& element : a) element = random_operand<Format>(mix, random);
        for (auto& element : b) element = random_operand<Format>(mix, random);
        const float c = random_accumulator(mix, random);
        ASSERT_EQ(float_bits(Format::dot(a, b, c)), float_bits(reference<Format>(a, b, c)))
            << "seed " << kSeed << " case " << i;
    }
}

TEST_P(FedpMix, ScalarAgreesWithTheReference) {
    check_scalar<Fp16>(GetParam(), 300000);
}
TEST_P(FedpMix, ScalarOfBf16AgreesWithTheReference) {
    check_scalar<Bf16>(GetParam(), 200000);
}
TEST_P(FedpMix, ScalarOfTf32AgreesWithTheReference) {
    check_scalar<Tf32>(GetParam(), 200000);
}

TEST_P(FedpMix, ScalarOfFp8AgreesWithTheReference) {
    check_scalar<Fp8>(GetParam(), 200000);
}

/// Fragments of the mix; every other one has a B of zeros but one in 16, so that infinities do not
/// hide the rest.
template <class Format>
void check_fragments(Mix mix, int cases) {
    constexpr std::uint32_t kDepth = 32 / sizeof(typename Format::Bits);
    std::mt19937 random(kSeed + 1);
    for (int i = 0; i < cases; ++i) {
        typename Format::Bits a[kMmaSize * kDepth];
        typename Format::Bits b[kMmaSize * kDepth];
        float c[kMmaElements];
        float d[kMmaElements];
        for (auto& element : a) element = random_operand<Format>(mix, random);
        for (auto& element : b) {
            const bool zero = i % 2 == 1 && random() % 16 != 0;
            element = zero ? typename Format::Bits{0} : random_operand<Format>(mix, random);
        }
        for (float& f : c) f = random_accumulator(mix, random);
        Format::product(a, b, c, d);
        for (std::uint32_t row = 0; row < kMmaSize; ++row) {
            for (std::uint32_t column = 0; column < kMmaSize; ++column) {
                float expected = c[row * kMmaSize + column];
                for (std::uint32_t k = 0; k < kDepth; k += 4) {
                    expected =
                        reference<Format>(&a[row * kDepth + k], &b[column * kDepth + k], expected);
                }
                ASSERT_EQ(float_bits(d[row * kMmaSize + column]), float_bits(expected))
                    << "seed " << kSeed + 1 << " case " << i << " at " << row << "," << column;
            }
        }
        Format::product(a, b, c, c);  // in place
        for (std::uint32_t e = 0; e < kMmaElements; ++e)
            ASSERT_EQ(float_bits(c[e]), float_bits(d[e]));
    }
}

TEST_P(FedpMix, FragmentProductAgreesWithTheReference) {
    check_fragments<Fp16>(GetParam(), 300);
}
TEST_P(FedpMix, FragmentProductOfBf16AgreesWithTheReference) {
    check_fragments<Bf16>(GetParam(), 200);
}
TEST_P(FedpMix, FragmentProductOfTf32AgreesWithTheReference) {
    check_fragments<Tf32>(GetParam(), 200);
}
TEST_P(FedpMix, FragmentProductOfFp8AgreesWithTheReference) {
    check_fragments<Fp8>(GetParam(), 200);
}

INSTANTIATE_TEST_SUITE_P(Mixes, FedpMix,
                         testing::Values(Mix::kUniform, Mix::kAnyBits, Mix::kSubnormal,
                                         Mix::kCancelling, Mix::kExtreme, Mix::kSpecial,
                                         Mix::kLargest));

// The mixes must come by every width of a sum: from 2^24 to 2^28 units, one to four bits too many.
TEST(Fedp, TheLargestMixHasSumsOfFourBitsTooMany) {
    std::mt19937 random(kSeed);
    int wide = 0;
    for (int i = 0; i < 1000; ++i) {
        auto sum = static_cast<double>(random_accumulator(Mix::kLargest, random));
        for (int t = 0; t < 4; ++t) {
            sum += static_cast<double>(half_to_float(random_half(Mix::kLargest, random))) *
                   static_cast<double>(half_to_float(random_half(Mix::kLargest, random)));
        }
        wide += sum >= 16 ? 1 : 0;  // 2^27 units of 2^-23
    }
    EXPECT_GT(wide, 900);
}

// The comparison must be able to fail: one guard bit more gives other results.
TEST(Fedp, AWiderWindowIsCaught) {
    std::mt19937 random(kSeed);
    int different = 0;
    for (int i = 0; i < 1000; ++i) {
        HalfBits a[4];
        HalfBits b[4];
        for (HalfBits& h : a) h = random_half(Mix::kUniform, random);
        for (HalfBits& h : b) h = random_half(Mix::kUniform, random);
        const float c = random_accumulator(Mix::kUniform, random);
        different += float_bits(fedp4(a, b, c)) != float_bits(reference<Fp16>(a, b, c, 25)) ? 1 : 0;
    }
    EXPECT_GT(different, 100);
}

// The behaviour the header states, in numbers worked out by hand.
TEST(Fedp, StatedBehaviour) {
    constexpr HalfBits kOne = 0x3c00;
    constexpr HalfBits kMinusOne = 0xbc00;
    constexpr HalfBits kInfinity = 0x7c00;
    const HalfBits ones[4] = {kOne, kOne, kOne, kOne};
    const HalfBits zeros[4] = {0, 0, 0, 0};
    const HalfBits one_zero[4] = {kOne, 0, 0, 0};
    // No guard bit: 2^-24 beside 1 is cut off before the addition, even four times.
    const HalfBits tiny[4] = {0x0c00, 0x0c00, 0x0c00, 0x0c00};  // 2^-12
    const HalfBits minus_tiny[4] = {0x8c00, 0x8c00, 0x8c00, 0x8c00};
    EXPECT_EQ(fedp4(tiny, tiny, 1.0F), 1.0F);
    EXPECT_EQ(fedp4(tiny, minus_tiny, 1.0F), 1.0F);
    // Truncation of the result: 2^24 + 3 has 25 bits.
    const HalfBits three[4] = {kOne, kOne, kOne, 0};
    EXPECT_EQ(fedp4(three, ones, 16777215.0F), 16777218.0F);
    // An exact zero is +0.
    EXPECT_EQ(float_bits(fedp4(zeros, zeros, -0.0F)), 0U);
    const HalfBits cancel[4] = {kOne, kMinusOne, 0, 0};
    EXPECT_EQ(float_bits(fedp4(cancel, ones, 0.0F)), 0U);
    // Subnormal halves and floats count.
    const HalfBits smallest[4] = {1, 0, 0, 0};
    EXPECT_EQ(fedp4(smallest, ones, 0.0F), 0x1p-24F);
    EXPECT_EQ(float_bits(fedp4(zeros, zeros, float_from_bits(1))), 1U);
    // Infinities and NaNs.
    const HalfBits infinite[4] = {kInfinity, 0, 0, 0};
    EXPECT_EQ(fedp4(infinite, one_zero, 5.0F), INFINITY);
    EXPECT_EQ(float_bits(fedp4(infinite, zeros, 5.0F)), kFedpNan);
    EXPECT_EQ(float_bits(fedp4(infinite, one_zero, -INFINITY)), kFedpNan);
    EXPECT_EQ(float_bits(fedp4(zeros, zeros, NAN)), kFedpNan);
}

// A sum that an infinity begins in the middle of a fragment stays infinite: later products as large
// with the other sign do not bring it back.
TEST(Fedp, ASumThatOverflowsInAFragmentStaysInfinite) {
    constexpr HalfBits kTwoTo64 = 0x5f80;
    HalfBits a[kMmaElements] = {};
    HalfBits b[kMmaElements] = {};
    float d[kMmaElements] = {};
    for (std::uint32_t k = 0; k < 8; ++k) {
        a[k] = static_cast<HalfBits>(k < 4 ? kTwoTo64 : kTwoTo64 | 0x8000U);
        b[k] = kTwoTo64;
    }
    mma_16x16x16_bf16(a, b, d, d);
    EXPECT_EQ(d[0], INFINITY);
    EXPECT_EQ(d[1], 0.0F);
}

}  // namespace
}  // namespace tessera

// Do the FEOP numerics agree, bit for bit, with the compiler's own half and single precision?
#include "sc_models/tensor_core/feop.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint32_t kSeed = 4711;

/// TESSERA_NIGHTLY=1: all 2^32 products and 10^8 additions instead of a part of them.
bool nightly() {
    const char* value = std::getenv("TESSERA_NIGHTLY");
    return value != nullptr && *value == '1';
}

float compilers_float(HalfBits bits) {
#ifdef __FLT16_MAX__
    __extension__ _Float16 half = 0;
    std::memcpy(&half, &bits, sizeof half);
    return static_cast<float>(half);
#else
    return half_to_float(bits);
#endif
}

std::vector<float> all_halves() {
    std::vector<float> table(0x10000);
    for (std::uint32_t h = 0; h < table.size(); ++h) {
        table[h] = compilers_float(static_cast<HalfBits>(h));
    }
    return table;
}

std::uint32_t canonical_bits(float value) {
    return std::isnan(value) ? kFeopNan : float_bits(value);
}

const std::array<HalfBits, 24> kSpecialHalves = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x01ff, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401,
    0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff};

const std::vector<std::uint32_t>& special_floats() {
    static const std::vector<std::uint32_t> kFloats = [] {
        std::vector<std::uint32_t> floats;
        for (const std::uint32_t magnitude :
             {0x00000000U, 0x00000001U, 0x00000002U, 0x00000003U, 0x003fffffU, 0x00400000U,
              0x007ffffeU, 0x007fffffU, 0x00800000U, 0x00800001U, 0x00ffffffU, 0x01000000U,
              0x01000001U, 0x0b800000U, 0x0c000000U, 0x0c7fffffU, 0x0c800000U, 0x33000000U,
              0x33800000U, 0x33800001U, 0x34000000U, 0x3f7fffffU, 0x3f800000U, 0x3f800001U,
              0x40000000U, 0x4b7fffffU, 0x4b800000U, 0x4b800001U, 0x72ffffffU, 0x73000000U,
              0x73800000U, 0x7e7fffffU, 0x7e800000U, 0x7effffffU, 0x7f000000U, 0x7f7ffffeU,
              0x7f7fffffU, 0x7f800000U, 0x7f800001U, 0x7fc00000U, 0x7fffffffU}) {
            floats.push_back(magnitude);
            floats.push_back(magnitude | 0x80000000U);
        }
        return floats;
    }();
    return kFloats;
}

/// Pairs with exponents close to each other, subnormals, cancellations and anything.
std::pair<std::uint32_t, std::uint32_t> random_pair(std::mt19937& random) {
    const auto x = static_cast<std::uint32_t>(random());
    auto y = static_cast<std::uint32_t>(random());
    const auto choice = static_cast<std::uint32_t>(random());
    switch (choice & 3U) {
        case 0: {
            const std::uint32_t exponent = ((x >> 23U) + ((choice >> 2U) % 64) - 32) & 0xffU;
            return {x, (y & 0x807fffffU) | (exponent << 23U)};
        }
        case 1:
            return {x & 0x83ffffffU, y & 0x83ffffffU};
        case 2:
            y = x ^ 0x80000000U ^ (1U << ((choice >> 2U) % 31));
            return {x, y};
        default:
            return {x, y};
    }
}

TEST(FeopProduct, SpecialOperandsTimesAllHalves) {
    const std::vector<float> table = all_halves();
    for (const HalfBits a : kSpecialHalves) {
        for (std::uint32_t b = 0; b < table.size(); ++b) {
            const std::uint32_t expected = canonical_bits(table[a] * table[b]);
            ASSERT_EQ(fp16_product(a, static_cast<HalfBits>(b)), expected) << a << " x " << b;
            ASSERT_EQ(fp16_product(static_cast<HalfBits>(b), a), expected) << b << " x " << a;
        }
    }
}

TEST(FeopProduct, AgreesWithTheCompiler) {
    const std::vector<float> table = all_halves();
    const std::uint64_t stride = nightly() ? 1 : 61;  // odd: passes every a and every b
    for (std::uint64_t pair = 0; pair < (std::uint64_t{1} << 32U); pair += stride) {
        const auto a = static_cast<HalfBits>(pair >> 16U);
        const auto b = static_cast<HalfBits>(pair);
        const std::uint32_t expected = canonical_bits(table[a] * table[b]);
        if (fp16_product(a, b) != expected) {
            FAIL() << a << " x " << b << ": got " << fp16_product(a, b) << ", expected "
                   << expected;
        }
    }
}

TEST(FeopSum, PairsOfSpecialOperands) {
    for (const std::uint32_t x : special_floats()) {
        for (const std::uint32_t y : special_floats()) {
            ASSERT_EQ(fp32_add(x, y), canonical_bits(float_from_bits(x) + float_from_bits(y)))
                << std::hex << x << " + " << y;
        }
    }
}

TEST(FeopSum, AgreesWithTheProcessor) {
    std::mt19937 random(kSeed);
    const std::uint32_t additions = nightly() ? 100'000'000 : 10'000'000;
    for (std::uint32_t i = 0; i < additions; ++i) {
        const auto [x, y] = random_pair(random);
        const std::uint32_t expected = canonical_bits(float_from_bits(x) + float_from_bits(y));
        if (fp32_add(x, y) != expected) {
            FAIL() << "seed " << kSeed << " case " << i << std::hex << ": " << x << " + " << y
                   << ": got " << fp32_add(x, y) << ", expected " << expected;
        }
    }
}

// The comparison must be able to fail: truncation instead of rounding shows.
TEST(FeopSum, TruncationIsCaught) {
    std::mt19937 random(kSeed);
    int different = 0;
    for (int i = 0; i < 1000; ++i) {
        const float x = float_from_bits(0x3f800000U | (random() & 0x7fffffU));
        const float y = float_from_bits(0x3c000000U | (random() & 0x7fffffU));
        const double exact = static_cast<double>(x) + static_cast<double>(y);
        auto truncated = static_cast<float>(exact);
        if (static_cast<double>(truncated) > exact) truncated = std::nextafterf(truncated, 0.0F);
        different += fp32_add(float_bits(x), float_bits(y)) != float_bits(truncated) ? 1 : 0;
    }
    EXPECT_GT(different, 100);
}

enum class Mix { kUniform, kAnyBits, kSubnormal, kSparse, kSpecial };

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
        case Mix::kSparse:
            return random() % 4 != 0 ? static_cast<HalfBits>(bits & 0x8000U) : finite;
        case Mix::kSpecial:
            return random() % 16 == 0 ? kSpecialHalves[random() % kSpecialHalves.size()] : finite;
    }
    return 0;
}

float random_accumulator(Mix mix, std::mt19937& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    switch (mix) {
        case Mix::kUniform:
            return static_cast<float>(static_cast<int>(bits)) * 0x1p-27F;
        case Mix::kSubnormal:
            return float_from_bits(bits & 0x80ffffffU);
        case Mix::kSparse:
            return bits % 2 == 0 ? -0.0F : 0.0F;
        case Mix::kAnyBits:
        case Mix::kSpecial:
            break;
    }
    return float_from_bits(bits % 8 == 0 ? special_floats()[bits / 8 % special_floats().size()]
                                         : bits);
}

struct Fragments {
    HalfBits a[kOwmmaElements];
    HalfBits b[kOwmmaElements];
    float c[kOwmmaElements];
};

Fragments random_fragments(Mix mix, std::mt19937& random) {
    Fragments fragments{};
    for (HalfBits& h : fragments.a) h = random_half(mix, random);
    for (HalfBits& h : fragments.b) h = random_half(mix, random);
    for (float& f : fragments.c) f = random_accumulator(mix, random);
    return fragments;
}

/// feop() in the stated order, on an accumulator whose -0 are +0.
void by_feop(const Fragments& in, float* d, bool skip_zeros) {
    for (std::uint32_t e = 0; e < kOwmmaElements; ++e) d[e] = in.c[e] == 0 ? 0.0F : in.c[e];
    for (std::uint32_t k = 0; k < kOwmmaSize; ++k) {
        for (std::uint32_t i = 0; i < kOwmmaSize; ++i) {
            const HalfBits a = in.a[i * kOwmmaSize + k];
            for (std::uint32_t j = 0; j < kOwmmaSize; j += kFeopLanes) {
                HalfBits b[kFeopLanes];
                for (std::uint32_t lane = 0; lane < kFeopLanes; ++lane) {
                    b[lane] = in.b[(j + lane) * kOwmmaSize + k];
                }
                float* sum = d + i * kOwmmaSize + j;
                float result[kFeopLanes];
                feop(a, b, sum, result);
                for (std::uint32_t lane = 0; lane < kFeopLanes; ++lane) {
                    const bool zero = (a & 0x7fffU) == 0 || (b[lane] & 0x7fffU) == 0;
                    if (!(skip_zeros && zero)) sum[lane] = result[lane];
                }
            }
        }
    }
    for (std::uint32_t e = 0; e < kOwmmaElements; ++e) {
        d[e] = float_from_bits(canonical_bits(d[e]));
    }
}

class OwmmaMix : public testing::TestWithParam<Mix> {};

TEST_P(OwmmaMix, AgreesWithFeopInOrder) {
    std::mt19937 random(kSeed);
    for (int i = 0; i < 300; ++i) {
        Fragments in = random_fragments(GetParam(), random);
        float d[kOwmmaElements];
        float expected[kOwmmaElements];
        owmma_16x16x16(in.a, in.b, in.c, d);
        by_feop(in, expected, false);
        for (std::uint32_t e = 0; e < kOwmmaElements; ++e) {
            ASSERT_EQ(float_bits(d[e]), float_bits(expected[e]))
                << "seed " << kSeed << " case " << i << " element " << e;
        }
        owmma_16x16x16(in.a, in.b, in.c, in.c);  // in place
        for (std::uint32_t e = 0; e < kOwmmaElements; ++e) {
            ASSERT_EQ(float_bits(in.c[e]), float_bits(d[e]));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Mixes, OwmmaMix,
                         testing::Values(Mix::kUniform, Mix::kAnyBits, Mix::kSubnormal,
                                         Mix::kSparse, Mix::kSpecial));

// Assumption of the sparse tensor core: a sum of finite products does not change without the zeros.
TEST(Owmma, SkippingZerosChangesNothing) {
    std::mt19937 random(kSeed);
    for (int i = 0; i < 300; ++i) {
        const Fragments in = random_fragments(Mix::kSparse, random);
        float d[kOwmmaElements];
        float expected[kOwmmaElements];
        owmma_16x16x16(in.a, in.b, in.c, d);
        by_feop(in, expected, true);
        for (std::uint32_t e = 0; e < kOwmmaElements; ++e) {
            ASSERT_EQ(float_bits(d[e]), float_bits(expected[e]))
                << "seed " << kSeed << " case " << i << " element " << e;
        }
    }
}

// The behaviour the header states, in numbers worked out by hand.
TEST(Feop, StatedBehaviour) {
    constexpr HalfBits kOne = 0x3c00;
    constexpr HalfBits kInfinity = 0x7c00;
    const HalfBits b[kFeopLanes] = {kOne, 0x4000, 0, kInfinity};
    const float c[kFeopLanes] = {1.0F, 0x1p24F, -0.0F, -INFINITY};
    float d[kFeopLanes];
    feop(kOne, b, c, d);
    EXPECT_EQ(d[0], 2.0F);
    EXPECT_EQ(d[1], 0x1p24F + 2.0F);
    EXPECT_EQ(float_bits(d[2]), 0U);
    EXPECT_EQ(float_bits(d[3]), kFeopNan);
    EXPECT_EQ(float_from_bits(fp16_product(0x0001, 0x0001)), 0x1p-48F);
    EXPECT_EQ(fp16_product(0x8000, kOne), 0x80000000U);
    EXPECT_EQ(fp16_product(kInfinity, 0x8000), kFeopNan);
    EXPECT_EQ(fp32_add(0x80000000U, 0x80000000U), 0x80000000U);
    EXPECT_EQ(fp32_add(float_bits(0x1p24F), float_bits(1.0F)), float_bits(0x1p24F));  // a tie
    EXPECT_EQ(fp32_add(float_bits(0x1p24F), float_bits(3.0F)), float_bits(0x1p24F + 4.0F));
    EXPECT_EQ(fp32_add(0x7f7fffffU, 0x73000000U), 0x7f800000U);
}

}  // namespace
}  // namespace tessera

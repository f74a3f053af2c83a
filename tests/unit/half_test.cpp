// Do the half conversions agree with their definition, and with the processor's own, on every half?
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sc_models/tensor_core/half.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tessera {
namespace {

constexpr std::uint32_t kHalves = 65536;
constexpr std::uint32_t kSeed = 7;

bool is_nan(std::uint32_t h) {
    return (h & 0x7fffU) > 0x7c00U;
}

double defined_value(std::uint32_t h) {
    const double sign = (h & 0x8000U) != 0 ? -1 : 1;
    const int exponent = static_cast<int>((h >> 10U) & 31U);
    const double fraction = static_cast<double>(h & 0x3ffU) / 1024;
    if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
    if (exponent == 0) return sign * std::ldexp(fraction, -14);
    return sign * std::ldexp(1 + fraction, exponent - 15);
}

/// To nearest even by the definition, for finite values.
HalfBits rounded(double value) {
    const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
    const double magnitude = std::fabs(value);
    int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
    const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
    if (units * std::ldexp(1, exponent - 10) >= 65536.0)
        return static_cast<HalfBits>(sign | 0x7c00U);
    // Subnormals have units below 1024; a carry to 2048 runs into the exponent as it should.
    const std::uint32_t bits =
        static_cast<std::uint32_t>(units) + static_cast<std::uint32_t>((exponent + 14) * 1024);
    return static_cast<HalfBits>(sign | bits);
}

TEST(Half, EveryHalfHasItsDefinedValue) {
    for (std::uint32_t h = 0; h < kHalves; ++h) {
        const float value = half_to_float(static_cast<HalfBits>(h));
        if (is_nan(h)) {
            ASSERT_TRUE(std::isnan(value)) << h;
        } else {
            ASSERT_EQ(static_cast<double>(value), defined_value(h)) << h;
            ASSERT_EQ(std::signbit(value), (h & 0x8000U) != 0) << h;
        }
    }
}

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
    for (std::uint32_t h = 0; h < kHalves; ++h) {
        const std::uint32_t expected = is_nan(h) ? h | 0x200U : h;
        ASSERT_EQ(float_to_half(half_to_float(static_cast<HalfBits>(h))), expected) << h;
    }
}

TEST(Half, RoundsToNearestEvenAroundEveryBoundary) {
    for (std::uint32_t h = 0; h < 0x7c00U; ++h) {
        const float low = half_to_float(static_cast<HalfBits>(h));
        const float high = h == 0x7bffU ? 65536.0F : half_to_float(static_cast<HalfBits>(h + 1));
        const float middle = (low + high) / 2;  // exact
        for (const float value : {std::nextafter(middle, 0.0F), middle,
                                  std::nextafter(middle, 1e9F), low, std::nextafter(low, 1e9F)}) {
            ASSERT_EQ(float_to_half(value), rounded(static_cast<double>(value))) << value;
            ASSERT_EQ(float_to_half(-value), rounded(-static_cast<double>(value))) << value;
        }
    }
}

TEST(Half, SpecialValues) {
    EXPECT_EQ(float_to_half(INFINITY), 0x7c00U);
    EXPECT_EQ(float_to_half(-INFINITY), 0xfc00U);
    EXPECT_EQ(float_to_half(65519.996F), 0x7bffU);
    EXPECT_EQ(float_to_half(65520.0F), 0x7c00U);
    EXPECT_EQ(float_to_half(3e38F), 0x7c00U);
    EXPECT_EQ(float_to_half(float_from_bits(0x7f800001U)), 0x7e00U);
    EXPECT_EQ(float_to_half(-0.0F), 0x8000U);
    EXPECT_EQ(float_to_half(float_from_bits(1)), 0U);
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) float processor_to_float(HalfBits half) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}
__attribute__((target("f16c"))) HalfBits processor_to_half(float value) {
    const __m128i halves = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT);
    return static_cast<HalfBits>(_mm_cvtsi128_si32(halves) & 0xffff);
}

bool processor_has_f16c() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

TEST(Half, AgreesWithTheProcessor) {
    if (!processor_has_f16c()) GTEST_SKIP() << "this processor has no F16C";
    for (std::uint32_t h = 0; h < kHalves; ++h) {
        const auto half = static_cast<HalfBits>(h);
        ASSERT_EQ(float_bits(half_to_float(half)), float_bits(processor_to_float(half))) << h;
    }
    std::mt19937 random(kSeed);
    for (int i = 0; i < 2000000; ++i) {
        const float value = float_from_bits(static_cast<std::uint32_t>(random()));
        ASSERT_EQ(float_to_half(value), processor_to_half(value))
            << "seed " << kSeed << " bits " << float_bits(value);
    }
}
#endif

/// To nearest by the definition: `fraction` bits behind the first, exponents of FP32, ties to even
/// or, by `round`, away from zero.
double rounded_to(double value, int fraction, double (*round)(double) = std::nearbyint) {
    if (value == 0) return value;
    const int unit = std::max(std::ilogb(value), -126) - fraction;
    const double nearest = std::ldexp(round(std::ldexp(value, -unit)), unit);
    return std::fabs(nearest) < 0x1p128 ? nearest : std::copysign(INFINITY, value);
}

TEST(Bfloat16, EveryNumberSurvivesTheRoundTrip) {
    for (std::uint32_t b = 0; b < kHalves; ++b) {
        const float value = to_float(static_cast<HalfBits>(b), Float16::kBf16);
        const bool nan = (b & 0x7fffU) > 0x7f80U;
        EXPECT_EQ(std::isnan(value), nan) << b;
        EXPECT_EQ(to_bits(value, Float16::kBf16), nan ? b | 0x40U : b);
        if (nan || std::isinf(value)) continue;
        const int exponent = static_cast<int>(b >> 7U & 0xffU);
        const double fraction = static_cast<double>(b & 0x7fU) / 128 + (exponent > 0 ? 1 : 0);
        const double magnitude = std::ldexp(fraction, std::max(exponent, 1) - 127);
        ASSERT_EQ(static_cast<double>(value), (b & 0x8000U) != 0 ? -magnitude : magnitude) << b;
    }
}

/// BF16 rounds ties to even, TF32 away from zero.
TEST(Bfloat16, AndTf32RoundToNearestAroundEveryBoundary) {
    for (std::uint32_t b = 0; b < 0x7f80U; ++b) {
        for (const std::uint32_t lower : {0U, 1U, 0xfffU, 0x1000U, 0x1001U, 0x2fffU, 0x3000U,
                                          0x7fffU, 0x8000U, 0x8001U, 0xefffU, 0xf000U, 0xffffU}) {
            for (const std::uint32_t sign : {0U, 0x80000000U}) {
                const float value = float_from_bits(sign | b << 16U | lower);
                const auto exact = static_cast<double>(value);
                ASSERT_EQ(to_float(to_bits(value, Float16::kBf16), Float16::kBf16),
                          rounded_to(exact, 7))
                    << value;
                const float tf32 = to_tf32(value);
                ASSERT_EQ(tf32, rounded_to(exact, 10, std::round)) << value;
                ASSERT_EQ(float_bits(tf32) & 0x1fffU, 0U) << value;
            }
        }
    }
    EXPECT_TRUE(std::isnan(to_tf32(float_from_bits(0x7f800001U))));
}

/// Every E4M3 number has its defined value and survives the round trip; the middle of two goes to
/// the even one, and what is a little beyond the middle to the other.
TEST(Fp8, EveryNumberAndEveryBoundary) {
    for (std::uint32_t b = 0; b < 256; ++b) {
        const auto bits = static_cast<Fp8Bits>(b);
        const float value = fp8_to_float(bits);
        EXPECT_EQ(float_to_fp8(value), bits);
        if ((b & 0x7fU) == 0x7fU) {
            EXPECT_TRUE(std::isnan(value));
            continue;
        }
        const int exponent = static_cast<int>(b >> 3U & 0xfU);
        const double fraction = static_cast<double>(b & 7U) / 8 + (exponent > 0 ? 1 : 0);
        const double magnitude = std::ldexp(fraction, std::max(exponent, 1) - 7);
        EXPECT_EQ(static_cast<double>(value), b >= 128 ? -magnitude : magnitude);
        EXPECT_EQ(std::signbit(value), b >= 128);
        if ((b & 0x7fU) == 0x7eU) continue;
        const float next = fp8_to_float(static_cast<Fp8Bits>(b + 1));
        const float middle = (value + next) / 2;
        EXPECT_EQ(float_to_fp8(middle), b % 2 == 0 ? b : b + 1) << b;
        EXPECT_EQ(float_to_fp8(std::nextafter(middle, 0.0F)), b) << b;
        EXPECT_EQ(float_to_fp8(std::nextafter(middle, next * 2)), b + 1) << b;
    }
    EXPECT_EQ(float_to_fp8(449), 0x7e);
    EXPECT_EQ(float_to_fp8(-INFINITY), 0xfe);
    EXPECT_EQ(float_to_fp8(NAN) & 0x7f, 0x7f);
}

}  // namespace
}  // namespace tessera

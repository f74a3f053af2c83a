// Floating-point numbers of the tensor cores: IEEE 754 binary16, bfloat16, TF32 and E4M3.
#pragma once

#include <cstdint>
#include <cstring>

#include "sc_models/isa/mma_shape.h"

namespace tessera {

/// Bits of a half-precision number: sign 1, exponent 5 (bias 15), fraction 10.
using HalfBits = std::uint16_t;

[[nodiscard]] inline std::uint32_t float_bits(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

[[nodiscard]] inline float float_from_bits(std::uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// Converts exactly. NaNs become quiet and keep their payload.
[[nodiscard]] inline float half_to_float(HalfBits half) {
    const std::uint32_t sign = (half & 0x8000U) << 16U;
    const std::uint32_t exponent = (half >> 10U) & 0x1fU;
    const std::uint32_t fraction = half & 0x3ffU;
    if (exponent == 0) {  // zero and subnormals: fraction x 2^-24, exact in a float
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return float_from_bits(float_bits(magnitude) | sign);
    }
    if (exponent == 31) {
        const std::uint32_t quiet = fraction != 0 ? 0x400000U : 0U;
        return float_from_bits(sign | 0x7f800000U | quiet | (fraction << 13U));
    }
    return float_from_bits(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
}

/// Rounds to nearest, ties to even; overflow gives infinity, NaNs become quiet and keep their upper
/// payload.
[[nodiscard]] inline HalfBits float_to_half(float value) {
    const std::uint32_t bits = float_bits(value);
    const auto sign = static_cast<HalfBits>((bits >> 16U) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) {
        return static_cast<HalfBits>(sign | 0x7e00U | ((magnitude >> 13U) & 0x3ffU));
    }
    if (magnitude >= 0x47800000U) return static_cast<HalfBits>(sign | 0x7c00U);  // 2^16 and up
    if (magnitude < 0x38800000U) {
        // Below 2^-14 the unit is 2^-24. The float addition rounds to it, because it is the last
        // place of 0.5.
        const float shifted = float_from_bits(magnitude) + 0.5F;
        return static_cast<HalfBits>(sign | (float_bits(shifted) - float_bits(0.5F)));
    }
    const std::uint32_t odd = (magnitude >> 13U) & 1U;
    const std::uint32_t rounded = magnitude - 0x38000000U + 0xfffU + odd;
    return static_cast<HalfBits>(sign | (rounded >> 13U));
}

/// Converts exactly. NaNs keep their payload; those of FP16 become quiet.
[[nodiscard]] inline float to_float(HalfBits bits, Float16 format) {
    if (format == Float16::kBf16) return float_from_bits(std::uint32_t{bits} << 16U);
    return half_to_float(bits);
}

/// Rounds to nearest, ties to even; overflow gives infinity, NaNs become quiet and keep their upper
/// payload.
[[nodiscard]] inline HalfBits to_bits(float value, Float16 format) {
    if (format == Float16::kFp16) return float_to_half(value);
    const std::uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<HalfBits>(bits >> 16U | 0x40U);
    return static_cast<HalfBits>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

/// Rounds to the nearest number of the format, as to_bits().
[[nodiscard]] inline float rounded(float value, Float16 format) {
    return to_float(to_bits(value, format), format);
}

/// Rounds an FP32 number to TF32, which has 10 bits of fraction in place of 23: to nearest, ties
/// away from zero, as cvt.rna.tf32.f32 does (PTX ISA, cvt). The other 13 bits are zero.
[[nodiscard]] inline float to_tf32(float value) {
    constexpr std::uint32_t kUnused = 0x1fffU;
    const std::uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return float_from_bits((bits | 0x400000U) & ~kUnused);
    return float_from_bits((bits + 0x1000U) & ~kUnused);
}

/// Bits of an E4M3 number (OCP 8-bit floating point): sign 1, exponent 4 (bias 7), fraction 3.
/// There are no infinities; only all ones behind the sign are a NaN, and the largest number is 448.
using Fp8Bits = std::uint8_t;

/// Converts exactly.
[[nodiscard]] inline float fp8_to_float(Fp8Bits bits) {
    const std::uint32_t sign = (bits & 0x80U) << 24U;
    const std::uint32_t magnitude = bits & 0x7fU;
    if (magnitude == 0x7fU) return float_from_bits(sign | 0x7fc00000U);
    if (magnitude < 8) {  // zero and subnormals: fraction x 2^-9
        return float_from_bits(float_bits(static_cast<float>(magnitude) * 0x1p-9F) | sign);
    }
    return float_from_bits(sign | ((magnitude << 20U) + (120U << 23U)));
}

/// Rounds to nearest, ties to even; numbers beyond 448 and infinities become 448, as cvt with
/// .satfinite makes them (PTX ISA).
[[nodiscard]] inline Fp8Bits float_to_fp8(float value) {
    constexpr std::uint32_t kLargest = 0x7eU;
    const std::uint32_t bits = float_bits(value);
    const std::uint32_t sign = bits >> 24U & 0x80U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<Fp8Bits>(sign | 0x7fU);
    if (magnitude >= 0x43e00000U) return static_cast<Fp8Bits>(sign | kLargest);  // 448 and up
    if (magnitude < 0x3c800000U) {
        // Below 2^-6 the unit is 2^-9, the last place of 2^14.
        const float shifted = float_from_bits(magnitude) + 0x1p14F;
        return static_cast<Fp8Bits>(sign | (float_bits(shifted) - float_bits(0x1p14F)));
    }
    const std::uint32_t odd = magnitude >> 20U & 1U;
    return static_cast<Fp8Bits>(sign | ((magnitude - (120U << 23U) + 0x7ffffU + odd) >> 20U));
}

}  // namespace tessera

// Naive reference of the multiplier array: products in float arithmetic, one by one.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sc_models/tensor_core/feop_array.h"

namespace tessera::testbench {

/// Value of a half, from its definition: sign, significand and power of two.
[[nodiscard]] inline float naive_half(HalfBits half) {
    const int exponent = half / 1024 % 32;
    const int fraction = half % 1024;
    float value = 0;
    if (exponent == 31) {
        value = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
    } else if (exponent == 0) {
        value = std::ldexp(static_cast<float>(fraction), -24);
    } else {
        value = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    }
    return half >= 0x8000 ? -value : value;
}

/// Product of two halves as FP32 bits. It is exact in a float. Each NaN has the same bits.
[[nodiscard]] inline std::uint32_t naive_product(HalfBits a, HalfBits b) {
    const float product = naive_half(a) * naive_half(b);
    if (std::isnan(product)) return 0x7fffffff;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &product, sizeof bits);
    return bits;
}

/// Bit (row, column) of a binary outer product. A bitmap of 32 bits lies in two halves.
[[nodiscard]] inline std::uint32_t naive_bit(const FeopArrayInputs& in, std::uint32_t row,
                                             std::uint32_t column) {
    const std::uint32_t a = in.a[row / 16] >> (row % 16) & 1U;
    const std::uint32_t b = in.b[column / 16] >> (column % 16) & 1U;
    return a * b;
}

}  // namespace tessera::testbench

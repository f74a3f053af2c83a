#include "sc_models/tensor_core/fedp.h"

#include <algorithm>
#include <cstring>

#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

/// Exponent of a zero operand, low enough that its products never determine the alignment.
constexpr std::int32_t kZeroExponent = -1000;
constexpr std::int32_t kMinExponent = -126;  // of FP32 and of its subnormals
constexpr std::int32_t kFloatFraction = 23;
constexpr std::int32_t kProductFraction = 20;  // of the product of two 10-bit fractions
constexpr std::int32_t kMaxShift = 31;

TESSERA_INLINE std::int32_t half_sign(std::uint32_t h) {
    return -static_cast<std::int32_t>(h >> 15U);
}

/// Significand in units of 2^(exponent - 10).
TESSERA_INLINE std::int32_t half_significand(std::uint32_t h) {
    const auto normal = static_cast<std::int32_t>((h & 0x7c00U) != 0);
    return static_cast<std::int32_t>(h & 0x3ffU) | (normal << 10);
}

TESSERA_INLINE std::int32_t half_exponent(std::uint32_t h) {
    const auto field = static_cast<std::int32_t>((h >> 10U) & 0x1fU);
    const std::int32_t exponent = std::max(field, 1) - 15;
    return (h & 0x7fffU) == 0 ? kZeroExponent : exponent;
}

/// Shifts `magnitude` (units of 2^(exponent-23)) to units of 2^(largest-23), truncated, and applies
/// its sign (0 or -1).
TESSERA_INLINE std::int32_t aligned(std::int32_t magnitude, std::int32_t sign,
                                    std::int32_t exponent, std::int32_t largest) {
    const std::int32_t shifted = magnitude >> std::min(largest - exponent, kMaxShift);
    return (shifted ^ sign) - sign;
}

/// Significand of a finite float: value = significand x 2^(exponent - 23).
TESSERA_INLINE std::int32_t float_significand(std::uint32_t f) {
    const auto normal = static_cast<std::int32_t>((f & 0x7f800000U) != 0);
    return static_cast<std::int32_t>(f & 0x7fffffU) | (normal << kFloatFraction);
}

TESSERA_INLINE std::int32_t float_exponent(std::uint32_t f) {
    return std::max(static_cast<std::int32_t>((f >> 23U) & 0xffU), 1) - 127;
}

/// Returns sum x 2^(largest - 23), truncated to 24 significant bits. |sum| < 2^28, largest in
/// [-126, 127].
TESSERA_INLINE float normalised(std::int32_t sum, std::int32_t largest) {
    const std::int32_t sign = sum >> 31;
    std::int32_t magnitude = (sum ^ sign) - sign;
    // Clear the bits beyond 24, so that the conversion below is exact.
    std::int32_t excess = 0;
    excess |= -static_cast<std::int32_t>(magnitude >= (1 << 24)) & 1;
    excess |= -static_cast<std::int32_t>(magnitude >= (1 << 25)) & 3;
    excess |= -static_cast<std::int32_t>(magnitude >= (1 << 26)) & 7;
    excess |= -static_cast<std::int32_t>(magnitude >= (1 << 27)) & 15;
    magnitude &= ~excess;
    const auto value = static_cast<float>((magnitude ^ sign) - sign);
    // 2^(largest - 23), which is a subnormal when the sum's lowest bit is one.
    const std::int32_t exponent = largest - kFloatFraction;
    const auto normal = static_cast<std::uint32_t>(exponent + 127) << 23U;
    const std::uint32_t subnormal =
        1U << static_cast<std::uint32_t>(std::min(std::max(exponent + 149, 0), kMaxShift));
    return value * float_from_bits(exponent >= kMinExponent ? normal : subnormal);
}

bool is_special(HalfBits h) {
    return (h & 0x7c00U) == 0x7c00U;
}
bool is_special(float f) {
    return (float_bits(f) & 0x7f800000U) == 0x7f800000U;
}

/// Returns the result if some operand is a NaN or an infinity.
float special_fedp4(const HalfBits a[4], const HalfBits b[4], float c) {
    // Plain IEEE arithmetic handles these; halves' finite products cannot overflow a float.
    float sum = is_special(c) ? c : 0.0F;
    for (std::uint32_t t = 0; t < 4; ++t) {
        if (is_special(a[t]) || is_special(b[t])) sum += half_to_float(a[t]) * half_to_float(b[t]);
    }
    return sum != sum ? float_from_bits(kFedpNan) : sum;
}

/// Operands of a fragment split into sign, significand and exponent.
struct Unpacked {
    std::int32_t sign[kMmaElements];
    std::int32_t significand[kMmaElements];
    std::int32_t exponent[kMmaElements];
};

TESSERA_INLINE void unpack(const HalfBits* halves, Unpacked& out) {
    for (std::uint32_t i = 0; i < kMmaElements; ++i) {
        const std::uint32_t h = halves[i];
        out.sign[i] = half_sign(h);
        out.significand[i] = half_significand(h);
        out.exponent[i] = half_exponent(h);
    }
}

/// Computes four steps of k for one row of A and all 16 columns.
TESSERA_INLINE void fedp_row(const Unpacked& a, const Unpacked& b, std::uint32_t row,
                             std::uint32_t k, float* __restrict accumulator) {
    const std::int32_t* a_sign = &a.sign[row * kMmaSize + k];
    const std::int32_t* a_significand = &a.significand[row * kMmaSize + k];
    const std::int32_t* a_exponent = &a.exponent[row * kMmaSize + k];
    for (std::uint32_t j = 0; j < kMmaSize; ++j) {
        const std::uint32_t c = float_bits(accumulator[j]);
        const std::int32_t c_exponent = float_exponent(c);
        std::int32_t largest = c_exponent;
        std::int32_t exponent[4];
        for (std::uint32_t t = 0; t < 4; ++t) {
            exponent[t] = a_exponent[t] + b.exponent[(k + t) * kMmaSize + j];
            largest = std::max(largest, exponent[t]);
        }
        std::int32_t sum = aligned(float_significand(c), -static_cast<std::int32_t>(c >> 31U),
                                   c_exponent, largest);
        for (std::uint32_t t = 0; t < 4; ++t) {
            const std::uint32_t element = (k + t) * kMmaSize + j;
            const std::int32_t product = (a_significand[t] * b.significand[element])
                                         << (kFloatFraction - kProductFraction);
            sum += aligned(product, a_sign[t] ^ b.sign[element], exponent[t], largest);
        }
        accumulator[j] = normalised(sum, largest);
    }
}

TESSERA_VECTOR_CLONES void finite_mma(const HalfBits* a, const HalfBits* b_by_k, float* d) {
    Unpacked ua;  // NOLINT(cppcoreguidelines-pro-type-member-init): unpack() fills it
    Unpacked ub;  // NOLINT(cppcoreguidelines-pro-type-member-init): the same
    unpack(a, ua);
    unpack(b_by_k, ub);
    for (std::uint32_t i = 0; i < kMmaSize; ++i) {
        for (std::uint32_t k = 0; k < kMmaSize; k += 4) fedp_row(ua, ub, i, k, d + i * kMmaSize);
    }
}

/// Whether all operands are finite; then all intermediate results are.
bool all_finite(const HalfBits* a, const HalfBits* b, const float* c) {
    bool special = false;
    for (std::uint32_t i = 0; i < kMmaElements; ++i) {
        special |= is_special(a[i]);
        special |= is_special(b[i]);
        special |= is_special(c[i]);
    }
    return !special;
}

}  // namespace

float fedp4(const HalfBits a[4], const HalfBits b[4], float c) {
    bool special = is_special(c);
    for (std::uint32_t t = 0; t < 4; ++t) special |= is_special(a[t]) || is_special(b[t]);
    if (special) return special_fedp4(a, b, c);

    const std::uint32_t bits = float_bits(c);
    std::int32_t exponent[4];
    std::int32_t largest = float_exponent(bits);
    for (std::uint32_t t = 0; t < 4; ++t) {
        exponent[t] = half_exponent(a[t]) + half_exponent(b[t]);
        largest = std::max(largest, exponent[t]);
    }
    std::int32_t sum = aligned(float_significand(bits), -static_cast<std::int32_t>(bits >> 31U),
                               float_exponent(bits), largest);
    for (std::uint32_t t = 0; t < 4; ++t) {
        const std::int32_t product = (half_significand(a[t]) * half_significand(b[t]))
                                     << (kFloatFraction - kProductFraction);
        sum += aligned(product, half_sign(a[t]) ^ half_sign(b[t]), exponent[t], largest);
    }
    return normalised(sum, largest);
}

void mma_16x16x16(const HalfBits a[kMmaElements], const HalfBits b[kMmaElements],
                  const float c[kMmaElements], float d[kMmaElements]) {
    if (d != c) std::memcpy(d, c, kMmaElements * sizeof(float));
    if (all_finite(a, b, c)) {
        HalfBits b_by_k[kMmaElements];
        for (std::uint32_t k = 0; k < kMmaSize; ++k) {
            for (std::uint32_t j = 0; j < kMmaSize; ++j) {
                b_by_k[k * kMmaSize + j] = b[j * kMmaSize + k];
            }
        }
        finite_mma(a, b_by_k, d);
        return;
    }
    for (std::uint32_t i = 0; i < kMmaSize; ++i) {
        for (std::uint32_t j = 0; j < kMmaSize; ++j) {
            float sum = d[i * kMmaSize + j];
            for (std::uint32_t k = 0; k < kMmaSize; k += 4) {
                sum = fedp4(a + i * kMmaSize + k, b + j * kMmaSize + k, sum);
            }
            d[i * kMmaSize + j] = sum;
        }
    }
}

}  // namespace tessera

#include "sc_models/tensor_core/fedp.h"

#include <algorithm>
#include <cstring>

#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

/// Exponent of a zero operand, low enough that its products never determine the alignment.
constexpr std::int32_t kZeroExponent = -1000;
constexpr std::int32_t kMinExponent = -126;  // of FP32 and of its subnormals
constexpr std::int32_t kMaxExponent = 127;
constexpr std::int32_t kFloatFraction = 23;
constexpr std::int32_t kMaxShift = 31;
constexpr std::uint32_t kGroup = 4;  // terms of a FEDP unit

/// An operand's format: bits of fraction and of exponent, and bits below that are ignored.
template <class BitsType, std::uint32_t kFractionBits, std::uint32_t kExponentBits,
          std::uint32_t kIgnoredBits>
struct Format {
    using Bits = BitsType;
    static constexpr std::uint32_t kFraction = kFractionBits;
    static constexpr std::uint32_t kIgnored = kIgnoredBits;
    static constexpr std::uint32_t kExponentMask = (1U << kExponentBits) - 1;
    static constexpr std::uint32_t kMagnitudeMask = (1U << (kFractionBits + kExponentBits)) - 1;
    static constexpr std::int32_t kBias = (1 << (kExponentBits - 1)) - 1;
    /// Whether sums of finite products may be too large for an FP32 number.
    static constexpr bool kOverflows = kExponentBits == 8;
    /// k of a fragment, whose lines have 32 bytes.
    static constexpr std::uint32_t kDepth = kMmaSize * sizeof(HalfBits) / sizeof(Bits);
    static constexpr std::uint32_t kElements = kMmaSize * kDepth;

    static TESSERA_INLINE std::int32_t sign(Bits bits) {
        return -static_cast<std::int32_t>(bits >> (kIgnored + kFraction + kExponentBits));
    }
    static TESSERA_INLINE std::uint32_t field(Bits bits) {
        return (std::uint32_t{bits} >> (kIgnored + kFraction)) & kExponentMask;
    }
    /// Significand in units of 2^(exponent - kFraction).
    static TESSERA_INLINE std::int32_t significand(Bits bits) {
        const auto normal = static_cast<std::uint32_t>(field(bits) != 0);
        const std::uint32_t stored = (std::uint32_t{bits} >> kIgnored) & ((1U << kFraction) - 1);
        return static_cast<std::int32_t>(stored | (normal << kFraction));
    }
    static TESSERA_INLINE std::int32_t exponent_of(Bits bits) {
        const std::int32_t value = std::max(static_cast<std::int32_t>(field(bits)), 1) - kBias;
        const bool zero = ((std::uint32_t{bits} >> kIgnored) & kMagnitudeMask) == 0;
        return zero ? kZeroExponent : value;
    }
    /// Whether it is an infinity or a NaN.
    static TESSERA_INLINE bool is_special(Bits bits) {
        if constexpr (sizeof(Bits) == 1) return (bits & kMagnitudeMask) == kMagnitudeMask;
        return field(bits) == kExponentMask;
    }
};

using Fp16 = Format<HalfBits, 10, 5, 0>;
using Bf16 = Format<HalfBits, 7, 8, 0>;
using Tf32 = Format<std::uint32_t, 10, 8, 13>;
using Fp8 = Format<Fp8Bits, 3, 4, 0>;

float value_of(Fp16 /*format*/, HalfBits bits) {
    return half_to_float(bits);
}
float value_of(Bf16 /*format*/, HalfBits bits) {
    return to_float(bits, Float16::kBf16);
}
float value_of(Tf32 /*format*/, std::uint32_t bits) {
    return float_from_bits(bits >> Tf32::kIgnored << Tf32::kIgnored);
}

float value_of(Fp8 /*format*/, Fp8Bits bits) {
    return fp8_to_float(bits);
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

/// Returns sum x 2^(largest - 23), truncated to 24 significant bits. |sum| < 2^28, largest >= -126;
/// if not kOverflows, at most 127.
template <bool kOverflows>
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
    auto value = static_cast<float>((magnitude ^ sign) - sign);
    if constexpr (kOverflows) {
        // The part of the scale beyond 2^127.
        const std::int32_t beyond = std::max(largest - kMaxExponent, 0);
        value *= float_from_bits(static_cast<std::uint32_t>(std::min(beyond, kMaxExponent) + 127)
                                 << 23U);
        largest = std::min(largest, kMaxExponent);
    }
    // 2^(largest - 23), which is a subnormal when the sum's lowest bit is one.
    const std::int32_t exponent = largest - kFloatFraction;
    const auto normal = static_cast<std::uint32_t>(exponent + 127) << 23U;
    const std::uint32_t subnormal =
        1U << static_cast<std::uint32_t>(std::min(std::max(exponent + 149, 0), kMaxShift));
    return value * float_from_bits(exponent >= kMinExponent ? normal : subnormal);
}

bool is_special(float f) {
    return (float_bits(f) & 0x7f800000U) == 0x7f800000U;
}

/// Returns the result if some operand is a NaN or an infinity.
template <class F>
float special_fedp4(const typename F::Bits* a, const typename F::Bits* b, float c) {
    // Plain IEEE arithmetic handles these, without the finite products.
    float sum = is_special(c) ? c : 0.0F;
    for (std::uint32_t t = 0; t < kGroup; ++t) {
        if (F::is_special(a[t]) || F::is_special(b[t])) {
            sum += value_of(F(), a[t]) * value_of(F(), b[t]);
        }
    }
    return sum != sum ? float_from_bits(kFedpNan) : sum;
}

/// Operands of a fragment split into sign, significand and exponent.
template <class F>
struct Unpacked {
    std::int32_t sign[F::kElements];
    std::int32_t significand[F::kElements];
    std::int32_t exponent[F::kElements];
};

template <class F>
TESSERA_INLINE void unpack(const typename F::Bits* elements, Unpacked<F>& out) {
    for (std::uint32_t i = 0; i < F::kElements; ++i) {
        out.sign[i] = F::sign(elements[i]);
        out.significand[i] = F::significand(elements[i]);
        out.exponent[i] = F::exponent_of(elements[i]);
    }
}

/// Bits by which an exact product is shorter than the fraction of an FP32 number.
template <class F>
constexpr std::uint32_t kProductShift = kFloatFraction - 2 * F::kFraction;

/// Computes four steps of k for one row of A and all 16 columns.
template <class F>
TESSERA_INLINE void fedp_row(const Unpacked<F>& a, const Unpacked<F>& b, std::uint32_t row,
                             std::uint32_t k, float* __restrict accumulator) {
    const std::int32_t* a_sign = &a.sign[row * F::kDepth + k];
    const std::int32_t* a_significand = &a.significand[row * F::kDepth + k];
    const std::int32_t* a_exponent = &a.exponent[row * F::kDepth + k];
    for (std::uint32_t j = 0; j < kMmaSize; ++j) {
        const std::uint32_t c = float_bits(accumulator[j]);
        const std::int32_t c_exponent = float_exponent(c);
        std::int32_t largest = c_exponent;
        std::int32_t exponent[kGroup];
        for (std::uint32_t t = 0; t < kGroup; ++t) {
            exponent[t] = a_exponent[t] + b.exponent[(k + t) * kMmaSize + j];
            largest = std::max(largest, exponent[t]);
        }
        std::int32_t sum = aligned(float_significand(c), -static_cast<std::int32_t>(c >> 31U),
                                   c_exponent, largest);
        for (std::uint32_t t = 0; t < kGroup; ++t) {
            const std::uint32_t element = (k + t) * kMmaSize + j;
            const std::int32_t product = (a_significand[t] * b.significand[element])
                                         << kProductShift<F>;
            sum += aligned(product, a_sign[t] ^ b.sign[element], exponent[t], largest);
        }
        accumulator[j] = normalised<false>(sum, largest);
    }
}

template <class F>
TESSERA_INLINE void multiply_finite(const typename F::Bits* a, const typename F::Bits* b_by_k,
                                    float* d) {
    Unpacked<F> ua;  // NOLINT(cppcoreguidelines-pro-type-member-init): unpack() fills it
    Unpacked<F> ub;  // NOLINT(cppcoreguidelines-pro-type-member-init): the same
    unpack(a, ua);
    unpack(b_by_k, ub);
    for (std::uint32_t i = 0; i < kMmaSize; ++i) {
        for (std::uint32_t k = 0; k < F::kDepth; k += kGroup) {
            fedp_row(ua, ub, i, k, d + i * kMmaSize);
        }
    }
}

// The compiler makes clones of functions, but not of templates.
TESSERA_VECTOR_CLONES void finite_mma(Fp16 /*format*/, const HalfBits* a, const HalfBits* b_by_k,
                                      float* d) {
    multiply_finite<Fp16>(a, b_by_k, d);
}
TESSERA_VECTOR_CLONES void finite_mma(Bf16 /*format*/, const HalfBits* a, const HalfBits* b_by_k,
                                      float* d) {
    multiply_finite<Bf16>(a, b_by_k, d);
}
TESSERA_VECTOR_CLONES void finite_mma(Tf32 /*format*/, const std::uint32_t* a,
                                      const std::uint32_t* b_by_k, float* d) {
    multiply_finite<Tf32>(a, b_by_k, d);
}
TESSERA_VECTOR_CLONES void finite_mma(Fp8 /*format*/, const Fp8Bits* a, const Fp8Bits* b_by_k,
                                      float* d) {
    multiply_finite<Fp8>(a, b_by_k, d);
}

/// Returns whether all operands are finite and all intermediate results will be.
template <class F>
bool stays_finite(const typename F::Bits* a, const typename F::Bits* b, const float* c) {
    bool special = false;
    std::uint32_t a_field = 0, b_field = 0, c_field = 0;
    for (std::uint32_t i = 0; i < F::kElements; ++i) {
        special |= F::is_special(a[i]);
        special |= F::is_special(b[i]);
        a_field = std::max(a_field, F::field(a[i]));
        b_field = std::max(b_field, F::field(b[i]));
    }
    for (std::uint32_t i = 0; i < kMmaElements; ++i) {
        c_field = std::max(c_field, float_bits(c[i]) >> kFloatFraction & 0xffU);
    }
    if (special || c_field == 0xffU) return false;
    if constexpr (F::kOverflows) {
        // The sum of 16 products below 2^121 and of c below 2^126 is below 2^127.
        constexpr std::uint32_t kBias = 127, kMostOfProduct = 119, kMostOfC = 125;
        return a_field + b_field <= 2 * kBias + kMostOfProduct && c_field <= kBias + kMostOfC;
    }
    return true;
}

template <class F>
float dot4(const typename F::Bits* a, const typename F::Bits* b, float c) {
    bool special = is_special(c);
    for (std::uint32_t t = 0; t < kGroup; ++t) {
        special |= F::is_special(a[t]) || F::is_special(b[t]);
    }
    if (special) return special_fedp4<F>(a, b, c);

    const std::uint32_t bits = float_bits(c);
    std::int32_t exponent[kGroup];
    std::int32_t largest = float_exponent(bits);
    for (std::uint32_t t = 0; t < kGroup; ++t) {
        exponent[t] = F::exponent_of(a[t]) + F::exponent_of(b[t]);
        largest = std::max(largest, exponent[t]);
    }
    std::int32_t sum = aligned(float_significand(bits), -static_cast<std::int32_t>(bits >> 31U),
                               float_exponent(bits), largest);
    for (std::uint32_t t = 0; t < kGroup; ++t) {
        const std::int32_t product = (F::significand(a[t]) * F::significand(b[t]))
                                     << kProductShift<F>;
        sum += aligned(product, F::sign(a[t]) ^ F::sign(b[t]), exponent[t], largest);
    }
    return normalised<F::kOverflows>(sum, largest);
}

template <class F>
void multiply(const typename F::Bits* a, const typename F::Bits* b, const float* c, float* d) {
    if (stays_finite<F>(a, b, c)) {
        typename F::Bits b_by_k[F::kElements];
        for (std::uint32_t k = 0; k < F::kDepth; ++k) {
            for (std::uint32_t j = 0; j < kMmaSize; ++j) {
                b_by_k[k * kMmaSize + j] = b[j * F::kDepth + k];
            }
        }
        if (d != c) std::memcpy(d, c, kMmaElements * sizeof(float));
        finite_mma(F(), a, b_by_k, d);
        return;
    }
    for (std::uint32_t i = 0; i < kMmaSize; ++i) {
        for (std::uint32_t j = 0; j < kMmaSize; ++j) {
            float sum = c[i * kMmaSize + j];
            for (std::uint32_t k = 0; k < F::kDepth; k += kGroup) {
                sum = dot4<F>(a + i * F::kDepth + k, b + j * F::kDepth + k, sum);
            }
            d[i * kMmaSize + j] = sum;
        }
    }
}

}  // namespace

float fedp4(const HalfBits a[4], const HalfBits b[4], float c) {
    return dot4<Fp16>(a, b, c);
}
float fedp4_bf16(const HalfBits a[4], const HalfBits b[4], float c) {
    return dot4<Bf16>(a, b, c);
}
float fedp4_tf32(const std::uint32_t a[4], const std::uint32_t b[4], float c) {
    return dot4<Tf32>(a, b, c);
}
float fedp4_fp8(const Fp8Bits a[4], const Fp8Bits b[4], float c) {
    return dot4<Fp8>(a, b, c);
}

void mma_16x16x16(const HalfBits a[kMmaElements], const HalfBits b[kMmaElements],
                  const float c[kMmaElements], float d[kMmaElements]) {
    multiply<Fp16>(a, b, c, d);
}
void mma_16x16x16_bf16(const HalfBits a[kMmaElements], const HalfBits b[kMmaElements],
                       const float c[kMmaElements], float d[kMmaElements]) {
    multiply<Bf16>(a, b, c, d);
}
void mma_16x16x8_tf32(const std::uint32_t a[kMmaElements / 2],
                      const std::uint32_t b[kMmaElements / 2], const float c[kMmaElements],
                      float d[kMmaElements]) {
    multiply<Tf32>(a, b, c, d);
}
void mma_16x16x32_fp8(const Fp8Bits a[2 * kMmaElements], const Fp8Bits b[2 * kMmaElements],
                      const float c[kMmaElements], float d[kMmaElements]) {
    multiply<Fp8>(a, b, c, d);
}

}  // namespace tessera

#include "sc_models/tensor_core/feop.h"

#include <algorithm>
#include <utility>

#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000U;
constexpr std::uint32_t kInfinity = 0x7f800000U;
constexpr std::uint32_t kHiddenBit = 0x00800000U;
constexpr std::int32_t kFraction = 23;  ///< bits of an FP32 fraction

constexpr HalfBits kHalfMagnitude = 0x7fffU;
constexpr HalfBits kHalfInfinity = 0x7c00U;

/// A finite half as significand x 2^(exponent - 25).
struct HalfParts {
    std::uint32_t significand = 0;
    std::int32_t exponent = 0;  ///< biased, at least 1
};

HalfParts parts_of(HalfBits half) {
    const auto field = static_cast<std::int32_t>((half >> 10U) & 0x1fU);
    const std::uint32_t hidden = field != 0 ? 0x400U : 0U;
    return {(half & 0x3ffU) | hidden, std::max(field, 1)};
}

std::int32_t leading_one(std::uint64_t bits) {
    return 63 - __builtin_clzll(bits);
}

/// Replaces any NaN by the canonical one.
TESSERA_INLINE float canonical(float value) {
    return value != value ? float_from_bits(kFeopNan) : value;
}

/// Computes half_to_float without branches; NaNs stay NaNs.
TESSERA_INLINE float to_float(HalfBits half) {
    constexpr std::uint32_t kRebias = 112U << 23U;
    const std::uint32_t shifted = (half & kHalfMagnitude) << 13U;
    // A subnormal gets a hidden one, which a subtraction removes exactly.
    const float subnormal =
        float_from_bits(shifted + kRebias + kHiddenBit) - float_from_bits(kRebias + kHiddenBit);
    const std::uint32_t special = shifted | kInfinity;
    std::uint32_t bits = shifted + kRebias;
    bits = shifted < kHiddenBit ? float_bits(subnormal) : bits;
    bits = (half & kHalfInfinity) == kHalfInfinity ? special : bits;
    return float_from_bits(bits | ((half & 0x8000U) << 16U));
}

// Products are exact, so fusing them with the addition does not change the result; IEEE arithmetic
// gives infinities and NaNs as feop() does, except for the bits of NaNs.
TESSERA_VECTOR_CLONES void outer_products(const HalfBits* a, const HalfBits* b_by_k, float* d) {
    float wide_a[kOwmmaElements];
    float wide_b[kOwmmaElements];
    for (std::uint32_t e = 0; e < kOwmmaElements; ++e) wide_a[e] = to_float(a[e]);
    for (std::uint32_t e = 0; e < kOwmmaElements; ++e) wide_b[e] = to_float(b_by_k[e]);
    for (std::uint32_t i = 0; i < kOwmmaSize; ++i) {
        float sum[kOwmmaSize];
        for (std::uint32_t j = 0; j < kOwmmaSize; ++j) sum[j] = d[i * kOwmmaSize + j] + 0.0F;
        for (std::uint32_t k = 0; k < kOwmmaSize; ++k) {
            const float factor = wide_a[i * kOwmmaSize + k];
            for (std::uint32_t j = 0; j < kOwmmaSize; ++j) {
                sum[j] += factor * wide_b[k * kOwmmaSize + j];
            }
        }
        for (std::uint32_t j = 0; j < kOwmmaSize; ++j) d[i * kOwmmaSize + j] = canonical(sum[j]);
    }
}

}  // namespace

std::uint32_t fp16_product(HalfBits a, HalfBits b) {
    const std::uint32_t sign = static_cast<std::uint32_t>((a ^ b) & 0x8000U) << 16U;
    const std::uint32_t a_magnitude = a & kHalfMagnitude;
    const std::uint32_t b_magnitude = b & kHalfMagnitude;
    if (a_magnitude >= kHalfInfinity || b_magnitude >= kHalfInfinity) {
        const bool nan = a_magnitude > kHalfInfinity || b_magnitude > kHalfInfinity ||
                         a_magnitude == 0 || b_magnitude == 0;
        return nan ? kFeopNan : sign | kInfinity;
    }
    if (a_magnitude == 0 || b_magnitude == 0) return sign;

    const HalfParts x = parts_of(a);
    const HalfParts y = parts_of(b);
    const std::uint32_t product = x.significand * y.significand;  // in units of 2^(x + y - 50)
    const std::int32_t lead = leading_one(product);
    const auto exponent = static_cast<std::uint32_t>(x.exponent + y.exponent - 50 + lead + 127);
    const std::uint32_t fraction = (product << (kFraction - lead)) & (kHiddenBit - 1);
    return sign | (exponent << kFraction) | fraction;
}

std::uint32_t fp32_add(std::uint32_t x, std::uint32_t y) {
    if ((x & ~kSignBit) < (y & ~kSignBit)) std::swap(x, y);
    const std::uint32_t sign = x & kSignBit;
    const bool subtract = ((x ^ y) & kSignBit) != 0;
    const std::uint32_t larger = x & ~kSignBit;
    const std::uint32_t lesser = y & ~kSignBit;
    if (larger > kInfinity) return kFeopNan;  // a NaN's magnitude is the larger one
    if (larger == kInfinity) return subtract && lesser == kInfinity ? kFeopNan : x;
    if (larger == lesser && subtract) return 0;
    if (larger == 0) return sign;

    // Significands in 64 bits leave enough room below for one sticky bit to cover the bits shifted
    // out.
    constexpr std::int32_t kRoom = 38;
    const auto x_exponent = std::max(static_cast<std::int32_t>(larger >> 23U), 1);
    const auto y_exponent = std::max(static_cast<std::int32_t>(lesser >> 23U), 1);
    const auto significand = [](std::uint32_t magnitude) {
        const std::uint32_t hidden = magnitude >= kHiddenBit ? kHiddenBit : 0U;
        return static_cast<std::uint64_t>((magnitude & (kHiddenBit - 1)) | hidden) << kRoom;
    };
    const std::uint64_t addend = significand(lesser);
    const std::int32_t distance = std::min(x_exponent - y_exponent, 63);
    std::uint64_t aligned = addend >> distance;
    aligned |= static_cast<std::uint64_t>((aligned << distance) != addend);
    const std::uint64_t sum =
        subtract ? significand(larger) - aligned : significand(larger) + aligned;

    // Position of the result's last place: 24 bits below the leading one, but not below that of
    // subnormals.
    const std::int32_t last = std::max(leading_one(sum) - kFraction, kRoom + 1 - x_exponent);
    const auto exponent = static_cast<std::uint32_t>(x_exponent + last - kRoom);
    std::uint64_t rounded = sum >> last;
    const std::uint64_t rest = sum - (rounded << last);
    const std::uint64_t half = std::uint64_t{1} << (last - 1);
    if (rest > half || (rest == half && (rounded & 1U) != 0)) ++rounded;
    // The hidden bit, if any, adds the 1 that is subtracted from the exponent.
    const std::uint32_t magnitude =
        ((exponent - 1) << kFraction) + static_cast<std::uint32_t>(rounded);
    return sign | std::min(magnitude, kInfinity);
}

void feop(HalfBits a, const HalfBits b[kFeopLanes], const float c[kFeopLanes],
          float d[kFeopLanes]) {
    for (std::uint32_t j = 0; j < kFeopLanes; ++j) {
        d[j] = float_from_bits(fp32_add(float_bits(c[j]), fp16_product(a, b[j])));
    }
}

void owmma_16x16x16(const HalfBits a[kOwmmaElements], const HalfBits b[kOwmmaElements],
                    const float c[kOwmmaElements], float d[kOwmmaElements]) {
    HalfBits b_by_k[kOwmmaElements];
    for (std::uint32_t k = 0; k < kOwmmaSize; ++k) {
        for (std::uint32_t j = 0; j < kOwmmaSize; ++j) {
            b_by_k[k * kOwmmaSize + j] = b[j * kOwmmaSize + k];
        }
    }
    if (d != c) std::copy_n(c, kOwmmaElements, d);
    outer_products(a, b_by_k, d);
}

}  // namespace tessera

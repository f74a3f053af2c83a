// Rounding errors of the numbers in tensors.
#pragma once

#include <cmath>

#include "sc_models/network/tensor.h"

namespace tessera::network {

inline constexpr double kFloatRounding = 0x1p-24, kHalfRounding = 0x1p-11;
inline constexpr double kBf16Rounding = 0x1p-8;
/// Below these magnitudes a rounding error is absolute.
inline constexpr double kFloatLeast = 0x1p-126, kHalfLeast = 0x1p-14;
/// Roundings in a formula of a few operators, per side of the comparison.
inline constexpr double kRoundings = 16;

/// The rounding error of a number of the tensor's type, relative to it.
[[nodiscard]] inline double rounding_of(const Tensor& tensor) {
    switch (tensor.type.type) {
        case ElementType::kHalf:
            return kHalfRounding;
        case ElementType::kBf16:
            return kBf16Rounding;
        default:
            return kFloatRounding;
    }
}

/// The rounding error of the smallest normal number.
[[nodiscard]] inline double least_of(const Tensor& tensor) {
    const bool half = tensor.type.type == ElementType::kHalf;
    return (half ? kHalfLeast : kFloatLeast) * rounding_of(tensor);
}

/// Significant binary digits of a real number of the type.
[[nodiscard]] inline int digits_of(ElementType type) {
    return type == ElementType::kHalf ? 11 : type == ElementType::kBf16 ? 8 : 24;
}

[[nodiscard]] inline double magnitude_of(float x) {
    return std::fabs(static_cast<double>(x));
}

}  // namespace tessera::network

// Rounding errors of the numbers in tensors.
#pragma once

#include <cmath>

#include "sc_models/network/tensor.h"

namespace tessera::network {

inline constexpr double kFloatRounding = 0x1p-24, kHalfRounding = 0x1p-11;
/// Below these magnitudes a rounding error is absolute.
inline constexpr double kFloatLeast = 0x1p-126, kHalfLeast = 0x1p-14;
/// Roundings in a formula of a few operators, per side of the comparison.
inline constexpr double kRoundings = 16;

/// The rounding error of a number of the tensor's type, relative to it.
[[nodiscard]] inline double rounding_of(const Tensor& tensor) {
    return tensor.type.type == ElementType::kHalf ? kHalfRounding : kFloatRounding;
}

/// The rounding error of the smallest normal number.
[[nodiscard]] inline double least_of(const Tensor& tensor) {
    return tensor.type.type == ElementType::kHalf ? kHalfLeast * kHalfRounding
                                                  : kFloatLeast * kFloatRounding;
}

[[nodiscard]] inline double magnitude_of(float x) {
    return std::fabs(static_cast<double>(x));
}

}  // namespace tessera::network

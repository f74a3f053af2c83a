// Numerics of the four-element outer product (FEOP) unit and of the tensor core built from it.
#pragma once

#include <cstdint>

#include "sc_models/tensor_core/half.h"

namespace tessera {

/// Result of an outer-product unit for every NaN.
inline constexpr std::uint32_t kFeopNan = 0x7fffffffU;
inline constexpr std::uint32_t kFeopLanes = 4;

/// Returns a x b as the bits of an FP32 number. Always exact: 22 significand bits, exponents from
/// -48 to 31; subnormal operands are supported. A NaN operand or infinity times zero gives
/// kFeopNan.
[[nodiscard]] std::uint32_t fp16_product(HalfBits a, HalfBits b);

/// x + y of FP32 numbers given and returned as bits, rounded to nearest, ties to even; subnormals
/// are supported. A NaN operand or infinities of both signs give kFeopNan; x + (-x) is +0.
/// Integer arithmetic only.
[[nodiscard]] std::uint32_t fp32_add(std::uint32_t x, std::uint32_t y);

/// One FEOP operation (dual-side sparse tensor core, III): d[j] = c[j] + a x b[j], one rounding
/// each. `d` may be `c`.
void feop(HalfBits a, const HalfBits b[kFeopLanes], const float c[kFeopLanes], float d[kFeopLanes]);

inline constexpr std::uint32_t kOwmmaSize = 16;
inline constexpr std::uint32_t kOwmmaElements = kOwmmaSize * kOwmmaSize;

/// 16x16x16 product by outer products: d[i][j] = c[i][j] + sum over k of a[i][k] * b[j][k], k
/// ascending, one rounded addition each. A -0 in `c` counts as +0, so that omitting zero products
/// changes nothing. Operands have the layout of mma_16x16x16: row-major, `b` holds the 16 columns
/// of B. `d` may be `c`. Bit-identical to feop() called in that order.
void owmma_16x16x16(const HalfBits a[kOwmmaElements], const HalfBits b[kOwmmaElements],
                    const float c[kOwmmaElements], float d[kOwmmaElements]);

}  // namespace tessera

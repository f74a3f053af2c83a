// Numerics of the tensor core's four-element dot product (FEDP) unit.
#pragma once

#include <cstdint>

#include "sc_models/tensor_core/half.h"

namespace tessera {

/// Result of a tensor core for every NaN.
inline constexpr std::uint32_t kFedpNan = 0x7fffffffU;

/// D = A x B + C of one FEDP unit (Duplo II-B): a0*b0 + a1*b1 + a2*b2 + a3*b3 + c.
///
/// The four products are exact (22 bits, exponent = sum of the operands' exponents, subnormal
/// halves counting as exponent -14). They and the accumulator are aligned to the largest exponent
/// among the nonzero ones: magnitudes are cut off below 2^(largest - 23), without guard or sticky
/// bits. The five aligned values are added exactly (carry bits as needed, no normalisation in
/// between); the sum is normalised and truncated toward zero to FP32. An exact zero is +0, whatever
/// its terms' signs. FP32 subnormals are supported. Any NaN, infinity times zero, or infinities of
/// both signs give kFedpNan; other infinities win.
///
/// The behaviour is that measured for Volta's tensor cores (Fasi et al., "Numerical behavior of
/// NVIDIA tensor cores", PeerJ CS 2021), as far as published.
[[nodiscard]] float fedp4(const HalfBits a[4], const HalfBits b[4], float c);

/// The same of BF16, TF32 or E4M3 operands, exact products of 16, 22 and 8 bits. TF32 operands have
/// the sign, exponent and upper 10 bits of fraction of FP32 numbers. Chosen: their lower 13 bits
/// are ignored, as PTX leaves the layout to the implementation; sums of 2^128 and more are
/// infinities, also between groups of four; alignment is never to less than exponent -126, so that
/// smaller products are cut off below 2^-149.
[[nodiscard]] float fedp4_bf16(const HalfBits a[4], const HalfBits b[4], float c);
[[nodiscard]] float fedp4_tf32(const std::uint32_t a[4], const std::uint32_t b[4], float c);
[[nodiscard]] float fedp4_fp8(const Fp8Bits a[4], const Fp8Bits b[4], float c);

inline constexpr std::uint32_t kMmaSize = 16;
inline constexpr std::uint32_t kMmaElements = kMmaSize * kMmaSize;

/// wmma.mma on 16x16x16 fragments: d[i][j] = c[i][j] + sum over k of a[i][k] * b[j][k], k ascending
/// in groups of four, each group one FEDP operation. All row-major; `b` holds the 16 columns of B,
/// each with its 16 k contiguous. `d` may be `c`. Bit-identical to fedp4 called in that order.
void mma_16x16x16(const HalfBits a[kMmaElements], const HalfBits b[kMmaElements],
                  const float c[kMmaElements], float d[kMmaElements]);

/// The same by fedp4_bf16 and, with 8 or 32 k of the same bytes, by fedp4_tf32 and fedp4_fp8.
void mma_16x16x16_bf16(const HalfBits a[kMmaElements], const HalfBits b[kMmaElements],
                       const float c[kMmaElements], float d[kMmaElements]);
void mma_16x16x8_tf32(const std::uint32_t a[kMmaElements / 2],
                      const std::uint32_t b[kMmaElements / 2], const float c[kMmaElements],
                      float d[kMmaElements]);
void mma_16x16x32_fp8(const Fp8Bits a[2 * kMmaElements], const Fp8Bits b[2 * kMmaElements],
                      const float c[kMmaElements], float d[kMmaElements]);

}  // namespace tessera

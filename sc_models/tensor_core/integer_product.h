// Products of fragments of 8-bit integers with INT32 sums (IMMA).
#pragma once

#include <cstdint>

#include "sc_models/tensor_core/fedp.h"

namespace tessera {

/// d[i][j] = c[i][j] + sum over 32 k of a[i][k] * b[j][k]: the products of two IMMA.16832.S8.S8,
/// or, if A is unsigned, of two IMMA.16832.U8.S8. `a` has the bits of INT8 or UINT8. Sums wrap
/// modulo 2^32, as mma.sync without .satfinite (PTX ISA, mma). All row-major; `b` holds the 16
/// columns of B, each with its 32 k contiguous. `d` may be `c`.
void imma_16x16x32(const std::uint8_t a[2 * kMmaElements], bool is_unsigned,
                   const std::int8_t b[2 * kMmaElements], const std::int32_t c[kMmaElements],
                   std::int32_t d[kMmaElements]);

}  // namespace tessera

// 2:4 sparsity of FP16 operands: pruning, compressed lines and their metadata.
#pragma once

#include <cstdint>

#include "sc_models/tensor_core/half.h"

namespace tessera {

/// k of a group, of which two elements are kept.
inline constexpr std::uint32_t kStructuredGroup = 4;
/// k of a line that one mma.sp.m16n8k32 of halves multiplies: eight groups.
inline constexpr std::uint32_t kStructuredDepth = 32;
inline constexpr std::uint32_t kStructuredKept = kStructuredDepth / 2;

/// Returns the mask of the elements that pruning keeps, bit i for element i: the two of largest
/// magnitude, of equal ones those with the lower index. A NaN counts as larger than infinity.
[[nodiscard]] std::uint32_t kept_of_group(const HalfBits group[kStructuredGroup]);

/// Writes the kept elements of 32 k of a line to `kept`, k ascending, and returns their metadata:
/// group g in bits 4g to 4g+3, the index of its first kept element in the lower two of them and
/// that of its second in the upper two, the first below the second (PTX ISA, "Sparse matrix
/// storage"). Elements that are not kept are lost.
[[nodiscard]] std::uint32_t compress_2of4(const HalfBits line[kStructuredDepth],
                                          HalfBits kept[kStructuredKept]);

/// Writes the 32 k of a compressed line, with zeros in the other places.
void expand_2of4(const HalfBits kept[kStructuredKept], std::uint32_t metadata,
                 HalfBits line[kStructuredDepth]);

}  // namespace tessera

// Numbers of warp registers that instructions read.
#pragma once

#include <cstdint>

namespace tessera {

/// Warp registers of 128 bytes that a 16x16x16 product reads.
struct ProductReads {
    std::uint32_t sums = 0;
    std::uint32_t a = 0, b = 0;  ///< through the operand reuse cache
    std::uint32_t reuses = 1;    ///< factor on the reads of A and B without that cache
};

/// A product of 16 HMMA.884, four sets of four steps: a step reads two registers of sums, and the
/// steps of a set share two of A and two of B (Raihan et al., ISPASS 2019).
inline constexpr std::uint32_t kHmmasOfProduct = 16;
inline constexpr ProductReads kHmmaProductReads = {32, 8, 8, 4};
/// Reads of an HMMA of a 16x8 tile of sums, m16n8k8 or m16n8k16, that takes as long as `steps`
/// steps: A, half as many registers of B, and the sums.
[[nodiscard]] constexpr std::uint32_t reads_of_hmma(bool sums_of_32_bits, std::uint32_t steps) {
    const std::uint32_t a = sums_of_32_bits ? steps / 2 : steps;
    return a + a / 2 + (sums_of_32_bits ? 4 : 2);
}
/// A product with a 2:4 operand reads A twice as deep and one register of metadata for each of its
/// two instructions.
inline constexpr std::uint32_t kReadsOfMetadata = 2;
/// An OWMMA reads fragments of A, B and sums once (dual-side sparse tensor core, V-A).
inline constexpr ProductReads kOwmmaReads = {8, 8, 8, 1};
/// An SpWMMA reads 32x16 values of A and of B and their bitmaps, as if no value were zero.
inline constexpr std::uint32_t kReadsOfSpwmma = 17;
/// Registers of a 32x32 tile of sums that moves to the accumulation buffer.
inline constexpr std::uint32_t kRegistersOfSwap = 32;
/// Reads of a CUDA-core instruction that does not name its registers.
inline constexpr std::uint32_t kReadsOfAlu = 2;
/// Reads for the address of a memory instruction.
inline constexpr std::uint32_t kReadsOfAddress = 1;

[[nodiscard]] constexpr std::uint32_t reads_of(const ProductReads& product) {
    return product.sums + product.a + product.b;
}

}  // namespace tessera

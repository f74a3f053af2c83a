// Distribution of 16x16 fragments over the lanes of a warp by Volta's HMMA.884.
#pragma once

#include <cstdint>

namespace tessera {

// Quads of four lanes belong to octets, which hold rows of A, and pairs of octets share columns of
// B: every row of A and every column of B lies in two lanes (Duplo II-B).

/// Bit `i` of the number of a lane.
[[nodiscard]] constexpr std::uint32_t lane_bit(std::uint32_t lane, std::uint32_t i) {
    return lane >> i & 1U;
}
[[nodiscard]] constexpr std::uint32_t row_of_a(std::uint32_t lane) {
    return lane % 4 + 8 * lane_bit(lane, 2) + 4 * lane_bit(lane, 4);
}
[[nodiscard]] constexpr std::uint32_t column_of_b(std::uint32_t lane) {
    return lane % 4 + 8 * lane_bit(lane, 3) + 4 * lane_bit(lane, 4);
}

/// Position of a lane's pair of FP32 accumulators `pair` (0..3) in a fragment of C; the second
/// accumulator is to the right of the first.
[[nodiscard]] constexpr std::uint32_t row_of_c(std::uint32_t lane, std::uint32_t pair) {
    return lane_bit(lane, 0) + 8 * lane_bit(lane, 2) + 4 * lane_bit(lane, 4) + 2 * (pair % 2);
}
[[nodiscard]] constexpr std::uint32_t column_of_c(std::uint32_t lane, std::uint32_t pair) {
    return 2 * lane_bit(lane, 1) + 8 * lane_bit(lane, 3) + 4 * (pair / 2);
}

/// Steps of the HMMAs of one 16x16x16 product with FP32 accumulators: four for every 4 of K.
inline constexpr const char* kHmmaF32Steps[] = {"HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1",
                                                "HMMA.884.F32.F32.STEP2", "HMMA.884.F32.F32.STEP3"};

}  // namespace tessera

// Hash of all index functions in the memory hierarchy.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

/// Exclusive or of all `bits`-wide pieces of `value`; 0 for `bits` = 0. Precondition: `bits` < 64.
[[nodiscard]] inline std::uint64_t xor_fold(std::uint64_t value, std::uint32_t bits) {
    if (bits == 0) return 0;
    if (bits == 2) {  // every sector access: the banks of an L1
        value ^= value >> 32U;
        value ^= value >> 16U;
        value ^= value >> 8U;
        value ^= value >> 4U;
        return (value ^ value >> 2U) & 3U;
    }
    // Each step halves the number of pieces; the first shift is the largest bits * 2^k below 64.
    const auto log2_bits = static_cast<std::uint32_t>(31 - __builtin_clz(bits));
    for (std::uint32_t shift = bits << (5 - log2_bits); shift >= bits; shift >>= 1U) {
        value ^= value >> shift;
    }
    return value & ((std::uint64_t{1} << bits) - 1);
}

/// xor_fold() with a fixed number of bits, for values below 2^63.
class XorFold {
public:
    explicit XorFold(std::uint32_t bits) : bits_(bits), mask_((std::uint64_t{1} << bits) - 1) {
        if (bits < kLeastBits) return;
        // Each step halves the number of pieces.
        for (std::uint32_t i = 0; i < kSteps; ++i) {
            const std::uint32_t shift = bits << (kSteps - 1 - i);
            shifts_[i] = static_cast<std::uint8_t>(shift < 64 ? shift : 63);
        }
    }
    [[nodiscard]] std::uint64_t operator()(std::uint64_t value) const {
        if (bits_ < kLeastBits) return xor_fold(value, bits_);
        for (const std::uint8_t shift : shifts_) value ^= value >> shift;
        return value & mask_;
    }

private:
    static constexpr std::uint32_t kSteps = 4, kLeastBits = 4;
    std::uint32_t bits_;
    std::array<std::uint8_t, kSteps> shifts_{};
    std::uint64_t mask_;
};

/// Number of bits that represent 0..n-1.
[[nodiscard]] constexpr std::uint32_t index_bits(std::uint64_t n) {
    std::uint32_t bits = 0;
    while ((std::uint64_t{1} << bits) < n) ++bits;
    return bits;
}

}  // namespace tessera

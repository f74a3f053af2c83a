// Exact division by a divisor that changes once a kernel: one multiplication with a programmed
// reciprocal.
#pragma once

#include <cstdint>

namespace tessera {

/// Exact quotients of all 32-bit dividends. With l = ceil(log2 d) the reciprocal is
/// m = ceil(2^(32+l) / d), 33 bits whose top bit is always 1; m * d = 2^(32+l) + e with e < 2^l, so
/// n * m / 2^(32+l) exceeds n / d by less than 1 / d and the floor is right. Hardware keeps the low
/// 32 bits of m and adds n for the top one: q = (mulhi(n, m - 2^32) + n) >> l.
class ExactDivider {
public:
    /// Throws std::logic_error if `divisor` is zero.
    explicit ExactDivider(std::uint32_t divisor = 1);

    [[nodiscard]] std::uint32_t divide(std::uint32_t n) const {
        const std::uint64_t high = (std::uint64_t{n} * reciprocal_) >> 32;
        return static_cast<std::uint32_t>((high + n) >> shift_);
    }
    [[nodiscard]] std::uint32_t remainder(std::uint32_t n) const {
        return n - divide(n) * divisor_;
    }
    [[nodiscard]] std::uint32_t divisor() const { return divisor_; }
    /// Returns the low 32 bits of m.
    [[nodiscard]] std::uint32_t reciprocal() const { return reciprocal_; }
    /// Returns l.
    [[nodiscard]] std::uint32_t shift() const { return shift_; }

private:
    std::uint32_t divisor_;
    std::uint32_t reciprocal_ = 0;
    std::uint32_t shift_ = 0;
};

}  // namespace tessera

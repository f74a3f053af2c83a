// Division by an invariant divisor.
#pragma once

#include <cstdint>

namespace tessera {

/// Divides by `by` (minimum 1) with two multiplications, exactly for every number. A 64-bit
/// division takes several times as long, and every access needs some: to cycles, sets, slices.
class Divisor {
public:
    explicit Divisor(std::uint64_t by) : by_(by), inverse_(~std::uint64_t{0} / by) {}

    [[nodiscard]] std::uint64_t value() const { return by_; }
    [[nodiscard]] friend std::uint64_t operator/(std::uint64_t number, const Divisor& divisor) {
        __extension__ using Wide = unsigned __int128;
        // 2^64 / by exceeds inverse_ by at most one, so the quotient is at most one too small.
        const auto quotient = static_cast<std::uint64_t>(Wide{number} * divisor.inverse_ >> 64U);
        return quotient + (number - quotient * divisor.by_ >= divisor.by_ ? 1 : 0);
    }
    [[nodiscard]] friend std::uint64_t operator%(std::uint64_t number, const Divisor& divisor) {
        return divisor.split(number).rest;
    }
    struct Parts {
        std::uint64_t quotient = 0, rest = 0;
    };
    /// Quotient and remainder.
    [[nodiscard]] Parts split(std::uint64_t number) const {
        const std::uint64_t quotient = number / *this;
        return {quotient, number - quotient * by_};
    }

private:
    std::uint64_t by_, inverse_;
};

}  // namespace tessera

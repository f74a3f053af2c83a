// Division by an invariant divisor.
#pragma once

#include <cstdint>

namespace tessera {

/// Divides any 64-bit number by `by` (minimum 1), exactly, with one multiplication. A 64-bit
/// division takes several times as long, and every access needs some: to cycles, sets, slices.
class Divisor {
public:
    explicit Divisor(std::uint64_t by)
        : by_(by), shift_(63U - static_cast<unsigned>(__builtin_clzll(by))) {
        // With p = 2^(64 + shift), the quotient of n is n * ceil(p / by) / p or
        // (n + 1) * floor(p / by) / p, rounded down. The first is exact if by - p % by is at most
        // 2^shift, the second if p % by is at most that. One of both holds, as by is below
        // 2^(shift + 1) (A. D. Robison, N-Bit Unsigned Division Via N-Bit Multiply-Add, 2005).
        const Wide p = Wide{1} << (64U + shift_);
        const auto rest = static_cast<std::uint64_t>(p % by);
        const bool power = (by & (by - 1)) == 0;
        if (power) {
            inverse_ = ~std::uint64_t{0};  // (n + 1) * (2^64 - 1) / 2^64 is n, rounded down
        } else {
            inverse_ = static_cast<std::uint64_t>(p / by);
        }
        addend_ = inverse_;
        if (!power && by - rest <= std::uint64_t{1} << shift_) {
            ++inverse_;
            addend_ = 0;
        }
    }

    [[nodiscard]] std::uint64_t value() const { return by_; }
    [[nodiscard]] friend std::uint64_t operator/(std::uint64_t number, const Divisor& divisor) {
        const Wide product = Wide{number} * divisor.inverse_ + divisor.addend_;
        return static_cast<std::uint64_t>(product >> 64U) >> divisor.shift_;
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
    __extension__ using Wide = unsigned __int128;

    std::uint64_t by_, inverse_ = 0;
    std::uint64_t addend_ = 0;  ///< 0, or the inverse: the number counts one more
    unsigned shift_;
};

}  // namespace tessera

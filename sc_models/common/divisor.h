// Division by an invariant divisor.
#pragma once

#include <cstdint>

namespace tessera {

/// Divides numbers below kLimit by `by` (minimum 1), exactly, with one multiplication. A 64-bit
/// division takes several times as long, and every access needs some: to cycles, sets, slices.
class Divisor {
public:
    /// Numbers are addresses, or femtoseconds (77 minutes of them).
    static constexpr std::uint64_t kLimit = std::uint64_t{1} << 62U;

    explicit Divisor(std::uint64_t by)
        : by_(by), shift_(63U - static_cast<unsigned>(__builtin_clzll(by))) {
        // The least number not below 2^(63 + shift) / by. It is too large by less than by / by, so
        // that a quotient of a number below 2^62 is too large by less than 1 / by.
        inverse_ = static_cast<std::uint64_t>(((Wide{1} << (63U + shift_)) + by - 1) / by);
    }

    [[nodiscard]] std::uint64_t value() const { return by_; }
    [[nodiscard]] friend std::uint64_t operator/(std::uint64_t number, const Divisor& divisor) {
        return static_cast<std::uint64_t>(Wide{number << 1U} * divisor.inverse_ >> 64U) >>
               divisor.shift_;
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
    unsigned shift_;
};

}  // namespace tessera

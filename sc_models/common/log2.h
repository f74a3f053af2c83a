// Logarithm of powers of two.
#pragma once

#include <cstdint>

namespace tessera {

/// Returns the logarithm to the base 2 of a power of two.
[[nodiscard]] constexpr std::uint8_t log2_of_power(std::uint64_t power) {
    std::uint8_t bits = 0;
    while (power >> bits > 1) ++bits;
    return bits;
}

}  // namespace tessera

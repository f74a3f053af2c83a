// Percentages.
#pragma once

#include <cstdint>

namespace tessera {

/// Share in percent; 0 if `whole` is 0.
[[nodiscard]] inline double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tessera

// Shares in percent.
#pragma once

#include <cstdint>

namespace tessera {

/// 0 of nothing.
[[nodiscard]] inline double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tessera

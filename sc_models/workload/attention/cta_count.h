// Number of CTAs of attention kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

/// Number of CTAs as 32 bits; throws ConfigError with `key` if there are too many.
[[nodiscard]] inline std::uint32_t checked_ctas(std::uint64_t ctas, const char* key) {
    if (ctas < std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(ctas);
    throw ConfigError(std::string(key) + ": got sizes of " + std::to_string(ctas) +
                      " CTAs, expected less than 2^32");
}

}  // namespace tessera

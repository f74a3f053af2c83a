// Minimum of a few cycles.
#pragma once

#include <cstddef>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Returns the least of `cycles`, which must not be empty. The list is short (one entry a sub-core)
/// and partly just written: vector instructions of the host would stall on store forwarding, so the
/// empty statement keeps the compiler from emitting them.
[[nodiscard]] inline Cycle earliest_of(const std::vector<Cycle>& cycles) {
    Cycle earliest = cycles.front();
    for (std::size_t i = 1; i < cycles.size(); ++i) {
        earliest = cycles[i] < earliest ? cycles[i] : earliest;
        asm("" : "+r"(earliest));
    }
    return earliest;
}

}  // namespace tessera

// The first of a few cycles.
#pragma once

#include <algorithm>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// The least of `cycles`, of which there is at least one. There are as few as an SM has sub-cores:
/// a plain minimum would be computed with vector instructions of the host, which takes longer for
/// so few.
[[nodiscard]] inline Cycle earliest_of(const std::vector<Cycle>& cycles) {
    return *std::min_element(cycles.begin(), cycles.end());
}

}  // namespace tessera

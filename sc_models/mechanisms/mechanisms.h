// List of all mechanisms.
#pragma once

#include <vector>

#include "sc_models/mechanism/mechanism.h"

namespace tessera {

/// All mechanisms, in the order of their figures and energy events: Duplo, the dual-side sparse
/// tensor core, opportunistic computing. A new one is added at the end.
[[nodiscard]] const std::vector<const Mechanism*>& mechanisms();

}  // namespace tessera

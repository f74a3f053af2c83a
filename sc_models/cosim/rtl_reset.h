// Length of an RTL block's reset.
#pragma once

#include "sc_models/common/types.h"

namespace tessera {

/// Clock cycles for which the wrappers assert a block's reset.
inline constexpr Cycle kRtlResetCycles = 2;

}  // namespace tessera

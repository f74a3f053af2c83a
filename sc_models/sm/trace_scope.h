// Scope in which the blocks of a sub-core record waveforms and timelines.
#pragma once

#include <cstdint>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Scope in which the blocks of a sub-core record waveforms and timelines.
struct TraceScope {
    SmId sm;
    SubCoreId sub_core;
    std::uint32_t warp_bits = 0;  ///< width of a signal that holds a warp number
    Observers observers;
};

}  // namespace tessera

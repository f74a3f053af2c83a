// Data path between registers and shared memory.
#pragma once

#include "sc_models/sm/register_file.h"
#include "sc_models/sm/shared_memory.h"
#include "sc_models/sm/warp_port.h"

namespace tessera {

/// Moves the values of a shared-memory instruction between the registers of its warp and the shared
/// memory of its CTA. Takes no time; both must hold values.
void move_shared(const WarpAccess& access, SharedMemory& memory, RegisterFile& registers);

}  // namespace tessera

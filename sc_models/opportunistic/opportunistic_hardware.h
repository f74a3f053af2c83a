// Hardware of opportunistic computing in a machine.
#pragma once

#include "sc_models/sm/mechanism_hardware.h"

namespace tessera {

/// Makes the units of all SMs and their clusters; null: the workload has no vector operations.
[[nodiscard]] std::unique_ptr<MechanismHardware> make_opportunistic_hardware(
    const HardwareContext& context);

}  // namespace tessera

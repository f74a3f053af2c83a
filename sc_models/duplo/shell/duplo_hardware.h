// Hardware of Duplo in a machine.
#pragma once

#include "sc_models/sm/mechanism_hardware.h"

namespace tessera {

/// Makes the detection units of all SMs; null: `duplo.enabled` is off.
[[nodiscard]] std::unique_ptr<MechanismHardware> make_duplo_hardware(
    const HardwareContext& context);

}  // namespace tessera

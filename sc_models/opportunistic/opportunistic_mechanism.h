// Description of opportunistic computing for the list of mechanisms.
#pragma once

#include "sc_models/mechanism/mechanism.h"

namespace tessera {

[[nodiscard]] const Mechanism& opportunistic_mechanism();

}  // namespace tessera

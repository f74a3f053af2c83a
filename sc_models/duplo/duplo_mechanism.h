// Description of Duplo for the list of mechanisms.
#pragma once

#include "sc_models/mechanism/mechanism.h"

namespace tessera {

[[nodiscard]] const Mechanism& duplo_mechanism();

}  // namespace tessera

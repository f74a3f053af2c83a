// Figures of opportunistic computing in reports.
#pragma once

#include "sc_models/mechanism/mechanism_figures.h"

namespace tessera {

[[nodiscard]] const MechanismFigures& opportunistic_figures();

}  // namespace tessera

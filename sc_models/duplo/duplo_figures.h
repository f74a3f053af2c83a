// Figures of Duplo in reports.
#pragma once

#include "sc_models/mechanism/mechanism_figures.h"

namespace tessera {

[[nodiscard]] const MechanismFigures& duplo_figures();

}  // namespace tessera

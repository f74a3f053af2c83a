// Figures of the dual-side sparse tensor core in reports.
#pragma once

#include "sc_models/mechanism/mechanism_figures.h"

namespace tessera {

[[nodiscard]] const MechanismFigures& dual_side_figures();

}  // namespace tessera

// The papers' worked examples and sizes, taken from the blocks of the model as they are.
#pragma once

#include <vector>

#include "sc_models/report/paper_comparison.h"
#include "sc_models/run/config_catalog.h"

namespace tessera {

/// Works out those of the figures that need no simulation: the examples that the papers draw (ids
/// and look-ups of Duplo's Figure 6 and Table II, the OHMMAs of the dual-side paper's Figures 5, 6
/// and 15), sizes that follow from a structure, the memory that the layers of Duplo's Table I take
/// (Figure 3), and what lowering a sparse map on a CPU does (the dual-side paper's Table III,
/// counted and not timed). In the order of the figures. Throws ConfigError if the catalog lacks a
/// layer.
[[nodiscard]] std::vector<PaperAnswer> worked_examples(const std::vector<PaperFigure>& figures,
                                                       const ConfigCatalog& catalog);

}  // namespace tessera

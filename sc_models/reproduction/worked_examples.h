// Worked examples and sizes of the papers, computed by the model's own blocks.
#pragma once

#include <vector>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/reproduction/paper_comparison.h"

namespace tessera {

/// Computes the figures that need no simulation: worked examples (ids and lookups of Duplo's Figure
/// 6 and Table II, the OHMMAs of the dual-side paper's Figures 5, 6 and 15), sizes that follow from
/// a structure, the memory of the layers of Duplo's Table I (Figure 3), and sparse lowering on a
/// CPU (the dual-side paper's Table III, counted instead of timed). Answers are in the order of
/// `figures`. Throws ConfigError if the catalog lacks a layer.
[[nodiscard]] std::vector<PaperAnswer> worked_examples(const std::vector<PaperFigure>& figures,
                                                       const ConfigCatalog& catalog);

}  // namespace tessera

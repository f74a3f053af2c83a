// Page with every figure of the papers, drawn as in the paper.
#pragma once

#include <string>
#include <vector>

#include "sc_models/reproduction/paper_charts.h"
#include "sc_models/reproduction/readings_comparison.h"
#include "sc_models/reproduction/reproduction.h"

namespace tessera {

/// Input of the page beside the results.
struct ReproductionPageParts {
    std::vector<Figure21Point> figure21;  ///< points of the dual-side paper's Figure 21
    /// Relative path from the page's folder to docs/, ending in a slash; empty: no links.
    std::string docs_prefix;
};

/// Self-contained HTML page: counts of the verdicts, a table of contents, then by paper each figure
/// with at least one selected row: its charts, the paper's numbers beside the model's, and the
/// reasons for differences, then the readings. Experiments without results are listed. The text
/// depends only on the arguments.
[[nodiscard]] std::string reproduction_html(const Reproduction& reproduction,
                                            const std::vector<ReadingsComparison>& readings,
                                            const std::vector<Summary>& summaries,
                                            const ReproductionPageParts& parts = {});

}  // namespace tessera

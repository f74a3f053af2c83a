// Result page with sweeps, runs and the papers' figures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/report/run_section.h"
#include "sc_models/reproduction/paper_comparison.h"
#include "sc_models/results/summary.h"

namespace tessera {

/// Self-contained HTML page: the papers' figures beside the model's, each sweep with its charts,
/// tables and configuration, single runs, then networks (network.json). A single run or a single
/// network gets a page of its own. The text depends only on the arguments.
[[nodiscard]] std::string html_report(const PaperComparison& papers,
                                      const std::vector<Summary>& summaries,
                                      const std::vector<ReportedRun>& runs,
                                      const std::vector<nlohmann::ordered_json>& networks = {});

}  // namespace tessera

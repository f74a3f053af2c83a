// Sweeps, runs and the papers' figures on one page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/report/paper_comparison.h"
#include "sc_models/report/run_section.h"
#include "sc_models/study/summary.h"

namespace tessera {

/// One self-contained HTML page: the papers beside ours, then every sweep with its charts, tables
/// and configuration, then single runs, then networks (their network.json). A run or a
/// network alone has its own page. Depends on the results alone.
[[nodiscard]] std::string html_report(const PaperComparison& papers,
                                      const std::vector<Summary>& summaries,
                                      const std::vector<ReportedRun>& runs,
                                      const std::vector<nlohmann::ordered_json>& networks = {});

}  // namespace tessera

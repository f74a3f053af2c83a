// Every figure of the papers on one page, drawn as that figure.
#pragma once

#include <string>
#include <vector>

#include "sc_models/report/paper_charts.h"
#include "sc_models/report/reproduction.h"

namespace tessera {

/// What a page of a reproduction has beside its results.
struct ReproductionPageParts {
    std::vector<Figure21Point> figure21;  ///< what the dual-side paper's Figure 21 shows
    /// From the page's folder to that of docs/, with a slash at its end, for links; none if it is
    /// empty.
    std::string docs_prefix;
};

/// One self-contained HTML page: verdicts counted, a table of contents, then paper by paper each of
/// their figures of which a row was asked for, with its charts, the paper's numbers beside ours and
/// why they do not come out. What was not run is named. Depends on its arguments alone.
[[nodiscard]] std::string reproduction_html(const Reproduction& reproduction,
                                            const std::vector<Summary>& summaries,
                                            const ReproductionPageParts& parts = {});

}  // namespace tessera

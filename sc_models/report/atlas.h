// What moves a figure, and by how much: a table and a tornado chart.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/report/atlas_plan.h"
#include "sc_models/report/verdict.h"
#include "sc_models/study/summary.h"

namespace tessera {

/// A point of an atlas and what the figure came to there.
struct AtlasResult {
    AtlasPoint point;
    std::optional<Estimate> ours;  ///< nothing if its runs failed
    Verdict verdict = Verdict::kNotMeasured;
};

/// What a figure came to at each point, the shipped machine first, then by how far they are from
/// it.
class Atlas {
public:
    /// `summaries` are those of the study's points, in their order.
    Atlas(const PaperFigure& figure, const AtlasStudy& study,
          const std::vector<Summary>& summaries);

    [[nodiscard]] const std::vector<AtlasResult>& results() const { return results_; }
    /// What the setting moves the figure by, in its unit.
    [[nodiscard]] std::optional<double> moved_by(const AtlasResult& result) const;
    /// Whether that is more than the paper claims.
    [[nodiscard]] bool carries_claim(const AtlasResult& result) const;

    /// A table for terminals.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
    /// Bars from the shipped machine's value, the longest first, and the paper's as a line.
    [[nodiscard]] std::string svg() const;

private:
    PaperFigure figure_;
    std::string what_;
    std::vector<AtlasResult> results_;
};

}  // namespace tessera

// Sensitivity study of one figure of a paper: a table and a tornado chart.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/reproduction/atlas_plan.h"
#include "sc_models/reproduction/verdict.h"
#include "sc_models/results/summary.h"

namespace tessera {

/// One machine of a sensitivity study with the figure's value on it.
struct AtlasResult {
    AtlasPoint point;
    std::optional<Estimate> ours;  ///< empty if its runs failed
    Verdict verdict = Verdict::kNotMeasured;
};

/// The figure's value at each point. The shipped machine comes first; the others are sorted by
/// decreasing distance from it.
class Atlas {
public:
    /// `summaries` holds one summary for each point of the study, in the order of points_of().
    Atlas(const PaperFigure& figure, const AtlasStudy& study,
          const std::vector<Summary>& summaries);

    [[nodiscard]] const std::vector<AtlasResult>& results() const { return results_; }
    /// Difference from the shipped machine's value, in the figure's unit.
    [[nodiscard]] std::optional<double> moved_by(const AtlasResult& result) const;
    /// Whether the absolute difference exceeds the number that the paper claims.
    [[nodiscard]] bool carries_claim(const AtlasResult& result) const;

    /// Table for terminals.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
    /// Tornado chart: bars start at the shipped machine's value, longest first; a line marks the
    /// paper's value.
    [[nodiscard]] std::string svg() const;

private:
    PaperFigure figure_;
    std::string what_;
    std::vector<AtlasResult> results_;
};

/// The chart of a figure as Atlas::json() stores it. Throws nlohmann::json::exception for another.
[[nodiscard]] std::string atlas_svg(const nlohmann::ordered_json& figure);

}  // namespace tessera

// Rules that read the papers' figures from the results of the shipped experiments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/reproduction/paper_figure.h"
#include "sc_models/results/summary.h"

namespace tessera {

/// Value of one figure in a sweep's results.
struct PaperMeasurement {
    std::optional<double> mean, total;  ///< mean: corresponds to the paper's number
    std::string remark;
    std::vector<double> by_layer{};  ///< values whose mean is `mean`; empty if it is no such mean
};

/// Rule that reads one figure of a paper from one shipped experiment. Several rules of one figure
/// are several readings of it; the one of the shipped preset comes first.
struct PaperRule {
    const char* id;
    const char* experiment;
    std::string what;
    std::function<PaperMeasurement(const Summary&)> measure;
};

[[nodiscard]] const std::vector<PaperRule>& duplo_rules();
[[nodiscard]] const std::vector<PaperRule>& dual_side_rules();
[[nodiscard]] const std::vector<PaperRule>& opportunistic_rules();

/// Rules of all papers that read this figure; the one of the shipped preset comes first.
[[nodiscard]] std::vector<const PaperRule*> rules_of(const PaperFigure& figure);

}  // namespace tessera

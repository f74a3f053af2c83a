// How the figures of the papers are read off the shipped experiments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/report/paper_figure.h"
#include "sc_models/study/summary.h"

namespace tessera {

/// What one figure of a paper is in a sweep's results.
struct PaperMeasurement {
    std::optional<double> mean, total;  ///< mean: what the paper states
    std::string remark;
};

/// How one figure of a paper is read off one of the shipped experiments. Several rules of one
/// figure are several readings of it, the shipped preset's first.
struct PaperRule {
    const char* id;
    const char* experiment;
    std::string what;
    std::function<PaperMeasurement(const Summary&)> measure;
};

[[nodiscard]] const std::vector<PaperRule>& duplo_rules();
[[nodiscard]] const std::vector<PaperRule>& dual_side_rules();
[[nodiscard]] const std::vector<PaperRule>& opportunistic_rules();

/// The rules of all papers that read this figure, the shipped preset's first.
[[nodiscard]] std::vector<const PaperRule*> rules_of(const PaperFigure& figure);

}  // namespace tessera

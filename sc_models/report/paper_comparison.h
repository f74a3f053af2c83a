// What the papers state beside what sweeps gave.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/summary.h"

namespace tessera {

/// A figure of configs/reference/paper_results.yaml whose value is one number.
struct PaperFigure {
    std::string id, kind, unit, note;
    double value = 0;
};

/// One line of the comparison.
struct PaperAnswer {
    PaperFigure paper;
    std::string what;            ///< what was measured, in words
    std::optional<double> mean;  ///< mean of the layers, which is what the paper states
    std::optional<double>
        total;               ///< the same from the sums over all layers, where that means something
    std::string remark;      ///< another way to count, if there is one
    std::string experiment;  ///< which sweep gave it
    std::size_t layers = 0;  ///< how many it covers

    [[nodiscard]] std::optional<double> difference() const;
};

/// The figures of a paper beside those of sweeps.
struct PaperComparison {
    std::vector<std::string> notes;    ///< sweeps among them that changed what the paper states
    std::vector<PaperAnswer> answers;  ///< in the order of the reference file
    std::vector<PaperFigure>
        unanswered;  ///< measured ones of the same paper that need other sweeps
};

/// Reads the reference file. Throws a located ConfigError.
[[nodiscard]] std::vector<PaperFigure> read_paper_figures(const std::string& path);

/// Every figure that one of the sweeps can answer: those of the shipped experiments, by their names
/// and variants.
[[nodiscard]] PaperComparison compare_with_papers(const std::vector<PaperFigure>& figures,
                                                  const std::vector<Summary>& summaries);

/// The table "paper, ours, difference".
[[nodiscard]] std::string paper_table(const PaperComparison& comparison);

}  // namespace tessera

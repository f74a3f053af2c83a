// What the papers state beside what sweeps gave.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sc_models/report/paper_figure.h"
#include "sc_models/report/verdict.h"
#include "sc_models/study/estimate.h"
#include "sc_models/study/summary.h"

namespace tessera {

/// One line of the comparison: a figure, and what we have of it.
struct PaperAnswer {
    PaperFigure paper;
    std::string what;              ///< what was measured, in words
    std::optional<Estimate> ours;  ///< of the means over layers that the seeds gave
    std::string words;             ///< ours where the paper's statement is words
    std::optional<double>
        total;               ///< the same from the sums over all layers, where that means something
    std::string remark;      ///< another way to count, if there is one
    std::string experiment;  ///< which sweep gave it
    bool is_other_reading = false;  ///< of another machine or reading than the shipped preset's
    std::size_t layers = 0;         ///< how many it covers
    Verdict verdict = Verdict::kNotMeasured;
};

/// The figures of a paper beside those of sweeps.
struct PaperComparison {
    std::vector<std::string> notes;    ///< sweeps among them that changed what the paper states
    std::vector<PaperAnswer> answers;  ///< in the order of the reference file
    std::vector<PaperFigure>
        unanswered;  ///< measured ones of the same paper that need other sweeps
};

/// Every figure that one of the sweeps can answer: those of the shipped experiments, by their names
/// and variants; a figure has an answer for each of its readings that was run. Of a sweep with
/// several seeds each seed is measured by itself, and the answer is their mean with its interval.
[[nodiscard]] PaperComparison compare_with_papers(const std::vector<PaperFigure>& figures,
                                                  const std::vector<Summary>& summaries);

/// The shipped experiments from which a figure can be read off, the shipped preset's first.
[[nodiscard]] std::vector<std::string> experiments_for(const PaperFigure& figure);

/// The table "paper, ours, verdict".
[[nodiscard]] std::string paper_table(const PaperComparison& comparison);

/// Cells of our number or words and of the half width of its interval, with as many decimals as the
/// paper's number and at least one of what is not counted.
[[nodiscard]] std::string ours_cell(const PaperAnswer& answer);
[[nodiscard]] std::string interval_cell(const PaperAnswer& answer);

}  // namespace tessera

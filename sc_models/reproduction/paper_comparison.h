// Comparison of the papers' figures with the results of sweeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sc_models/reproduction/paper_figure.h"
#include "sc_models/reproduction/verdict.h"
#include "sc_models/results/estimate.h"
#include "sc_models/results/summary.h"

namespace tessera {

/// One line of the comparison: a paper's figure and the model's result.
struct PaperAnswer {
    PaperFigure paper;
    std::string what;              ///< description of the measurement
    std::optional<Estimate> ours;  ///< mean over layers, estimated over the seeds
    /// Median of the layers, where one layer is more than half of their mean.
    std::optional<double> median;
    std::string words;              ///< the result in words, if the paper states words
    std::optional<double> total;    ///< result from sums over all layers, where defined
    std::string remark;             ///< result of another way of counting; may be empty
    std::string experiment;         ///< sweep that gave the result
    bool is_other_reading = false;  ///< result of another machine or reading than the shipped
                                    ///< preset
    bool is_stored = false;         ///< result that was not run here, but read back
    std::size_t layers = 0;         ///< number of layers covered
    Verdict verdict = Verdict::kNotMeasured;
};

/// Comparison of a paper's figures with sweeps.
struct PaperComparison {
    std::vector<std::string> notes;    ///< sweeps that change a value stated by the paper
    std::vector<PaperAnswer> answers;  ///< in the order of the reference file
    std::vector<PaperFigure>
        unanswered;  ///< measured figures of the same paper that need other sweeps
};

/// Compares every figure that one of the sweeps measures. A sweep is matched by the name of its
/// shipped experiment and its variants; a figure has one answer per reading that was run. For a
/// sweep with several seeds, each seed is measured separately; the answer is the mean with its
/// interval.
[[nodiscard]] PaperComparison compare_with_papers(const std::vector<PaperFigure>& figures,
                                                  const std::vector<Summary>& summaries);

/// Shipped experiments that measure a figure; the one of the shipped preset comes first.
[[nodiscard]] std::vector<std::string> experiments_for(const PaperFigure& figure);

/// Table with the columns "paper, ours, verdict".
[[nodiscard]] std::string paper_table(const PaperComparison& comparison);

/// Median of `by_layer` if one of its values is more than half of their sum, in size.
[[nodiscard]] std::optional<double> median_beside_mean(std::vector<double> by_layer);

/// Cells of the model's number (or words) and of the half width of its interval, with the decimals
/// that the paper prints, at least one for figures that are not exact.
[[nodiscard]] std::string ours_cell(const PaperAnswer& answer);
[[nodiscard]] std::string interval_cell(const PaperAnswer& answer);
/// Cell of the median beside a mean; empty if there is none.
[[nodiscard]] std::string median_cell(const PaperAnswer& answer);

}  // namespace tessera

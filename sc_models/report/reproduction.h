// Every figure of the papers with ours, a verdict and what is known of the difference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/report/paper_comparison.h"
#include "sc_models/report/reproduction_plan.h"

namespace tessera {

/// A figure, ours or none, and why it does not come out.
struct ReproducedFigure {
    PaperAnswer answer;
    Explanation explanation;  ///< empty where the figure is reproduced, and for other readings
};

/// A paper's unit as tables show it, and a number with it.
[[nodiscard]] std::string_view unit_text(const PaperFigure& paper);
[[nodiscard]] std::string with_unit(const std::string& number, const PaperFigure& paper);
/// What the reference file notes of the figure, if that is short.
[[nodiscard]] std::string short_note(const PaperFigure& paper);
/// What a row is about, in words that need no other row.
[[nodiscard]] std::string caption_of(const PaperAnswer& answer);
/// What was measured; of what was not, what the reference file notes of it or the caption.
[[nodiscard]] std::string what_of(const PaperAnswer& answer);
/// Whether no effect at all would count as reproduced; such verdicts have a star.
[[nodiscard]] bool is_marked(const PaperAnswer& answer);
[[nodiscard]] std::string verdict_cell(const PaperAnswer& answer);
inline constexpr const char* kBelowTolerance =
    "* the claim is at most 5 points, so that no effect at all would count as reproduced";

/// How many entries of the reference file came to each verdict with the shipped presets. An entry
/// of several numbers comes to its worst.
struct VerdictCounts {
    std::array<std::size_t, kVerdictText.size()> of{};
    std::size_t entries = 0;
    std::size_t with_ours = 0;  ///< entries of which at least one number is ours

    /// "86 figures: 40 reproduced, 20 partly, 15 not, 11 not measured".
    [[nodiscard]] std::string text() const;
};

/// The figures asked for beside the results that are there.
class Reproduction {
public:
    Reproduction(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                 const std::vector<Summary>& summaries, const ConfigCatalog& catalog);

    [[nodiscard]] const std::vector<ReproducedFigure>& figures() const { return figures_; }
    [[nodiscard]] VerdictCounts counts() const;

    /// A table for terminals, and below it why figures do not come out.
    [[nodiscard]] std::string text() const;
    /// The same as a table of Markdown.
    [[nodiscard]] std::string markdown() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    std::vector<ReproducedFigure> figures_;
};

}  // namespace tessera

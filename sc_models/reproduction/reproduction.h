// Reproduction of the papers: every figure with the model's result, its class and the known reasons
// for a difference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/reproduction/paper_comparison.h"
#include "sc_models/reproduction/reproduction_plan.h"

namespace tessera {

/// A figure with the model's result, if any, and the reason why it is not reproduced.
struct ReproducedFigure {
    PaperAnswer answer;
    Explanation explanation;  ///< empty for reproduced figures and for other readings
};

/// Unit of a paper's figure for tables; with_unit() appends it to a number.
[[nodiscard]] std::string_view unit_text(const PaperFigure& paper);
[[nodiscard]] std::string with_unit(const std::string& number, const PaperFigure& paper);
/// Note of the reference file on the figure, if it is short.
[[nodiscard]] std::string short_note(const PaperFigure& paper);
/// Caption of a row, complete without the other rows.
[[nodiscard]] std::string caption_of(const PaperAnswer& answer);
/// Description of the measurement; without one, the reference file's note or the caption.
[[nodiscard]] std::string what_of(const PaperAnswer& answer);
/// Whether a result of zero would count as reproduced; such verdicts have a star.
[[nodiscard]] bool is_marked(const PaperAnswer& answer);
[[nodiscard]] std::string verdict_cell(const PaperAnswer& answer);
inline constexpr const char* kBelowTolerance =
    "* the claim is at most 5 points, so that no effect at all would count as reproduced";

/// Number of entries of the reference file by verdict, with the shipped presets. An entry with
/// several numbers counts with its worst.
struct VerdictCounts {
    std::array<std::size_t, kVerdictText.size()> of{};
    std::size_t entries = 0;
    std::size_t with_ours = 0;  ///< entries with at least one number of the model

    /// Example: "86 figures: 40 reproduced, 20 partly, 15 not, 11 not measured".
    [[nodiscard]] std::string text() const;
};

/// The selected figures beside the available results.
class Reproduction {
public:
    Reproduction(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                 const std::vector<Summary>& summaries, const ConfigCatalog& catalog);

    [[nodiscard]] const std::vector<ReproducedFigure>& figures() const { return figures_; }
    [[nodiscard]] VerdictCounts counts() const;

    /// Table for terminals, followed by the reasons why figures are not reproduced.
    [[nodiscard]] std::string text() const;
    /// The same content as a Markdown table.
    [[nodiscard]] std::string markdown() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    std::vector<ReproducedFigure> figures_;
};

}  // namespace tessera

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
/// Whether the row repeats the measurement of another row. Such a row is not counted; its verdict
/// has a star.
[[nodiscard]] bool is_marked(const PaperAnswer& answer);
[[nodiscard]] std::string verdict_cell(const PaperAnswer& answer);
inline constexpr const char* kRepeated =
    "* the same measurement as another row, which is counted in its place";

/// Number of entries of the reference file by quantity and verdict, with the shipped presets. An
/// entry with several numbers counts with its worst. An entry that repeats another is left out.
struct VerdictCounts {
    using ByVerdict = std::array<std::size_t, kVerdictText.size()>;
    std::array<ByVerdict, kMeasureText.size()> of{};  ///< by Measure and Verdict
    std::size_t entries = 0;                          ///< with those that repeat another
    std::size_t repeated = 0;
    std::size_t with_ours = 0;  ///< entries with at least one number of the model
    /// Reproduced speedups and times that are a mean of which one layer is more than half.
    std::size_t of_one_layer = 0;

    [[nodiscard]] std::size_t total(Verdict verdict) const;
    /// Speedups and times of a verdict, and all that were simulated.
    [[nodiscard]] std::size_t times(Verdict verdict) const;
    [[nodiscard]] std::size_t simulated_times() const;
    /// The simulated speedups and times that come out. Example: "6 of 27 simulated speedups and
    /// times come out on the shipped machine (12 partly, 9 not)".
    [[nodiscard]] std::string headline(std::string_view where = "on the shipped machine") const;
    /// All entries, by quantity.
    [[nodiscard]] std::string text() const;
};

/// Counts the entries of the answers; those of other readings do not count.
[[nodiscard]] VerdictCounts counts_of(const std::vector<PaperAnswer>& answers);

/// The selected figures beside the available results.
class Reproduction {
public:
    /// `with_stored`: rows that were not run, or with fewer seeds or layers, are those of
    /// configs/reference/results.
    Reproduction(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                 const std::vector<Summary>& summaries, const ConfigCatalog& catalog,
                 bool with_stored = false);

    [[nodiscard]] const std::vector<ReproducedFigure>& figures() const { return figures_; }
    [[nodiscard]] VerdictCounts counts() const;

    /// Table for terminals, followed by the reasons why figures are not reproduced.
    [[nodiscard]] std::string text() const;
    /// The same content as a Markdown table.
    [[nodiscard]] std::string markdown() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    [[nodiscard]] std::size_t stored_rows() const;

    std::vector<ReproducedFigure> figures_;
};

}  // namespace tessera

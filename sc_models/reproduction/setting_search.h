// Search for the fewest settings under which the most figures of a paper come out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/reproduction/atlas_plan.h"
#include "sc_models/reproduction/paper_comparison.h"

namespace tessera {

/// A side of a setting that the search may choose: `l1_port.low` of `l1_port`.
struct SearchSetting {
    std::string name, setting, source;
    std::vector<std::string> sets;  ///< key=value
};

/// Sides with a source; those whose source says that we chose them are left out. A setting of
/// several studies counts once.
[[nodiscard]] std::vector<SearchSetting> sourced_settings(const std::vector<AtlasStudy>& studies);

/// How near the figures are to the paper's on one machine.
struct SearchScore {
    std::size_t reproduced = 0, partly = 0, figures = 0;
    double distance = 0;  ///< mean of |ours / paper - 1| over the figures, at most 1 each

    /// Better: more figures come out; then more come out partly; then a smaller distance.
    [[nodiscard]] bool better_than(const SearchScore& other) const;
    /// Whether as many come out, and as many partly.
    [[nodiscard]] bool counts_as(const SearchScore& other) const;
    /// Example: "3 of 8 reproduced, 2 partly, distance 0.41".
    [[nodiscard]] std::string text() const;
};
[[nodiscard]] SearchScore score_of(const std::vector<PaperAnswer>& answers);

/// Settings chosen so far, by index, in ascending order.
using SearchSet = std::vector<std::size_t>;
/// Scores of machines with these settings; empty if the search is interrupted.
using SearchEvaluation = std::function<std::vector<SearchScore>(const std::vector<SearchSet>&)>;

/// A set that the search settled on.
struct SearchStep {
    SearchSet set;
    SearchScore score;
};

/// Result of a search.
struct SearchResult {
    std::vector<SearchStep> steps;  ///< from the shipped machine to the best set
    std::size_t tried = 0;          ///< machines that were simulated, with the shipped one
    bool budget_spent = false;      ///< the search ended for its budget
    bool interrupted = false;

    [[nodiscard]] const SearchStep& best() const { return steps.back(); }
};

/// Adds the setting that scores best, one at a time, as long as the score rises; then leaves out
/// settings without which as many figures come out. At most `budget` machines are simulated. It is
/// no proof that no other set does better. Precondition: `budget` is at least 1.
[[nodiscard]] SearchResult search_settings(const std::vector<SearchSetting>& settings,
                                           std::size_t budget, const SearchEvaluation& evaluate);

}  // namespace tessera

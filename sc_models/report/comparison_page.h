// Page that compares two runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/results/result_comparison.h"
#include "sc_models/study/sweep/attribution.h"

namespace tessera {

/// A run to compare: the path it was read from and its result.json.
struct ComparedRun {
    std::string name;
    const nlohmann::ordered_json& result;
};

/// The largest changes as sentences, largest first, by relative and by absolute size. The relative
/// list holds counts of at least kFewestCounts in one of the runs. Ratios and percentages are
/// excluded.
struct LargestChanges {
    static constexpr double kFewestCounts = 100;  ///< chosen: changes of smaller counts are noise
    std::vector<std::string> relative, absolute;
};
[[nodiscard]] LargestChanges largest_changes(const ResultComparison& comparison, std::size_t most);

/// Page with cycles and speedup, differing settings and (if `attribution` is given) the effect of
/// each, the largest changes as sentences, issue slots side by side, and all differing numbers.
[[nodiscard]] std::string comparison_page(const ComparedRun& a, const ComparedRun& b,
                                          const ResultComparison& comparison,
                                          const Attribution* attribution = nullptr);

}  // namespace tessera

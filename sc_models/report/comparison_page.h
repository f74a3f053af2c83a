// Two runs side by side as a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/study/attribution.h"
#include "sc_models/study/result_comparison.h"

namespace tessera {

/// A run that is compared: where it was read from, and its result.json.
struct ComparedRun {
    std::string name;
    const nlohmann::ordered_json& result;
};

/// What changed most, as sentences, largest first: relatively, of what counts at least
/// kFewestCounts in one of the runs, and by its size. Ratios and percentages are not among them.
struct LargestChanges {
    static constexpr double kFewestCounts = 100;  ///< chosen: fewer are noise
    std::vector<std::string> relative, absolute;
};
[[nodiscard]] LargestChanges largest_changes(const ResultComparison& comparison, std::size_t most);

/// Cycles and speedup, settings that differ and, if that is known, what each did, what changed most
/// in words, issue slots beside each other, and all numbers that differ.
[[nodiscard]] std::string comparison_page(const ComparedRun& a, const ComparedRun& b,
                                          const ResultComparison& comparison,
                                          const Attribution* attribution = nullptr);

}  // namespace tessera

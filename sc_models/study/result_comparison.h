// Two runs side by side.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/config_differences.h"

namespace tessera {

/// A number that two results have, or only one of them.
struct NumberPair {
    std::string name;
    std::optional<double> a, b;

    /// A count that one run does not have is zero in it.
    [[nodiscard]] bool differs() const { return a.value_or(0) != b.value_or(0); }
    /// Of b against a, in percent; nothing if one is missing or a is zero.
    [[nodiscard]] std::optional<double> change() const;
};

/// The change as a table shows it: percent, `=` where the two are equal, `-` where one is missing.
[[nodiscard]] std::string change_cell(const NumberPair& pair);

/// What two runs set differently, and what came out differently.
struct ResultComparison {
    bool equal = false;                ///< in everything but the tool that wrote them
    std::vector<std::string> unequal;  ///< top-level keys that differ
    std::vector<ConfigDifference> config;
    std::vector<NumberPair> metrics;     ///< all, in the order of the results
    std::vector<NumberPair> statistics;  ///< those that differ, largest relative difference first,
                                         ///< then what only one has
};

/// Compares two contents of result.json. Kernels are matched by name.
[[nodiscard]] ResultComparison compare_results(const nlohmann::ordered_json& a,
                                               const nlohmann::ordered_json& b);

/// The comparison as text; at most `statistics` of the statistics that differ.
[[nodiscard]] std::string comparison_text(const ResultComparison& comparison,
                                          std::size_t statistics);

}  // namespace tessera

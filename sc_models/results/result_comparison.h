// Comparison of two runs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/results/config_differences.h"

namespace tessera {

/// A number that both results have, or only one.
struct NumberPair {
    std::string name;
    std::optional<double> a, b;

    /// A count that is absent from one run is zero there.
    [[nodiscard]] bool differs() const { return a.value_or(0) != b.value_or(0); }
    /// Change from a to b in percent; empty if one is missing or a is zero.
    [[nodiscard]] std::optional<double> change() const;
};

/// Change as a table cell: percent, `=` if the values are equal, `-` if one is missing.
[[nodiscard]] std::string change_cell(const NumberPair& pair);

/// Differences between the settings and the results of two runs.
struct ResultComparison {
    bool equal = false;                ///< equal except for the tool that wrote the results
    std::vector<std::string> unequal;  ///< top-level keys that differ
    std::vector<ConfigDifference> config;
    std::vector<NumberPair> metrics;     ///< all, in the order of the results
    std::vector<NumberPair> statistics;  ///< differing ones, largest relative difference first,
                                         ///< those of one run only last
};

/// Compares the contents of two result.json files. Kernels are matched by name.
[[nodiscard]] ResultComparison compare_results(const nlohmann::ordered_json& a,
                                               const nlohmann::ordered_json& b);

/// Comparison as text, with at most `statistics` of the differing statistics.
[[nodiscard]] std::string comparison_text(const ResultComparison& comparison,
                                          std::size_t statistics);
/// All of the comparison for `tessera compare --json`; a number that one run lacks is null.
[[nodiscard]] nlohmann::ordered_json comparison_json(const ResultComparison& comparison);

}  // namespace tessera

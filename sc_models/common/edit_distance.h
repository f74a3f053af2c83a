// Suggestions for mistyped names ("did you mean").
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`,
/// ignoring case.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Candidate nearest to `name` (the first of several); empty if none is similar.
[[nodiscard]] std::string_view nearest_name(std::string_view name,
                                            const std::vector<std::string_view>& candidates);

/// " (did you mean 'x'?)" for the nearest candidate; empty if none is similar.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

/// "{a, b, c}".
[[nodiscard]] std::string braced_list(const std::vector<std::string_view>& names);

}  // namespace tessera

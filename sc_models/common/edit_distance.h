// "Did you mean": the known name that is nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, without
/// regard to upper and lower case.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` (the first of several), or an empty view if nothing resembles
/// it.
[[nodiscard]] std::string_view nearest_name(std::string_view name,
                                            const std::vector<std::string_view>& candidates);

/// " (did you mean 'x'?)" for the nearest candidate, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

/// "{a, b, c}".
[[nodiscard]] std::string braced_list(const std::vector<std::string_view>& names);

}  // namespace tessera

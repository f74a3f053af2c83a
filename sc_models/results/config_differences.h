// Differences between two configurations.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A key of two configurations and its values; "-" where the key is absent.
struct ConfigDifference {
    std::string key, a, b;

    /// "a -> b".
    [[nodiscard]] std::string text() const;
    /// Parses a text(); empty if `text` is none.
    [[nodiscard]] static std::optional<ConfigDifference> of_text(const std::string& key,
                                                                 const std::string& text);
};

/// Keys of the two effective configurations (YAML) whose values differ, sorted by name.
[[nodiscard]] std::vector<ConfigDifference> config_differences(const std::string& a,
                                                               const std::string& b);

/// Core clock of b divided by that of a; 1 if they are equal.
[[nodiscard]] double core_clock_ratio(const std::vector<ConfigDifference>& differences);

}  // namespace tessera

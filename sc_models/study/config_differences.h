// What two configurations set differently.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A key of two configurations and its values; "-" in the one that does not have it.
struct ConfigDifference {
    std::string key, a, b;

    /// "a -> b".
    [[nodiscard]] std::string text() const;
    /// Reads a text() back; nothing if it is none.
    [[nodiscard]] static std::optional<ConfigDifference> of_text(const std::string& key,
                                                                 const std::string& text);
};

/// Keys of the two effective configurations (YAML) whose values differ, in the order of their
/// names.
[[nodiscard]] std::vector<ConfigDifference> config_differences(const std::string& a,
                                                               const std::string& b);

/// b / a of the core clock; 1 if it does not differ.
[[nodiscard]] double core_clock_ratio(const std::vector<ConfigDifference>& differences);

}  // namespace tessera

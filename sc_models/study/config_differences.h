// What two configurations set differently.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Key and value of a configuration that was changed.
using ConfigChanges = std::vector<std::pair<std::string, std::string>>;

/// A key of two configurations and its values; "-" in the one that does not have it.
struct ConfigDifference {
    std::string key, a, b;

    [[nodiscard]] std::string text() const { return a + " -> " + b; }
};

/// Keys of the two effective configurations (YAML) whose values differ, in the order of their
/// names.
[[nodiscard]] std::vector<ConfigDifference> config_differences(const std::string& a,
                                                               const std::string& b);
/// The same as (key, "a -> b").
[[nodiscard]] ConfigChanges config_changes(const std::string& a, const std::string& b);

}  // namespace tessera

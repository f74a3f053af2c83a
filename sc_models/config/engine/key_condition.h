// Conditions under which configuration keys act.
#pragma once

#include <string_view>

namespace tessera {

struct Config;

/// Condition on the configuration of a run under which a key acts.
struct KeyCondition {
    std::string_view words;  ///< in messages behind "it acts with": "timing at"
    /// Null: the instructions of the run decide, and the key is a Parameter, which records its use.
    bool (*holds)(const Config& config);
};

/// Whether the key is in the section, or among its keys with these first letters: `prefix` is
/// "duplo." or "opportunistic.pt_".
[[nodiscard]] constexpr bool has_prefix(std::string_view key, std::string_view prefix) {
    return key.substr(0, prefix.size()) == prefix;
}

}  // namespace tessera

// Which blocks are recorded.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Comma-separated glob patterns (`*`, `?`, `[...]`; `*` crosses dots) over dotted scopes such as
/// "sm0.sub_core1". A pattern also selects everything inside what it matches: "sm0" is all of SM 0.
class ScopeFilter {
public:
    explicit ScopeFilter(std::string_view patterns);
    /// The same, of the part of each pattern before its first dot, for scopes without dots.
    [[nodiscard]] static ScopeFilter of_top_level(std::string_view patterns);

    /// Whether a pattern selects the scope. The filter remembers which scopes there are.
    bool matches(const std::string& scope);

    /// Throws ConfigError, naming `option` and the scopes there are, for patterns that never
    /// matched: for any of them, or with `one_suffices` if all did so.
    void check(std::string_view option, bool one_suffices = false) const;

private:
    struct Pattern {
        std::string text;
        bool used = false;
    };
    std::vector<Pattern> patterns_;
    std::set<std::string> scopes_;
};

/// Names that differ in their numbers only as one each: "sm{0..79}.sub_core{0..3}, sm{0..79}.ldst".
[[nodiscard]] std::string summarise_scopes(const std::set<std::string>& scopes);

}  // namespace tessera

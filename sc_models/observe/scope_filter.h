// Filter of the blocks to record.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Comma-separated glob patterns (`*`, `?`, `[...]`; `*` crosses dots) over dotted scopes such as
/// "sm0.sub_core1". A pattern also selects everything inside its matches: "sm0" is all of SM 0.
class ScopeFilter {
public:
    explicit ScopeFilter(std::string_view patterns);
    /// A filter with only the part of each pattern before its first dot, for scopes without dots.
    [[nodiscard]] static ScopeFilter of_top_level(std::string_view patterns);

    /// Whether a pattern selects the scope. The filter records all queried scopes for check().
    bool matches(const std::string& scope);

    /// Throws ConfigError, naming `option` and the existing scopes, for patterns that never
    /// matched: if any has not, or, with `one_suffices`, if none has.
    void check(std::string_view option, bool one_suffices = false) const;

private:
    struct Pattern {
        std::string text;
        bool used = false;
    };
    std::vector<Pattern> patterns_;
    std::set<std::string> scopes_;
};

/// Joins names that differ only in their numbers: "sm{0..79}.sub_core{0..3}, sm{0..79}.ldst".
[[nodiscard]] std::string summarise_scopes(const std::set<std::string>& scopes);

}  // namespace tessera

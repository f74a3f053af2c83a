// Parsed configuration with the source location of every value, independent of the file format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {

/// Source location of a value: a line and column (from 1) of a file, or a `--set` of the command
/// line.
struct SourceLocation {
    std::shared_ptr<const std::string> source;  ///< file name or "--set key=value"; null: a default
    std::uint32_t line = 0;                     ///< 0: the source as a whole
    std::uint32_t column = 0;

    /// `file:line:column`, `--set key=value` or `default`.
    [[nodiscard]] std::string str() const;
};

/// Error `location: path: message`, in one line. The path is omitted if it is empty or if the
/// location (`--set path=value`) includes it.
[[nodiscard]] ConfigError located_error(const SourceLocation& location, std::string_view path,
                                        std::string_view message);

/// 'text' in quotes for error messages: made printable (utf8.h), long text cut.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// One node of a parsed configuration file. The accessors check the kind and the value and throw a
/// located ConfigError with the dotted key `path`.
class ConfigNode {
public:
    enum class Kind { kNothing, kScalar, kList, kMapping };
    struct Member;

    Kind kind = Kind::kNothing;
    SourceLocation location;
    std::string scalar;             ///< for scalars
    std::vector<ConfigNode> items;  ///< for lists
    std::vector<Member> members;    ///< for mappings; in file order, keys distinct

    /// Value of `key`, or null. Other nodes than mappings have no keys.
    [[nodiscard]] const ConfigNode* find(std::string_view key) const;
    /// Adds a member to a mapping. Precondition: the key is new.
    void add(std::string key, SourceLocation key_location, ConfigNode value);

    /// Removes a member from a mapping and returns it; empty if it is absent.
    [[nodiscard]] std::optional<ConfigNode> take(std::string_view key);

    [[noreturn]] void fail(std::string_view path, std::string_view message) const;
    /// Fails with "got 'x', expected <expected>"; for other nodes than scalars, the kind replaces
    /// 'x'.
    [[noreturn]] void fail_expected(std::string_view path, std::string_view expected) const;

    /// Fails unless this is a mapping; an empty node counts as an empty one.
    void expect_mapping(std::string_view path) const;
    /// Fails unless this is a list.
    void expect_list(std::string_view path) const;
    /// Fails on the first key outside `known`, naming the nearest known one.
    void expect_keys(std::string_view path, const std::vector<std::string_view>& known) const;

    [[nodiscard]] const std::string& as_text(std::string_view path) const;
    /// Accepts decimal digits only, within [min, max].
    [[nodiscard]] std::uint64_t as_integer(std::string_view path, std::uint64_t min,
                                           std::uint64_t max) const;
    /// as_integer(), or `word`, which gives `stand_for`.
    [[nodiscard]] std::uint64_t as_integer_or(std::string_view path, std::uint64_t min,
                                              std::uint64_t max, std::string_view word,
                                              std::uint64_t stand_for) const;
    /// The value as a finite decimal number within [min, max], or nothing.
    [[nodiscard]] std::optional<double> real_within(double min, double max) const;
    /// A finite decimal number within [min, max].
    [[nodiscard]] double as_real(std::string_view path, double min, double max) const;
    /// as_real(), or `word`, which gives `stand_for`.
    [[nodiscard]] double as_real_or(std::string_view path, double min, double max,
                                    std::string_view word, double stand_for) const;
    /// Accepts on, off, true or false.
    [[nodiscard]] bool as_boolean(std::string_view path) const;
    /// Index of the label.
    [[nodiscard]] std::size_t as_choice(std::string_view path,
                                        const std::vector<std::string_view>& labels) const;
};

struct ConfigNode::Member {
    std::string key;
    SourceLocation key_location;
    ConfigNode value;
};

/// `path.key`, or only `key` if `path` is empty.
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);

/// Nests `body` under the dotted `path` ("workload.layer"); the mappings in between get its
/// location.
[[nodiscard]] ConfigNode nested_under(std::string_view path, ConfigNode body);

/// Number as configurations print it: the shortest text that reads back to the same value.
[[nodiscard]] std::string real_text(double value);

}  // namespace tessera

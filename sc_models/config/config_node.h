// Parsed configuration text with the place of every value, whatever it was written in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {

/// Where a value was written: a line and column (from 1) of a file, or a `--set` of the command
/// line.
struct SourceLocation {
    std::shared_ptr<const std::string> source;  ///< file name or "--set key=value"; null: a default
    std::uint32_t line = 0;                     ///< 0: the source as a whole
    std::uint32_t column = 0;

    /// `file:line:column`, `--set key=value` or `default`.
    [[nodiscard]] std::string str() const;
};

/// The error `location: path: message`, kept to one line. The path is left out where it is empty or
/// where the location (`--set path=value`) says it already.
[[nodiscard]] ConfigError located_error(const SourceLocation& location, std::string_view path,
                                        std::string_view message);

/// 'text' in quotes as error messages show it: made printable (utf8.h), long text cut.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// One node of a parsed configuration file. The accessors check the kind and the value and throw a
/// located ConfigError; `path` is the dotted key they name in it.
class ConfigNode {
public:
    enum class Kind { kNothing, kScalar, kList, kMapping };
    struct Member;

    Kind kind = Kind::kNothing;
    SourceLocation location;
    std::string scalar;             ///< of a scalar
    std::vector<ConfigNode> items;  ///< of a list
    std::vector<Member> members;    ///< of a mapping, in the order of the file, keys distinct

    /// The value of `key`, or null. A node that is no mapping has no keys.
    [[nodiscard]] const ConfigNode* find(std::string_view key) const;
    /// Adds a member to a mapping; the key must be new.
    void add(std::string key, SourceLocation key_location, ConfigNode value);

    /// Takes a member out of a mapping; nothing if it is not there.
    [[nodiscard]] std::optional<ConfigNode> take(std::string_view key);

    [[noreturn]] void fail(std::string_view path, std::string_view message) const;
    /// Fails with "got 'x', expected <expected>", or with the kind in place of 'x' for no scalar.
    [[noreturn]] void fail_expected(std::string_view path, std::string_view expected) const;

    /// Fails unless this is a mapping; an empty node counts as an empty one.
    void expect_mapping(std::string_view path) const;
    /// Fails unless this is a list.
    void expect_list(std::string_view path) const;
    /// Fails on the first key that is not one of `known`, naming the nearest known one.
    void expect_keys(std::string_view path, const std::vector<std::string_view>& known) const;

    [[nodiscard]] const std::string& as_text(std::string_view path) const;
    /// Decimal digits only, within [min, max].
    [[nodiscard]] std::uint64_t as_integer(std::string_view path, std::uint64_t min,
                                           std::uint64_t max) const;
    /// As as_integer, or `word`, which reads as `stand_for`.
    [[nodiscard]] std::uint64_t as_integer_or(std::string_view path, std::uint64_t min,
                                              std::uint64_t max, std::string_view word,
                                              std::uint64_t stand_for) const;
    /// A finite decimal number within [min, max].
    [[nodiscard]] double as_real(std::string_view path, double min, double max) const;
    /// on, off, true or false.
    [[nodiscard]] bool as_boolean(std::string_view path) const;
    /// The index of the label.
    [[nodiscard]] std::size_t as_choice(std::string_view path,
                                        const std::vector<std::string_view>& labels) const;
};

struct ConfigNode::Member {
    std::string key;
    SourceLocation key_location;
    ConfigNode value;
};

/// `path.key`, or just `key` at the top.
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);

/// `body` put under the dotted `path` ("workload.layer"); the mappings in between get its location.
[[nodiscard]] ConfigNode nested_under(std::string_view path, ConfigNode body);

/// A number as configurations print it: the shortest text that reads back to the same value.
[[nodiscard]] std::string real_text(double value);

}  // namespace tessera

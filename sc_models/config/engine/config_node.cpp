#include "sc_models/config/engine/config_node.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/utf8.h"

namespace tessera {

namespace {

constexpr std::size_t kLongestQuoted = 60;

/// At most the first `bytes` of `text`, without a partial character at the end.
std::string_view shortened(std::string_view text, std::size_t bytes) {
    constexpr std::size_t kLongestCharacter = 4;
    for (std::size_t back = 1; back < kLongestCharacter && back <= bytes; ++back) {
        const std::size_t start = bytes - back;
        if (utf8_character_bytes(text.substr(start)) > back) return text.substr(0, start);
    }
    return text.substr(0, bytes);
}

std::string kind_name(ConfigNode::Kind kind) {
    switch (kind) {
        case ConfigNode::Kind::kNothing:
            return "nothing";
        case ConfigNode::Kind::kScalar:
            return "a value";
        case ConfigNode::Kind::kList:
            return "a list";
        case ConfigNode::Kind::kMapping:
            return "a mapping";
    }
    return {};
}

/// Parses decimal digits without sign or needless leading zeros (which YAML 1.1 would read as
/// octal).
bool parse_integer(std::string_view text, std::uint64_t& value) {
    if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

}  // namespace

std::string SourceLocation::str() const {
    if (!source) return "default";
    if (line == 0) return *source;
    return *source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

ConfigError located_error(const SourceLocation& location, std::string_view path,
                          std::string_view message) {
    std::string text = location.str();
    const std::string said = "--set " + std::string(path) + "=";
    if (!path.empty() && text.compare(0, said.size(), said) != 0) {
        text += ": ";
        text += path;
    }
    text += ": ";
    text += message;
    return ConfigError(printable(text));
}

std::string in_quotes(std::string_view text) {
    if (text.size() > kLongestQuoted) {
        return "'" + printable(shortened(text, kLongestQuoted)) + "...'";
    }
    return "'" + printable(text) + "'";
}

const ConfigNode* ConfigNode::find(std::string_view key) const {
    for (const Member& member : members) {
        if (member.key == key) return &member.value;
    }
    return nullptr;
}

void ConfigNode::add(std::string key, SourceLocation key_location, ConfigNode value) {
    members.push_back({std::move(key), std::move(key_location), std::move(value)});
}

std::optional<ConfigNode> ConfigNode::take(std::string_view key) {
    const auto member = std::find_if(members.begin(), members.end(),
                                     [key](const Member& m) { return m.key == key; });
    if (member == members.end()) return std::nullopt;
    ConfigNode value = std::move(member->value);
    members.erase(member);
    return value;
}

void ConfigNode::fail(std::string_view path, std::string_view message) const {
    throw located_error(location, path, message);
}

void ConfigNode::fail_expected(std::string_view path, std::string_view expected) const {
    fail(path, "got " + (kind == Kind::kScalar ? in_quotes(scalar) : kind_name(kind)) +
                   ", expected " + std::string(expected));
}

void ConfigNode::expect_mapping(std::string_view path) const {
    if (kind != Kind::kMapping && kind != Kind::kNothing) fail_expected(path, "a mapping");
}

void ConfigNode::expect_list(std::string_view path) const {
    if (kind != Kind::kList) fail_expected(path, "a list");
}

void ConfigNode::expect_keys(std::string_view path,
                             const std::vector<std::string_view>& known) const {
    for (const Member& member : members) {
        bool is_known = false;
        for (const std::string_view key : known) is_known = is_known || member.key == key;
        if (!is_known) {
            throw located_error(member.key_location, path,
                                "unknown key " + in_quotes(member.key) + ", expected one of " +
                                    braced_list(known) + did_you_mean(member.key, known));
        }
    }
}

const std::string& ConfigNode::as_text(std::string_view path) const {
    if (kind != Kind::kScalar) fail_expected(path, "text");
    return scalar;
}

std::uint64_t ConfigNode::as_integer(std::string_view path, std::uint64_t min,
                                     std::uint64_t max) const {
    std::uint64_t value = 0;
    if (kind != Kind::kScalar || !parse_integer(scalar, value) || value < min || value > max) {
        fail_expected(path,
                      "an integer from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return value;
}

std::uint64_t ConfigNode::as_integer_or(std::string_view path, std::uint64_t min, std::uint64_t max,
                                        std::string_view word, std::uint64_t stand_for) const {
    if (kind == Kind::kScalar && scalar == word) return stand_for;
    std::uint64_t value = 0;
    if (kind != Kind::kScalar || !parse_integer(scalar, value) || value < min || value > max) {
        fail_expected(path, "an integer from " + std::to_string(min) + " to " +
                                std::to_string(max) + " or '" + std::string(word) + "'" +
                                (kind == Kind::kScalar ? did_you_mean(scalar, {word}) : ""));
    }
    return value;
}

std::optional<double> ConfigNode::real_within(double min, double max) const {
    if (kind != Kind::kScalar) return std::nullopt;
    double value = 0;
    const char* end = scalar.data() + scalar.size();
    const auto [stop, error] = std::from_chars(scalar.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    if (value < min || value > max) return std::nullopt;
    return value;
}

double ConfigNode::as_real(std::string_view path, double min, double max) const {
    const std::optional<double> value = real_within(min, max);
    if (!value) fail_expected(path, "a number from " + real_text(min) + " to " + real_text(max));
    return *value;
}

double ConfigNode::as_real_or(std::string_view path, double min, double max, std::string_view word,
                              double stand_for) const {
    if (kind == Kind::kScalar && scalar == word) return stand_for;
    const std::optional<double> value = real_within(min, max);
    if (!value) {
        fail_expected(path, "a number from " + real_text(min) + " to " + real_text(max) + " or '" +
                                std::string(word) + "'" +
                                (kind == Kind::kScalar ? did_you_mean(scalar, {word}) : ""));
    }
    return *value;
}

bool ConfigNode::as_boolean(std::string_view path) const {
    if (kind == Kind::kScalar && (scalar == "on" || scalar == "true")) return true;
    if (kind == Kind::kScalar && (scalar == "off" || scalar == "false")) return false;
    const std::vector<std::string_view> labels = {"on", "off", "true", "false"};
    fail_expected(path, "one of " + braced_list(labels) +
                            (kind == Kind::kScalar ? did_you_mean(scalar, labels) : ""));
}

std::size_t ConfigNode::as_choice(std::string_view path,
                                  const std::vector<std::string_view>& labels) const {
    if (kind == Kind::kScalar) {
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (labels[i] == scalar) return i;
        }
    }
    fail_expected(path, "one of " + braced_list(labels) +
                            (kind == Kind::kScalar ? did_you_mean(scalar, labels) : ""));
}

std::string join_path(std::string_view path, std::string_view key) {
    std::string joined(path);
    if (!joined.empty()) joined += '.';
    joined += key;
    return joined;
}

ConfigNode nested_under(std::string_view path, ConfigNode body) {
    const std::size_t dot = path.rfind('.');
    ConfigNode parent;
    parent.kind = ConfigNode::Kind::kMapping;
    parent.location = body.location;
    const SourceLocation location = body.location;
    parent.add(std::string(dot == std::string_view::npos ? path : path.substr(dot + 1)), location,
               std::move(body));
    if (dot == std::string_view::npos) return parent;
    return nested_under(path.substr(0, dot), std::move(parent));
}

std::string real_text(double value) {
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
}

}  // namespace tessera

#include "sc_models/trace/line_fields.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <memory>

#include "sc_models/config/engine/config_node.h"

namespace tessera {
namespace {

std::uint64_t parse_digits(std::string_view text, std::string_view shown, int base,
                           std::uint64_t max, std::string_view what) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (text.empty() || stop != end || error == std::errc::invalid_argument) {
        throw unexpected(shown, what);
    }
    if (error != std::errc() || value > max) {
        throw unexpected(shown, base == 16 ? fmt::format("{} of at most 0x{:x}", what, max)
                                           : fmt::format("{} of at most {}", what, max));
    }
    return value;
}

}  // namespace

ConfigError unexpected(std::string_view got, std::string_view expected) {
    return ConfigError(fmt::format("got {}, expected {}", in_quotes(got), expected));
}

ConfigError trace_error(const std::string& file, std::uint64_t line, std::string_view message) {
    const std::string place = line == 0 ? file : fmt::format("{}:{}", file, line);
    return located_error({std::make_shared<const std::string>(place), 0, 0}, {}, message);
}

std::uint64_t parse_decimal(std::string_view text, std::uint64_t max, std::string_view what) {
    return parse_digits(text, text, 10, max, what);
}

std::int64_t parse_signed(std::string_view text, std::string_view what) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || stop != end || error == std::errc::invalid_argument) {
        throw unexpected(text, what);
    }
    if (error != std::errc()) throw unexpected(text, fmt::format("{} of 64 bits", what));
    return value;
}

std::uint64_t parse_hex(std::string_view text, std::uint64_t max, std::string_view what) {
    return parse_digits(text, text, 16, max, what);
}

std::uint64_t parse_hex_0x(std::string_view text, std::uint64_t max, std::string_view what) {
    if (text.substr(0, 2) != "0x") throw unexpected(text, what);
    return parse_digits(text.substr(2), text, 16, max, what);
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view LineFields::next(std::string_view what) {
    if (at_end()) {
        throw ConfigError(fmt::format("the line ends here, expected {}", what));
    }
    const std::size_t first = at_;
    while (at_ < line_.size() && !blank(line_[at_])) ++at_;
    const std::string_view field = line_.substr(first, at_ - first);
    skip_blanks();
    return field;
}

}  // namespace tessera

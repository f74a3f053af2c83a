// Parsing of the fields of a trace line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/common/error.h"

namespace tessera {

/// "got 'x', expected y", without a location.
[[nodiscard]] ConfigError unexpected(std::string_view got, std::string_view expected);

/// "file:line: message" on one line; line 0 stands for the whole file.
[[nodiscard]] ConfigError trace_error(const std::string& file, std::uint64_t line,
                                      std::string_view message);

/// Parses decimal digits only, up to `max`. Throws ConfigError naming `what` otherwise.
[[nodiscard]] std::uint64_t parse_decimal(std::string_view text, std::uint64_t max,
                                          std::string_view what);
/// Parses a decimal number with an optional minus.
[[nodiscard]] std::int64_t parse_signed(std::string_view text, std::string_view what);
/// Parses hexadecimal digits without 0x.
[[nodiscard]] std::uint64_t parse_hex(std::string_view text, std::uint64_t max,
                                      std::string_view what);
/// Parses 0x and hexadecimal digits.
[[nodiscard]] std::uint64_t parse_hex_0x(std::string_view text, std::uint64_t max,
                                         std::string_view what);

/// Text without the blanks and tabs at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The blank-separated columns of one line, from left to right.
class LineFields {
public:
    explicit LineFields(std::string_view line) : line_(line) { skip_blanks(); }

    [[nodiscard]] bool at_end() const { return at_ == line_.size(); }
    /// Takes the next field. Throws ConfigError, "the line ends where <what> is expected", if there
    /// is none.
    [[nodiscard]] std::string_view next(std::string_view what);
    /// Offset of the next field (or of the end) in the line.
    [[nodiscard]] std::size_t offset() const { return at_; }

private:
    [[nodiscard]] static bool blank(char c) { return c == ' ' || c == '\t'; }
    void skip_blanks() {
        while (at_ < line_.size() && blank(line_[at_])) ++at_;
    }

    std::string_view line_;
    std::size_t at_ = 0;
};

}  // namespace tessera

// Standard input, output and error, robust against closed, full or broken streams.
#pragma once

#include <fmt/format.h>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "sc_models/common/utf8.h"

namespace tessera {

/// Opens /dev/null for each standard stream that the caller closed, so that no other file gets its
/// number and receives printed text. Writing to a standard output that was closed still fails. Call
/// before any file is opened.
void open_standard_streams();

/// Width in characters of the terminal that shows standard output; empty if it is no terminal.
[[nodiscard]] std::optional<std::size_t> terminal_width();

/// Writes `text` to standard error unchanged, including control characters. Errors are ignored:
/// messages accompany a result and never change it, nor the exit code.
void write_error(std::string_view text) noexcept;

/// Formats a message and writes it to standard error (write_error()), with terminal control
/// characters escaped (printable_lines).
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_error(printable_lines(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// Formats a message likewise and writes it to standard output. Throws std::system_error on
/// failure.
template <class... Arguments>
void print_text(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::print("{}", printable_lines(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

}  // namespace tessera

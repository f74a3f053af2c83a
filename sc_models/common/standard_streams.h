// Standard input, output and error as every program may find them: closed, full or broken.
#pragma once

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "sc_models/common/utf8.h"

namespace tessera {

/// Opens /dev/null in place of those of the three that the caller closed, so that no file of ours
/// gets their numbers and, with them, what is printed. Writing to a standard output that was closed
/// fails as before. To be called before anything is opened.
void open_standard_streams();

/// Writes `text` to standard error as it is, with what moves the cursor. What cannot be written is
/// lost: messages accompany a result and never change it, nor the exit code.
void write_error(std::string_view text) noexcept;

/// Formats a message and writes it to standard error, for which see write_error(); what a terminal
/// would act on is made text (printable_lines).
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_error(printable_lines(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// The same to standard output. Throws std::system_error if it cannot be written.
template <class... Arguments>
void print_text(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::print("{}", printable_lines(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

}  // namespace tessera

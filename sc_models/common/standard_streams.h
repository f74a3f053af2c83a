// Standard input, output and error as every program may find them: closed, full or broken.
#pragma once

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tessera {

/// Opens /dev/null in place of those of the three that the caller closed, so that no file of ours
/// gets their numbers and, with them, what is printed. Writing to a standard output that was closed
/// fails as before. To be called before anything is opened.
void open_standard_streams();

/// Writes `text` to standard error. What cannot be written is lost: messages accompany a result and
/// never change it, nor the exit code.
void write_error(std::string_view text) noexcept;

/// As fmt::print(stderr, ...), for which see write_error().
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_error(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace tessera

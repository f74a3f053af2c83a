// UTF-8, as the Unicode standard has it: shortest forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// Bytes of the character that `text` starts with; 0 if it starts with none, or is empty.
[[nodiscard]] std::size_t utf8_character_bytes(std::string_view text);

/// How many bytes of `text` are UTF-8, from its start on: all of them, or those before the first
/// that belongs to no character.
[[nodiscard]] std::size_t utf8_prefix_bytes(std::string_view text);

/// `text` in one line that a terminal takes as text: control characters, and bytes that are not
/// UTF-8, as `\n`, `\t` or `\x` and their number.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace tessera

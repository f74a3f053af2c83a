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

/// `text` in one line that a terminal shows as text: line breaks and tabs as `\n` and `\t`; other
/// control characters (C0, DEL, C1), line separators and characters that change the direction of
/// writing as `\u` and their number; bytes that are not UTF-8 as `\x` and theirs.
[[nodiscard]] std::string printable(std::string_view text);

/// Like printable(), but line breaks and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace tessera

// UTF-8 according to the Unicode standard: shortest forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// Bytes of the first character of `text`; 0 if it is not UTF-8 or `text` is empty.
[[nodiscard]] std::size_t utf8_character_bytes(std::string_view text);

/// Length of the longest prefix of `text` that is UTF-8, in bytes.
[[nodiscard]] std::size_t utf8_prefix_bytes(std::string_view text);

/// `text` as one printable line: line breaks and tabs become `\n` and `\t`; other control
/// characters (C0, DEL, C1), line separators and characters that change the direction of writing
/// become `\u` and their number; bytes that are not UTF-8 become `\x` and their value.
[[nodiscard]] std::string printable(std::string_view text);

/// Like printable(), but line breaks and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace tessera

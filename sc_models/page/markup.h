// Text as HTML and SVG take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Text with the characters that HTML and SVG reserve replaced.
[[nodiscard]] std::string markup_escaped(std::string_view content);

/// JSON as it may stand inside of a script element: no "</" in it.
[[nodiscard]] std::string script_safe(std::string json);

/// Bytes in base64, as atob() reads them.
[[nodiscard]] std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace tessera

// Cells of CSV files (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Text as a cell, quoted if necessary. Spreadsheets interpret a text that begins with =, +, -, @,
/// a tab or a carriage return as a formula; such a text gets a leading apostrophe, unless it is a
/// number.
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace tessera

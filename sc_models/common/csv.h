// Cells of CSV files (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// A text as a cell, quoted if it must be. A spreadsheet takes a text that begins with =, +, -, @,
/// a tab or a carriage return for a formula, so it gets an apostrophe in front, unless it is a
/// number.
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace tessera

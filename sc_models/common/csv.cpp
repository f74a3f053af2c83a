#include "sc_models/common/csv.h"

#include <charconv>

namespace tessera {
namespace {

bool is_number(std::string_view text) {
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end;
}

}  // namespace

std::string csv_text(std::string_view text) {
    constexpr std::string_view kBeginsFormula = "=+-@\t\r";
    std::string cell;
    if (!text.empty() && kBeginsFormula.find(text[0]) != std::string_view::npos &&
        !is_number(text)) {
        cell = "'";
    }
    cell += text;
    if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
    std::string quoted = "\"";
    for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace tessera

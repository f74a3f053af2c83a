#include "sc_models/common/text_table.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sc_models/common/utf8.h"

namespace tessera {
namespace {

/// Rounds a value; a result of -0 becomes 0.
double rounded(double value, int decimals) {
    const double scale = std::pow(10.0, decimals);
    const double result = std::round(value * scale) / scale;
    return result == 0 ? 0.0 : result;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) {
    for (std::string& cell : header) cell = printable(cell);
    rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
    row.resize(std::max(row.size(), rows_.front().size()));
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string TextTable::str(std::size_t indent) const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::size_t total = 2 * (widths.size() - 1);
    for (const std::size_t width : widths) total += width;
    const std::string margin(indent, ' ');
    const std::string rule = margin + std::string(total, '-') + "\n";
    std::string text;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (r == 1 || std::find(rules_.begin(), rules_.end(), r) != rules_.end()) text += rule;
        std::string line = margin;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (i != 0) line += "  ";
            const bool words = i < text_columns_ || i + last_text_columns_ >= widths.size();
            line += words ? fmt::format("{:<{}}", rows_[r][i], widths[i])
                          : fmt::format("{:>{}}", rows_[r][i], widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string number_cell(const std::optional<double>& value, int decimals) {
    return value ? fmt::format("{:.{}f}", rounded(*value, decimals), decimals) : "-";
}

std::string signed_cell(const std::optional<double>& value, int decimals) {
    return value ? fmt::format("{:+.{}f}", rounded(*value, decimals), decimals) : "-";
}

}  // namespace tessera

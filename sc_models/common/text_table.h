// Aligned text tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Table for terminals and text files: the first column is left-aligned, numbers are right-aligned.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);

    /// Adds a row; missing cells at its end stay empty.
    void add(std::vector<std::string> row);
    /// Adds a horizontal line before the next row.
    void add_rule() { rules_.push_back(rows_.size()); }
    /// Number of leading columns with words; default 1.
    void set_text_columns(std::size_t columns) { text_columns_ = columns; }
    /// Number of trailing columns with words; default 0.
    void set_last_are_text(std::size_t columns) { last_text_columns_ = columns; }
    [[nodiscard]] bool empty() const { return rows_.size() == 1; }

    /// All lines, each indented by `indent` blanks.
    [[nodiscard]] std::string str(std::size_t indent = 2) const;

private:
    std::vector<std::vector<std::string>> rows_;  ///< header first
    std::vector<std::size_t> rules_;
    std::size_t text_columns_ = 1;
    std::size_t last_text_columns_ = 0;
};

/// The number with `decimals` decimals; "-" if unset.
[[nodiscard]] std::string number_cell(const std::optional<double>& value, int decimals = 1);
/// The number with its sign; "-" if unset.
[[nodiscard]] std::string signed_cell(const std::optional<double>& value, int decimals = 1);

}  // namespace tessera

// Aligned columns of text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A table for terminals and text files: the first column to the left, numbers to the right.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);

    /// Cells that are missing at the end stay empty.
    void add(std::vector<std::string> row);
    /// A line across, before the next row.
    void add_rule() { rules_.push_back(rows_.size()); }
    /// Columns from the left that hold words; one unless told otherwise.
    void set_text_columns(std::size_t columns) { text_columns_ = columns; }
    /// So many columns at the right hold words too.
    void set_last_are_text(std::size_t columns) { last_text_columns_ = columns; }
    [[nodiscard]] bool empty() const { return rows_.size() == 1; }

    /// All lines, each indented by `indent` blanks.
    [[nodiscard]] std::string str(std::size_t indent = 2) const;

private:
    std::vector<std::vector<std::string>> rows_;  ///< the header first
    std::vector<std::size_t> rules_;
    std::size_t text_columns_ = 1;
    std::size_t last_text_columns_ = 0;
};

/// The number with `decimals` decimals, or "-" if there is none.
[[nodiscard]] std::string number_cell(const std::optional<double>& value, int decimals = 1);
/// The same with its sign.
[[nodiscard]] std::string signed_cell(const std::optional<double>& value, int decimals = 1);

}  // namespace tessera

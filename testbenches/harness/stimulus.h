// Reader of stimulus files: CSV with one transaction a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/harness/description.h"

namespace tessera::testbench {

/// One line of a stimulus file.
struct StimulusRow {
    std::size_t line = 0;               ///< line of the file, from 1
    std::vector<std::uint64_t> values;  ///< one a column; of choices the index of the word

    [[nodiscard]] std::uint64_t operator[](std::size_t column) const { return values[column]; }
};

/// Rows of a stimulus file.
class Stimulus {
public:
    /// Reads a CSV file. Its first line names the columns, in any order; lines that begin with `#`
    /// and empty lines are skipped. Numbers are decimal, or hexadecimal with 0x. Values of a column
    /// `cycle` must not decrease. Throws ConfigError `FILE:LINE:COLUMN: ...` at the first error.
    Stimulus(const std::string& file, const std::vector<Column>& columns);

    [[nodiscard]] const std::vector<StimulusRow>& rows() const { return rows_; }
    /// Throws ConfigError that `what` is wrong in the line of `row`, at column `column`.
    [[noreturn]] void fail(const StimulusRow& row, std::size_t column,
                           const std::string& what) const;
    /// Throws ConfigError unless the value of `row` in `column` is below `end`.
    void need_below(const StimulusRow& row, std::size_t column, std::uint64_t end) const;

private:
    struct Place {
        std::size_t line, column;
    };
    void read_header(const std::string& line, std::size_t number);
    void read_row(const std::string& line, std::size_t number);
    [[nodiscard]] std::uint64_t value_of(const Column& column, const std::string& text,
                                         const Place& place) const;
    [[noreturn]] void fail(const Place& place, const std::string& what) const;

    std::string file_;
    std::vector<Column> columns_;
    std::vector<std::size_t> order_;  ///< column of each cell of a line
    std::vector<StimulusRow> rows_;
    /// Character positions (from 1) of the cells of each row, by column.
    std::vector<std::vector<std::size_t>> places_;
};

}  // namespace tessera::testbench

#include "testbenches/harness/stimulus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <fstream>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera::testbench {
namespace {

struct Cell {
    std::string text;
    std::size_t at;  ///< character position in the line, from 1
};

std::vector<Cell> cells_of(const std::string& line) {
    std::vector<Cell> cells;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t comma = std::min(line.find(',', begin), line.size());
        std::size_t first = line.find_first_not_of(" \t", begin);
        first = std::min(first, comma);
        std::size_t end = comma;
        while (end > first && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
        cells.push_back({line.substr(first, end - first), first + 1});
        begin = comma + 1;
    }
    return cells;
}

std::vector<std::string> names_of(const std::vector<Column>& columns) {
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const Column& column : columns) names.push_back(column.name);
    return names;
}

}  // namespace

Stimulus::Stimulus(const std::string& file, const std::vector<Column>& columns)
    : file_(file), columns_(columns) {
    std::ifstream in(file);
    if (!in) throw ConfigError(file + ": cannot be read");
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string::npos || line[first] == '#') continue;
        if (order_.empty()) {
            read_header(line, number);
        } else {
            read_row(line, number);
        }
    }
    if (in.bad()) throw ConfigError(file + ": cannot be read to its end");
    if (rows_.empty()) throw ConfigError(file + ": has no transactions");
}

void Stimulus::read_header(const std::string& line, std::size_t number) {
    const std::vector<std::string> names = names_of(columns_);
    for (const Cell& cell : cells_of(line)) {
        const auto found = std::find(names.begin(), names.end(), cell.text);
        if (found == names.end()) {
            fail({number, cell.at}, fmt::format("got column {}, expected one of {{{}}}",
                                                in_quotes(cell.text), fmt::join(names, ", ")));
        }
        const auto index = static_cast<std::size_t>(found - names.begin());
        if (std::find(order_.begin(), order_.end(), index) != order_.end()) {
            fail({number, cell.at}, "column '" + cell.text + "' stands twice");
        }
        order_.push_back(index);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool here = std::find(order_.begin(), order_.end(), i) != order_.end();
        if (!here && !columns_[i].optional) {
            fail({number, 1}, "column '" + columns_[i].name + "' is missing");
        }
    }
}

void Stimulus::read_row(const std::string& line, std::size_t number) {
    const std::vector<Cell> cells = cells_of(line);
    if (cells.size() != order_.size()) {
        fail({number, 1}, fmt::format("got {} cells, expected {}", cells.size(), order_.size()));
    }
    StimulusRow row{number, std::vector<std::uint64_t>(columns_.size())};
    std::vector<std::size_t> places(columns_.size(), 1);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t column = order_[i];
        row.values[column] = value_of(columns_[column], cells[i].text, {number, cells[i].at});
        places[column] = cells[i].at;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].name != "cycle" || rows_.empty()) continue;
        const std::uint64_t before = rows_.back()[i];
        if (row[i] >= before) continue;
        fail({number, places[i]},
             fmt::format("got cycle {} after cycle {}, expected times in order", row[i], before));
    }
    rows_.push_back(std::move(row));
    places_.push_back(std::move(places));
}

std::uint64_t Stimulus::value_of(const Column& column, const std::string& text,
                                 const Place& place) const {
    if (column.kind == Column::Kind::kChoice) {
        const auto found = std::find(column.choices.begin(), column.choices.end(), text);
        if (found == column.choices.end()) {
            fail(place, fmt::format("{}: got {}, expected one of {{{}}}", column.name,
                                    in_quotes(text), fmt::join(column.choices, ", ")));
        }
        return static_cast<std::uint64_t>(found - column.choices.begin());
    }
    const bool hexadecimal =
        text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char* const begin = text.data() + (hexadecimal ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
    if (error != std::errc() || rest != end || begin == end) {
        fail(place, fmt::format("{}: got {}, expected a whole number below 2^64", column.name,
                                in_quotes(text)));
    }
    return value;
}

void Stimulus::fail(const StimulusRow& row, std::size_t column, const std::string& what) const {
    const auto index = static_cast<std::size_t>(&row - rows_.data());
    fail({row.line, places_[index][column]}, columns_[column].name + ": " + what);
}

void Stimulus::need_below(const StimulusRow& row, std::size_t column, std::uint64_t end) const {
    if (row[column] >= end)
        fail(row, column, fmt::format("got {}, expected below {}", row[column], end));
}

void Stimulus::fail(const Place& place, const std::string& what) const {
    throw ConfigError(fmt::format("{}:{}:{}: {}", file_, place.line, place.column, what));
}

}  // namespace tessera::testbench

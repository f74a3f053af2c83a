#include "sc_models/report/measured_table.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <optional>
#include <string_view>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/common/input_file.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {
namespace {

constexpr std::string_view kSpace = " \t\r";

/// Microseconds per unit, by the unit's name.
constexpr std::pair<std::string_view, double> kUnits[] = {
    {"s", 1e6}, {"seconds", 1e6},    {"ms", 1e3},  {"milliseconds", 1e3},
    {"us", 1},  {"microseconds", 1}, {"ns", 1e-3}, {"nanoseconds", 1e-3}};

/// Columns that set the configuration key of the same name.
constexpr std::string_view kOfProducts[] = {"m", "n", "k", "transpose_a", "transpose_b"};
constexpr std::string_view kOfLayers[] = {
    "batch",         "height",        "width",        "channels",   "filters",
    "filter_height", "filter_width",  "pad",          "pad_height", "pad_width",
    "stride",        "stride_height", "stride_width", "dilation",   "groups"};
/// Passes of a layer, besides the default one, whose times may have a column of their own, such as
/// backward_data_ms.
constexpr std::string_view kPasses[] = {"backward_data", "backward_weight"};
/// Whether a key takes values that BLAS writes in capitals.
bool is_transpose(std::string_view key) {
    constexpr std::string_view kBegin = "workload.gemm.transpose_";
    return key.substr(0, kBegin.size()) == kBegin;
}

/// Microseconds per unit, for the unit at the end of a column's name.
std::optional<double> unit_of(std::string_view column) {
    const std::size_t before = column.rfind('_');
    const std::string_view word =
        before == std::string_view::npos ? column : column.substr(before + 1);
    for (const auto& [name, microseconds] : kUnits) {
        if (word == name) return microseconds;
    }
    return std::nullopt;
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

/// Splits a line at commas; a quoted cell may hold commas, and two quotes stand for one.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') {
            const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
            if (doubled) cells.back() += line[++i];
            if (!doubled) quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    for (std::string& cell : cells) cell = trimmed(cell);
    return cells;
}

class TableReader {
public:
    TableReader(const std::string& path, const MeasuredColumns& columns)
        : path_(path), columns_(columns) {}

    std::vector<MeasuredRow> read() {
        for (std::string& line : lines()) take(line);
        if (header_.empty()) throw ConfigError(path_ + ": empty, expected a line of column names");
        if (rows_.empty()) throw ConfigError(path_ + ": no row has a time");
        return std::move(rows_);
    }

private:
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> all;
        try {
            InputFileBuffer buffer(path_);
            std::istream in(&buffer);
            in.exceptions(std::ios::badbit);
            for (std::string line; std::getline(in, line);) all.push_back(line);
        } catch (const ConfigError& error) {
            throw ConfigError(fmt::format("{}: {}", path_, error.what()));
        }
        return all;
    }
    void take(std::string& line) {
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (++line_ == 1 && line.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) {
            line.erase(0, kByteOrderMark.size());
        }
        if (trimmed(line).empty()) return;
        const std::vector<std::string> cells = cells_of(line);
        if (header_.empty()) {
            take_header(cells);
            return;
        }
        if (cells.size() != header_.size()) {
            throw ConfigError(fmt::format("{}:{}: got {} columns, expected {} as in line 1", path_,
                                          line_, cells.size(), header_.size()));
        }
        take_row(cells);
    }
    [[noreturn]] void refuse(const std::string& column, const std::string& what) const {
        throw ConfigError(
            fmt::format("{}:{}: column {}: {}", path_, line_, in_quotes(column), what));
    }
    void take_header(const std::vector<std::string>& names) {
        header_ = names;
        if (names.size() == 1 && names[0].find_first_of(";\t") != std::string::npos) {
            refuse(names[0], "names with semicolons or tabs between them, expected commas");
        }
        std::vector<std::string_view> times;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (std::count(names.begin(), names.end(), names[i]) > 1) refuse(names[i], "twice");
            const bool is_time = columns_.time.empty() && columns_.ignored.count(names[i]) == 0 &&
                                 columns_.keys.count(names[i]) == 0 && unit_of(names[i]);
            if (is_time || names[i] == columns_.time) {
                times.push_back(names[i]);
                time_ = i;
            }
        }
        check_names();
        if (times.empty()) {
            throw ConfigError(path_ +
                              ":1: no column of times, expected one whose name ends in s, ms, us "
                              "or ns (milliseconds, forward_ms)");
        }
        if (times.size() > 1) {
            throw ConfigError(fmt::format("{}:1: {} columns of times, name one of {} with --time",
                                          path_, times.size(), braced_list(times)));
        }
        const std::optional<double> unit = unit_of(header_[time_]);
        if (!unit) refuse(header_[time_], "no unit, expected a name that ends in s, ms, us or ns");
        unit_ = *unit;
        const std::string_view time = header_[time_];
        for (const std::string_view pass : kPasses) {
            if (time.substr(0, time.rfind('_')) == pass) pass_ = pass;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string key = key_of(i);
            const auto same = std::find(keys_.begin(), keys_.end(), key);
            if (!key.empty() && same != keys_.end()) {
                const auto other = static_cast<std::size_t>(same - keys_.begin());
                refuse(names[i], fmt::format("sets {} as column {} does, expected one of the two",
                                             key, in_quotes(names[other])));
            }
            keys_.push_back(key);
        }
    }
    /// Throws if the caller names a column that the file lacks.
    void check_names() const {
        const std::vector<std::string_view> known(header_.begin(), header_.end());
        const auto check = [&](const std::string& name) {
            if (std::find(header_.begin(), header_.end(), name) != header_.end()) return;
            throw ConfigError(fmt::format("{}:1: no column {}{}, only {}", path_, in_quotes(name),
                                          did_you_mean(name, known), braced_list(known)));
        };
        for (const auto& [name, key] : columns_.keys) check(name);
        for (const std::string& name : columns_.ignored) check(name);
        if (!columns_.time.empty()) check(columns_.time);
    }
    /// Key that a column sets; empty if it sets none.
    [[nodiscard]] std::string key_of(std::size_t index) const {
        const std::string& name = header_[index];
        const auto named = columns_.keys.find(name);
        if (named != columns_.keys.end()) return named->second;
        if (index == time_ || name == "name" || columns_.ignored.count(name) != 0) return {};
        for (const std::string_view known : kOfProducts) {
            if (name == known) return fmt::format("workload.gemm.{}", known);
        }
        for (const std::string_view known : kOfLayers) {
            if (name == known) return fmt::format("workload.layer.{}", known);
        }
        if (name.find('.') != std::string::npos) return name;
        const bool other_time = !columns_.time.empty() && unit_of(name);
        if (other_time) return {};
        refuse(
            name,
            "expected name, a time, a product's m, n, k, transpose_a or transpose_b, a layer's "
            "batch, height, width, channels, filters and so on, or a key (workload.gemm.m); give "
            "it a key with --column, or leave it out with --ignore");
    }
    void take_row(const std::vector<std::string>& cells) {
        if (cells[time_].empty()) return;
        MeasuredRow row;
        row.line = line_;
        row.microseconds = time_of(cells[time_]);
        std::string values;
        if (!pass_.empty()) row.sets.push_back(fmt::format("workload.pass={}", pass_));
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (header_[i] == "name" && keys_[i].empty()) row.name = cells[i];
            if (keys_[i].empty() || cells[i].empty()) continue;
            std::string value = cells[i];
            if (is_transpose(keys_[i]) && (value == "N" || value == "T")) {
                value = value == "N" ? "n" : "t";
            }
            row.sets.push_back(keys_[i] + "=" + value);
            values += (values.empty() ? "" : " ") + cells[i];
        }
        if (row.name.empty()) row.name = values;
        rows_.push_back(std::move(row));
    }
    [[nodiscard]] double time_of(const std::string& cell) const {
        double value = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        const bool whole = error == std::errc() && end == cell.data() + cell.size();
        if (!whole || !std::isfinite(value) || value <= 0) {
            refuse(header_[time_],
                   fmt::format("got {}, expected a number above 0", in_quotes(cell)));
        }
        return value * unit_;
    }

    const std::string& path_;
    const MeasuredColumns& columns_;
    std::size_t line_ = 0;
    std::vector<std::string> header_, keys_;
    std::size_t time_ = 0;
    double unit_ = 0;
    std::string_view pass_;  ///< pass that the time column measures; empty if it names none
    std::vector<MeasuredRow> rows_;
};

}  // namespace

std::vector<MeasuredRow> read_measured_table(const std::string& path,
                                             const MeasuredColumns& columns) {
    return TableReader(path, columns).read();
}

}  // namespace tessera

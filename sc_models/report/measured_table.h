// Tables of kernel times measured on a card, one row per kernel, for comparison with the model.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera {

/// A measured kernel.
struct MeasuredRow {
    std::size_t line = 0;           ///< line in the file
    std::string name;               ///< cell of the column `name`, or the row's settings
    std::vector<std::string> sets;  ///< key=value
    double microseconds = 0;
};

/// Meaning of a table's columns.
struct MeasuredColumns {
    /// Keys of configurations by column. `m`, `n`, `k` and transposes are those of workload.gemm,
    /// names of a layer (`batch`, `filter_height`, `stride`) those of workload.layer, and columns
    /// with a dot are keys themselves, unless they are named here.
    std::map<std::string, std::string> keys;
    std::set<std::string> ignored;
    /// Column of the times; empty: the only one whose name ends in a unit of time.
    /// `backward_data_ms` and `backward_weight_ms` set workload.pass.
    std::string time;
};

/// Reads a CSV file whose first line names its columns. The name of the time column ends in its
/// unit: `ms`, `forward_ms`, `milliseconds`, `time_us`. Rows without a time are left out; a key
/// without a value is not set. Throws ConfigError, with file, line and column, for a file that
/// cannot be read, an unknown column, and times that are not positive numbers.
[[nodiscard]] std::vector<MeasuredRow> read_measured_table(const std::string& path,
                                                           const MeasuredColumns& columns);

}  // namespace tessera

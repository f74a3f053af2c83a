// Tables of times that somebody measured on a card, a row a kernel, to be set beside the model's.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera {

/// A kernel that was measured.
struct MeasuredRow {
    std::size_t line = 0;           ///< of the file
    std::string name;               ///< of its column `name`, or what its keys are set to
    std::vector<std::string> sets;  ///< key=value
    double microseconds = 0;
};

/// What the columns of a table are.
struct MeasuredColumns {
    /// Keys of configurations by column. `m`, `n`, `k` and transposes are those of workload.gemm,
    /// names of a layer (`batch`, `filter_height`, `stride`) those of workload.layer, and columns
    /// with a dot are keys themselves, unless they are named here.
    std::map<std::string, std::string> keys;
    std::set<std::string> ignored;
    /// Empty: the only one whose name ends in a unit of time. `backward_data_ms` and
    /// `backward_weight_ms` set workload.pass.
    std::string time;
};

/// Reads a CSV file whose first line names its columns. The time's name ends in its unit: `ms`,
/// `forward_ms`, `milliseconds`, `time_us`. Rows without a time were not measured and are left out;
/// a key without a value is not set. Throws ConfigError, with file, line and column, for a file
/// that cannot be read, a column that is nothing of these, and for times that are no positive
/// numbers.
[[nodiscard]] std::vector<MeasuredRow> read_measured_table(const std::string& path,
                                                           const MeasuredColumns& columns);

}  // namespace tessera

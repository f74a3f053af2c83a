// Arguments that read a table of times measured on a card, and the runs of its rows.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "sc_models/report/measured_table.h"
#include "sc_models/results/study_set.h"
#include "tools/tessera/commands.h"

namespace tessera {

struct TableArguments {
    std::string table;
    std::vector<std::string> columns, ignored;
    std::string time;
    bool allow_unused = false;  ///< keys that a run does not read are no error

    /// Adds the options that define the columns and hold for all rows; not the table itself.
    void add_columns_to(CLI::App& command);
    /// Name of the table: the file's, with the time column if one was named:
    /// v100_convolution_forward.
    [[nodiscard]] std::string name() const;
    /// Throws ConfigError for a table that cannot be read.
    [[nodiscard]] std::vector<MeasuredRow> read() const;
};

/// The rows of a table, and the study of each: one for all rows with the same settings.
struct TablePlan {
    std::vector<MeasuredRow> rows;
    std::vector<std::size_t> study_of_row;
    std::vector<Study> studies;
    std::vector<Config> configs;  ///< of the rows' settings, by study
};

/// Returns the variants to run for a row's configuration.
using VariantsOfRow = std::vector<ExperimentVariant> (*)(const Config& config);

/// Plans the studies; configurations and --set hold for all rows. Throws ConfigError for the first
/// bad row, naming its line.
[[nodiscard]] TablePlan plan_of_table(const std::string& name, const TableArguments& of_table,
                                      std::vector<MeasuredRow> rows,
                                      const ConfigArguments& arguments, VariantsOfRow variants_of);

/// Cycles of the only workload of `summary`: the mean over repetitions on warm caches if there are
/// any, else the sum of all kernels; nothing if it did not run.
[[nodiscard]] std::optional<double> cycles_of(const Summary& summary, std::string_view variant);

}  // namespace tessera

// Progress output of commands with many runs, and their report of failed runs.
#pragma once

#include <unistd.h>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/study/sweep/sweep.h"
#include "tools/tessera/progress_line.h"

namespace tessera {

/// Prints a line that is redrawn on a terminal; elsewhere a line per finished run, at most one a
/// second, or, as JSON, one for each.
class SweepProgressPrinter final : public SweepListener {
public:
    explicit SweepProgressPrinter(ProgressStyle style = ProgressStyle::kPeople) : style_(style) {}
    ~SweepProgressPrinter() override { clear(); }

    void on_skipped(const PlannedRun& run, const SweepProgress& progress) override;
    void on_finished(const PlannedRun& run, double seconds, const SweepProgress& progress) override;
    void on_shared(const PlannedRun& run, const SweepProgress& progress) override;
    void on_failed(const PlannedRun& run, const FailedRun& failure,
                   const SweepProgress& progress) override;
    void on_tick(const SweepProgress& progress) override;
    void clear();

private:
    /// Prints a run as JSON; `more` holds additional fields.
    static void print_json(const PlannedRun& run, const SweepProgress& progress,
                           nlohmann::ordered_json more);
    bool due(std::chrono::milliseconds interval);

    const ProgressStyle style_;
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point shown_;
};

/// A line with the number of missing runs that equal others and need not be run; empty if there are
/// none.
[[nodiscard]] std::string equal_runs_text(const Sweep& sweep);

/// Name and title of a sweep in sweep.json, and the files that are written after all its runs.
struct SweepTitle {
    std::string name, title;
    std::vector<std::string> tables;  ///< below its folder
};

/// Removes the tables of an earlier sweep: they would look like results of the current one.
void remove_tables(const std::filesystem::path& out, const std::vector<std::string>& tables);

/// Executes the missing runs, with progress; if interrupted, reports how far it got. If any run is
/// missing, earlier tables are removed.
[[nodiscard]] SweepOutcome run_sweep(SweepFolder folder, const SweepTitle& title,
                                     const std::vector<PlannedRun>& runs,
                                     const SweepOptions& options,
                                     ProgressStyle style = ProgressStyle::kPeople);

/// Prints a line for each failed run, and the consequence.
void print_failures(const SweepOutcome& outcome, const std::vector<PlannedRun>& runs,
                    std::string_view consequence = "are left out of the tables");

/// Exit code of a sweep: good, or, if runs failed, wrong input (if all have that) or another error.
[[nodiscard]] int exit_code_of(const SweepOutcome& outcome);

}  // namespace tessera

// What a command that runs many runs says while they run, and of those that fail.
#pragma once

#include <unistd.h>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/study/sweep.h"
#include "testbenches/tessera/progress_line.h"

namespace tessera {

/// A line that is drawn over on a terminal; elsewhere a line a finished run, at most one a second,
/// or, as JSON, one for each.
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
    /// `more` of a run: what else is to be said.
    static void print_json(const PlannedRun& run, const SweepProgress& progress,
                           nlohmann::ordered_json more);
    bool due(std::chrono::milliseconds interval);

    const ProgressStyle style_;
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point shown_;
};

/// A line that says how many of the missing runs need not be run; empty if all have to.
[[nodiscard]] std::string equal_runs_text(const Sweep& sweep);

/// What a sweep is called in sweep.json, and the files that are made when all its runs have ended.
struct SweepTitle {
    std::string name, title;
    std::vector<std::string> tables;  ///< below its folder
};

/// Removes files that were made of an earlier sweep: they would look like those of one that has not
/// come so far.
void remove_tables(const std::filesystem::path& out, const std::vector<std::string>& tables);

/// Runs what is missing of the runs, with progress; of an interrupted one it says how far it came.
/// If anything is missing, earlier tables are removed.
[[nodiscard]] SweepOutcome run_sweep(SweepFolder folder, const SweepTitle& title,
                                     const std::vector<PlannedRun>& runs,
                                     const SweepOptions& options);

/// A line each for the runs that failed, and what comes of that.
void print_failures(const SweepOutcome& outcome, const std::vector<PlannedRun>& runs,
                    std::string_view consequence = "are left out of the tables");

/// Good, or what is wrong with a sweep whose runs failed: wrong inputs alone, or anything else.
[[nodiscard]] int exit_code_of(const SweepOutcome& outcome);

}  // namespace tessera

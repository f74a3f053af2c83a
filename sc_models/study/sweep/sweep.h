// Sweep: all runs of an experiment, one process each, resumable.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/run/run_cost.h"
#include "sc_models/study/backend/sweep_backend.h"
#include "sc_models/study/experiment.h"
#include "sc_models/study/sweep_folder.h"

namespace tessera {

/// Options of a sweep.
struct SweepOptions {
    BackendOptions backend;     ///< place of execution and number of parallel runs
    bool allow_unused = false;  ///< unread keys are no error
    bool keep = false;          ///< keep results of another git revision
    bool no_cache = false;      ///< simulate each run, although its result may be stored
};

/// A run without a result.
struct FailedRun {
    std::size_t run = 0;
    int exit_code = 0;
    std::string message;  ///< the last line of its error output
    std::string command;  ///< repeats the run
};

/// Outcome of a sweep's runs.
struct SweepOutcome {
    std::size_t finished = 0;  ///< in this sweep
    std::size_t skipped = 0;   ///< results that existed before
    std::size_t shared = 0;    ///< in this sweep, copied from runs that take the same steps
    std::vector<FailedRun> failed;
    bool interrupted = false;
    std::shared_ptr<const SweepFolder> folder;  ///< locked during the lifetime of the outcome
};

/// State of a sweep in progress.
struct SweepProgress {
    std::size_t total = 0, done = 0, running = 0;
    std::string activity = "running";  ///< activity of the `running` ones
    double eta_seconds = 0;            ///< from the rates of finished runs; 0: unknown so far
};

/// Receives the events of a sweep.
class SweepListener {
public:
    virtual ~SweepListener() = default;
    virtual void on_skipped(const PlannedRun& run, const SweepProgress& progress) = 0;
    virtual void on_finished(const PlannedRun& run, double seconds,
                             const SweepProgress& progress) = 0;
    /// Called when a run got the results of a finished one that takes the same steps.
    virtual void on_shared(const PlannedRun& run, const SweepProgress& progress) = 0;
    virtual void on_failed(const PlannedRun& run, const FailedRun& failure,
                           const SweepProgress& progress) = 0;
    /// Called a few times per second.
    virtual void on_tick(const SweepProgress& progress) = 0;
};

/// Runs of an experiment and their folder:
///
///     OUT/sweep.json                        plan of the sweep
///     OUT/runs/LAYER/VARIANT/result.json    and the other files of a run; log.txt is its output
///
/// A run with a good result of the same configuration, schema and tool is not run again. Among runs
/// that take the same steps (PlannedRun::acting), the first is run, and the others get its results
/// under their own configurations. The longest runs start first; results do not depend on the
/// order.
class Sweep {
public:
    /// Writes sweep.json into the folder. Throws ConfigError if the disk is nearly full or the
    /// backend is unavailable.
    Sweep(const Experiment& experiment, const std::vector<std::string>& sets,
          std::vector<PlannedRun> runs, SweepFolder folder, SweepOptions options);

    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return runs_; }
    /// Backend and parallelism, for messages.
    [[nodiscard]] std::string description() const { return backend_->description(); }
    /// One line for each damaged result; its run is repeated.
    [[nodiscard]] const std::vector<std::string>& damaged() const { return damaged_; }
    /// Number of existing results to keep.
    [[nodiscard]] std::size_t results_there() const;
    /// Number of runs to execute: those without a result; equal ones count once.
    [[nodiscard]] std::size_t to_run() const;

    /// Executes the missing runs. Ends early on an interrupt (sc_models/common/interrupt.h).
    SweepOutcome run(SweepListener& listener);

private:
    [[nodiscard]] const std::filesystem::path& out() const { return folder_->path(); }
    /// Whether the run has a result that would be kept; sets `damage` for a result that cannot be
    /// read.
    [[nodiscard]] bool has_result(const PlannedRun& run, std::string& damage) const;
    /// Copies the results of `from`, which takes the same steps, to `run`; returns an error message
    /// or "".
    [[nodiscard]] std::string take_files(const PlannedRun& from, const PlannedRun& run) const;
    /// Copies the result of `run` to all runs that take the same steps and have none.
    void share(std::size_t run, SweepOutcome& outcome, SweepProgress& progress,
               SweepListener& listener);
    [[nodiscard]] std::vector<std::string> command(const PlannedRun& run) const;
    [[nodiscard]] RunJob job(std::size_t run) const;
    [[nodiscard]] std::size_t threads_each(std::size_t starting) const;
    /// Creates the folders of the runs and starts them in the backend. Returns the runs whose
    /// folder or log cannot be written.
    [[nodiscard]] std::vector<RunEnd> start(const std::vector<std::size_t>& runs);
    /// Runs without a result, longest first; equal ones of runs with a result share it.
    std::vector<std::size_t> missing(SweepOutcome& outcome, SweepProgress& progress,
                                     SweepListener& listener);
    /// Removes runs from `waiting` that an earlier sweep left running in the backend.
    void resume(std::vector<std::size_t>& waiting);
    /// Handles the end of a run; if it failed, the next equal run is queued.
    void ended(const RunEnd& end, SweepOutcome& outcome, SweepProgress& progress,
               SweepListener& listener, std::vector<std::size_t>& waiting);
    /// Updates the number of running jobs and the remaining time.
    void update(SweepProgress& progress, const std::vector<std::size_t>& waiting);
    /// Adds the duration of an existing result to the rates.
    void learn_times(const PlannedRun& run);
    /// Remaining seconds of the `waiting` and started runs.
    [[nodiscard]] double eta(const std::vector<std::size_t>& waiting) const;
    [[nodiscard]] std::filesystem::path log(const PlannedRun& run) const;
    /// Whether a run whose process ended has a good result; fills `failure` otherwise.
    [[nodiscard]] bool is_good(const PlannedRun& run, const RunEnd& end, FailedRun& failure) const;

    std::vector<PlannedRun> runs_;
    std::vector<bool> there_;                                ///< by run: whether it has a result
    std::vector<std::string> damaged_;                       ///< see damaged()
    std::map<std::string, std::vector<std::size_t>> equal_;  ///< runs by PlannedRun::acting
    std::shared_ptr<const SweepFolder> folder_;              ///< outlives the backend, which works
                                                             ///< in it
    SweepOptions options_;
    std::string program_;
    RunTimes times_;
    std::map<std::size_t, std::chrono::steady_clock::time_point> started_;
    std::chrono::steady_clock::time_point began_, updated_;
    double seconds_ended_ = 0;  ///< sum over all runs ended in this sweep
    std::unique_ptr<SweepBackend> backend_;
};

/// Number of runs that take the same steps as an earlier one in `runs`.
[[nodiscard]] std::size_t equal_runs(const std::vector<PlannedRun>& runs);
/// " (N of them equal to others)"; empty if none is.
[[nodiscard]] std::string equal_runs_note(const std::vector<PlannedRun>& runs);

}  // namespace tessera

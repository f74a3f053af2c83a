// All runs of an experiment, a process each, resumable.
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

/// How a sweep is run.
struct SweepOptions {
    BackendOptions backend;     ///< where its runs are executed, and how many at a time
    bool allow_unused = false;  ///< keys that a run does not read are no error
    bool keep = false;          ///< take over results of another git revision
};

/// A run that gave no result.
struct FailedRun {
    std::size_t run = 0;
    int exit_code = 0;
    std::string message;  ///< the last line of its error output
    std::string command;  ///< to run it again
};

/// What became of the runs of a sweep.
struct SweepOutcome {
    std::size_t finished = 0;  ///< now
    std::size_t skipped = 0;   ///< there already
    std::size_t shared = 0;    ///< now, from runs that take the same steps
    std::vector<FailedRun> failed;
    bool interrupted = false;
    std::shared_ptr<const SweepFolder> folder;  ///< locked for as long as the outcome lives
};

/// State of a sweep under way.
struct SweepProgress {
    std::size_t total = 0, done = 0, running = 0;
    std::string activity = "running";  ///< what those that are `running` do
    double eta_seconds = 0;            ///< by the rates of the runs that are done; 0: not known yet
};

/// Told what happens.
class SweepListener {
public:
    virtual ~SweepListener() = default;
    virtual void on_skipped(const PlannedRun& run, const SweepProgress& progress) = 0;
    virtual void on_finished(const PlannedRun& run, double seconds,
                             const SweepProgress& progress) = 0;
    /// Takes the same steps as a run that is done, and has its results.
    virtual void on_shared(const PlannedRun& run, const SweepProgress& progress) = 0;
    virtual void on_failed(const PlannedRun& run, const FailedRun& failure,
                           const SweepProgress& progress) = 0;
    /// A few times a second.
    virtual void on_tick(const SweepProgress& progress) = 0;
};

/// The runs of an experiment and the folder they go to:
///
///     OUT/sweep.json                        what was asked for
///     OUT/runs/LAYER/VARIANT/result.json    and the other files of a run; log.txt is its output
///
/// A run whose result is there, good, and of the same configuration, schema and tool is not run
/// again. Of runs that take the same steps (PlannedRun::acting) the first is run, and the others
/// have its results under their own configurations. The longest runs start first; results do not
/// depend on the order.
class Sweep {
public:
    /// Writes sweep.json into the folder. Throws ConfigError if that is nearly full, or if the
    /// backend is not there.
    Sweep(const Experiment& experiment, const std::vector<std::string>& sets,
          std::vector<PlannedRun> runs, SweepFolder folder, SweepOptions options);

    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return runs_; }
    /// How and where its runs are executed, for people.
    [[nodiscard]] std::string description() const { return backend_->description(); }
    /// A line for each result that was there and damaged: its run is run again.
    [[nodiscard]] const std::vector<std::string>& damaged() const { return damaged_; }
    /// How many results are there and will be kept.
    [[nodiscard]] std::size_t results_there() const;
    /// How many runs have to be run: those without a result, equal ones once.
    [[nodiscard]] std::size_t to_run() const;

    /// Runs what is missing. Ends early on an interrupt (sc_models/common/interrupt.h).
    SweepOutcome run(SweepListener& listener);

private:
    [[nodiscard]] const std::filesystem::path& out() const { return folder_->path(); }
    /// Whether the run's result is there and would be kept; `damage` says what is wrong with one
    /// that cannot be read.
    [[nodiscard]] bool has_result(const PlannedRun& run, std::string& damage) const;
    /// Gives `run` the results of one that takes the same steps; what went wrong, or nothing.
    [[nodiscard]] std::string take_files(const PlannedRun& from, const PlannedRun& run) const;
    /// Makes results of runs that take the same steps as `run`, which has one, and have none.
    void share(std::size_t run, SweepOutcome& outcome, SweepProgress& progress,
               SweepListener& listener);
    [[nodiscard]] std::vector<std::string> command(const PlannedRun& run) const;
    [[nodiscard]] RunJob job(std::size_t run) const;
    [[nodiscard]] std::size_t threads_each(std::size_t starting) const;
    /// Makes the folders of the runs and has the backend start them. Returns those that could not
    /// be, as they have no place to write to.
    [[nodiscard]] std::vector<RunEnd> start(const std::vector<std::size_t>& runs);
    /// Runs that nobody has made yet, the longest first; equal ones of those made share.
    std::vector<std::size_t> missing(SweepOutcome& outcome, SweepProgress& progress,
                                     SweepListener& listener);
    /// Takes out of `waiting` what an earlier sweep left at work.
    void resume(std::vector<std::size_t>& waiting);
    /// What a run that has ended comes to; its equals wait if it failed.
    void ended(const RunEnd& end, SweepOutcome& outcome, SweepProgress& progress,
               SweepListener& listener, std::vector<std::size_t>& waiting);
    /// How many run, and how long it will take.
    void update(SweepProgress& progress, const std::vector<std::size_t>& waiting);
    /// A run there already says how long such runs take.
    void learn_times(const PlannedRun& run);
    /// Seconds until runs `waiting` and those started are over.
    [[nodiscard]] double eta(const std::vector<std::size_t>& waiting) const;
    [[nodiscard]] std::filesystem::path log(const PlannedRun& run) const;
    /// The outcome of a run whose process ended; fills `failure` if it is no good.
    [[nodiscard]] bool is_good(const PlannedRun& run, const RunEnd& end, FailedRun& failure) const;

    std::vector<PlannedRun> runs_;
    std::vector<bool> there_;                                ///< by run: whether its result is
    std::vector<std::string> damaged_;                       ///< see damaged()
    std::map<std::string, std::vector<std::size_t>> equal_;  ///< runs by PlannedRun::acting
    std::shared_ptr<const SweepFolder> folder_;              ///< outlives what is at work in it
    SweepOptions options_;
    std::string program_;
    RunTimes times_;
    std::map<std::size_t, std::chrono::steady_clock::time_point> started_;
    std::chrono::steady_clock::time_point began_, updated_;
    double seconds_ended_ = 0;  ///< of all runs that ended since it began
    std::unique_ptr<SweepBackend> backend_;
};

/// How many runs take the same steps as another one of them before.
[[nodiscard]] std::size_t equal_runs(const std::vector<PlannedRun>& runs);
/// " (N of them equal to others)", or nothing if none is.
[[nodiscard]] std::string equal_runs_note(const std::vector<PlannedRun>& runs);

}  // namespace tessera

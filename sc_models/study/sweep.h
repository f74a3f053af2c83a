// All runs of an experiment, a process each, resumable.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sc_models/run/run_cost.h"
#include "sc_models/study/experiment.h"
#include "sc_models/study/process_pool.h"

namespace tessera {

/// Where the runs of a sweep are executed.
enum class SweepBackend {
    kLocal,  ///< child processes
    kSlurm   ///< jobs of the Slurm workload manager, through sbatch
};

/// How a sweep is run.
struct SweepOptions {
    std::filesystem::path out;
    std::size_t jobs = 1;  ///< runs at a time
    SweepBackend backend = SweepBackend::kLocal;
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
};

/// State of a sweep under way.
struct SweepProgress {
    std::size_t total = 0, done = 0, running = 0;
    double eta_seconds = 0;  ///< by the rates of the runs that are done; 0: not known yet
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
    /// Makes the folder, takes its lock and writes sweep.json. Throws ConfigError if the folder
    /// cannot be written, is nearly full or another sweep is at work in it, or if the backend is
    /// not there.
    Sweep(const Experiment& experiment, const std::vector<std::string>& sets,
          std::vector<PlannedRun> runs, SweepOptions options);
    ~Sweep();
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return runs_; }
    /// How many results are there and will be kept.
    [[nodiscard]] std::size_t results_there() const;
    /// How many runs have to be run: those without a result, equal ones once.
    [[nodiscard]] std::size_t to_run() const;

    /// Runs what is missing. Ends early on an interrupt (sc_models/common/interrupt.h).
    SweepOutcome run(SweepListener& listener);

private:
    /// Whether the run's result is there and would be kept.
    [[nodiscard]] bool has_result(const PlannedRun& run) const;
    /// Gives `run` the results of one that takes the same steps; what went wrong, or nothing.
    [[nodiscard]] std::string take_files(const PlannedRun& from, const PlannedRun& run) const;
    /// Makes results of runs that take the same steps as `run`, which has one, and have none.
    void share(std::size_t run, SweepOutcome& outcome, SweepProgress& progress,
               SweepListener& listener);
    [[nodiscard]] std::vector<std::string> command(const PlannedRun& run) const;
    [[nodiscard]] std::vector<std::string> process(const PlannedRun& run) const;
    /// A run there already says how long such runs take.
    void learn_times(const PlannedRun& run);
    /// Seconds until runs `waiting` and those `started`, so many seconds ago each, are over.
    [[nodiscard]] double eta(const std::vector<std::size_t>& waiting,
                             const std::map<std::size_t, double>& started) const;
    [[nodiscard]] std::filesystem::path log(const PlannedRun& run) const;
    /// The outcome of a run whose process ended; fills `failure` if it is no good.
    [[nodiscard]] bool is_good(const PlannedRun& run, const ProcessEnd& end,
                               FailedRun& failure) const;
    void cancel(ProcessPool& pool) const;

    std::vector<PlannedRun> runs_;
    std::vector<bool> there_;                                ///< by run: whether its result is
    std::map<std::string, std::vector<std::size_t>> equal_;  ///< runs by PlannedRun::acting
    SweepOptions options_;
    std::string program_;
    std::string job_name_;  ///< of Slurm's jobs
    RunTimes times_;
    int lock_ = -1;
};

/// Throws ConfigError naming --out if the folder holds a run or a sweep of another name: their
/// results must not mix.
void refuse_other_sweep(const std::filesystem::path& folder, const std::string& name);

/// How many runs take the same steps as another one of them before.
[[nodiscard]] std::size_t equal_runs(const std::vector<PlannedRun>& runs);
/// " (N of them equal to others)", or nothing if none is.
[[nodiscard]] std::string equal_runs_note(const std::vector<PlannedRun>& runs);

/// One line: the work of all runs and the range of their simulation rates; empty if none is known.
[[nodiscard]] std::string rate_text(const std::vector<PlannedRun>& runs,
                                    const std::filesystem::path& folder);

/// What each run cost the host (seconds, memory, simulation rate), as CSV. Kept apart from the
/// summary because it differs from time to time.
[[nodiscard]] std::string host_csv(const std::vector<PlannedRun>& runs,
                                   const std::filesystem::path& folder);

/// `argv` as a shell would take it.
[[nodiscard]] std::string shell_quoted(const std::vector<std::string>& argv);

}  // namespace tessera

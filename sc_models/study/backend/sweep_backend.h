// Interface of the backends that execute a sweep's runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {

/// A run for a backend: its command line and files.
struct RunJob {
    std::size_t id = 0;
    std::vector<std::string> command;
    std::filesystem::path log;     ///< receives its output; the folder exists
    std::filesystem::path result;  ///< exists after a successful run
};

/// End of a run.
struct RunEnd {
    std::size_t id = 0;
    int exit_code = 0;  ///< 128 + signal if a signal ended it, as in shells
    double seconds = 0;
    std::string output;  ///< last bytes of its output, or the backend's message
};

/// RunEnd of a run that could not start.
[[nodiscard]] RunEnd could_not_start(std::size_t id, const ConfigError& error);

/// Starts runs and reports their ends. Not thread-safe.
class SweepBackend {
public:
    static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

    virtual ~SweepBackend() = default;
    /// Description for messages: "2 at a time".
    [[nodiscard]] virtual std::string description() const = 0;
    /// Activity of runs that have not ended: "running".
    [[nodiscard]] virtual std::string activity() const = 0;
    /// Number of started runs that poll() has not reported.
    [[nodiscard]] virtual std::size_t running() const = 0;
    /// Number of further runs accepted now.
    [[nodiscard]] virtual std::size_t free_slots() const = 0;
    /// Indices into `jobs` of runs that an earlier sweep of this folder left active. poll() reports
    /// them like started ones. All other active runs of that sweep are cancelled, except those in
    /// `done`. Called once, before all other functions.
    virtual std::vector<std::size_t> resume(const std::vector<RunJob>& jobs,
                                            const std::vector<RunJob>& done) = 0;
    /// Starts runs, in this order; at most free_slots(). Returns those that could not start while
    /// the others could. Throws ConfigError if none can start; then none is left started.
    [[nodiscard]] virtual std::vector<RunEnd> start(const std::vector<RunJob>& jobs) = 0;
    /// Returns a run that has ended, or nothing. Does not block. Throws ConfigError if no run can
    /// succeed; all are cancelled then.
    virtual std::optional<RunEnd> poll() = 0;
    /// Cancels active runs; afterwards reports only those that end well.
    virtual void cancel() = 0;
};

/// Backend and its options.
struct BackendOptions {
    std::string name = "local";
    std::optional<std::size_t> jobs;  ///< maximum number of parallel runs
    std::size_t pack = 1;             ///< runs executed in sequence by an element of a batch
    // Options of sbatch:
    std::string partition, account, time, memory;
    // Options of GNU parallel:
    std::vector<std::string> ssh_logins;
};

/// Names of all backends.
[[nodiscard]] const std::vector<std::string>& backend_names();

/// Throws ConfigError for an option that the named backend does not have, and if its programs are
/// not installed.
void check_backend(const BackendOptions& options);

/// Makes a backend for the sweep of this name in `folder`, where it may keep a folder of its own.
/// It does not take over runs started by a program with another stamp.
[[nodiscard]] std::unique_ptr<SweepBackend> make_backend(const BackendOptions& options,
                                                         const std::string& sweep,
                                                         const std::string& stamp,
                                                         const std::filesystem::path& folder);

}  // namespace tessera

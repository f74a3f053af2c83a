// Where the runs of a sweep are executed.
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

/// A run as backends know it: a command line, and the files that it leaves.
struct RunJob {
    std::size_t id = 0;
    std::vector<std::string> command;
    std::filesystem::path log;     ///< gets what it prints; its folder is there
    std::filesystem::path result;  ///< is there when it has ended well
};

/// How a run ended.
struct RunEnd {
    std::size_t id = 0;
    int exit_code = 0;  ///< 128 + signal if one ended it, as shells report it
    double seconds = 0;
    std::string output;  ///< the end of what it printed, or of what the backend says of it
};

/// The end of a run that could not begin.
[[nodiscard]] RunEnd could_not_start(std::size_t id, const ConfigError& error);

/// Starts runs and says when they have ended. Used from one thread.
class SweepBackend {
public:
    static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

    virtual ~SweepBackend() = default;
    /// For people: "2 at a time".
    [[nodiscard]] virtual std::string description() const = 0;
    /// What its runs do that have not ended: "running".
    [[nodiscard]] virtual std::string activity() const = 0;
    /// How many runs it has that have not been reported by poll().
    [[nodiscard]] virtual std::size_t running() const = 0;
    /// How many more it takes at once.
    [[nodiscard]] virtual std::size_t free_slots() const = 0;
    /// Which of the runs that are to be run (by their place in `jobs`) an earlier sweep of the same
    /// folder left at work. They are reported as if they had been started; whatever else that sweep
    /// left at work is ended, but for runs in `done`. Called first, once.
    virtual std::vector<std::size_t> resume(const std::vector<RunJob>& jobs,
                                            const std::vector<RunJob>& done) = 0;
    /// Starts runs, in this order; not more than free_slots(). Returns those that could not be, if
    /// that is no matter of the others. Throws ConfigError, with none of them started.
    [[nodiscard]] virtual std::vector<RunEnd> start(const std::vector<RunJob>& jobs) = 0;
    /// A run that has ended, or nothing. Does not wait. Throws ConfigError if no run can be run,
    /// with everything ended.
    virtual std::optional<RunEnd> poll() = 0;
    /// Ends what is at work, and reports no more of it unless it ends well.
    virtual void cancel() = 0;
};

/// Which backend, and what it is told.
struct BackendOptions {
    std::string name = "local";
    std::optional<std::size_t> jobs;  ///< runs at a time
    std::size_t pack = 1;             ///< runs one after the other in an element of a batch
    // sbatch's own:
    std::string partition, account, time, memory;
    // GNU parallel's own:
    std::vector<std::string> ssh_logins;
};

/// Names of all backends.
[[nodiscard]] const std::vector<std::string>& backend_names();

/// Throws ConfigError for an option that the named backend does not have, and if what it calls is
/// not there.
void check_backend(const BackendOptions& options);

/// A backend for the sweep of this name in `folder`, in which it may keep a folder of its own. What
/// a program of another stamp left at work is not taken over.
[[nodiscard]] std::unique_ptr<SweepBackend> make_backend(const BackendOptions& options,
                                                         const std::string& sweep,
                                                         const std::string& stamp,
                                                         const std::filesystem::path& folder);

}  // namespace tessera

// Child processes side by side.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/backend/child_process.h"

namespace tessera {

/// What is kept of a child's output beside its log.
inline constexpr std::size_t kKeptOutput = 1 << 16;

/// How a child ended.
struct ProcessEnd {
    std::size_t id = 0;  ///< as given to start()
    int exit_code = 0;   ///< 128 + signal if one ended it, as shells report it
    double seconds = 0;
    std::string output;  ///< the last kKeptOutput bytes, at least, of what it printed
};

/// Runs programs side by side. The children have a process group each, so that a Ctrl-C at the
/// terminal reaches them only through terminate(), and they are told to end when this process dies.
/// Used from one thread.
class ProcessPool {
public:
    ProcessPool() = default;
    /// Ends what still runs and waits for it.
    ~ProcessPool();
    ProcessPool(const ProcessPool&) = delete;
    ProcessPool& operator=(const ProcessPool&) = delete;

    [[nodiscard]] std::size_t running() const { return children_.size(); }

    /// Starts argv[0] (looked up in PATH if it has no slash) with standard input from /dev/null and
    /// both outputs into the file `log`, which is made anew; they pass through this process, which
    /// knows them even if the disk of the log is full. Throws ConfigError if the log cannot be made
    /// or no process can; a program that cannot be executed ends with code 127.
    void start(std::size_t id, const std::vector<std::string>& argv,
               const std::filesystem::path& log);
    /// A child that has ended, or nothing if all still run. Does not wait. Passes on what the
    /// children printed, so they wait if this is not called for long.
    std::optional<ProcessEnd> poll();
    /// Sends SIGTERM to all children.
    void terminate();

private:
    struct Child {
        pid_t pid = -1;
        std::size_t id = 0;
        std::chrono::steady_clock::time_point started;
        Descriptor pipe;  ///< the end of its outputs that is ours
        Descriptor log;
        std::string output;  ///< the end of what came through the pipe
    };
    /// Takes what there is in a child's pipe.
    static void drain(Child& child);

    std::vector<Child> children_;
};

}  // namespace tessera

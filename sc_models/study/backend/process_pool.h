// Pool of child processes.
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

/// Bytes of a child's output kept beside its log.
inline constexpr std::size_t kKeptOutput = 1 << 16;

/// End of a child.
struct ProcessEnd {
    std::size_t id = 0;  ///< as given to start()
    int exit_code = 0;   ///< 128 + signal if a signal ended it, as in shells
    double seconds = 0;
    std::string output;  ///< at least the last kKeptOutput bytes that it printed
};

/// Runs programs in parallel. Each child has its own process group, so that a Ctrl-C at the
/// terminal reaches it only through terminate(). Children receive SIGTERM when this process dies.
/// Not thread-safe.
class ProcessPool {
public:
    ProcessPool() = default;
    /// Terminates running children and waits for them.
    ~ProcessPool();
    ProcessPool(const ProcessPool&) = delete;
    ProcessPool& operator=(const ProcessPool&) = delete;

    [[nodiscard]] std::size_t running() const { return children_.size(); }

    /// Starts argv[0] (looked up in PATH if it has no slash) with standard input from /dev/null and
    /// both outputs redirected to the new file `log`. Output passes through this process, which
    /// keeps its end even if the log's disk is full. Throws ConfigError if the log or the process
    /// cannot be created; a program that cannot be executed ends with code 127.
    void start(std::size_t id, const std::vector<std::string>& argv,
               const std::filesystem::path& log);
    /// Returns a child that has ended, or nothing if all still run. Does not block. Forwards the
    /// children's output; they block on full pipes if it is not called for long.
    std::optional<ProcessEnd> poll();
    /// Sends SIGTERM to all children.
    void terminate();

private:
    struct Child {
        pid_t pid = -1;
        std::size_t id = 0;
        std::chrono::steady_clock::time_point started;
        Descriptor pipe;  ///< read end of the pipe of its outputs
        Descriptor log;
        std::string output;  ///< last bytes that came through the pipe
    };
    /// Reads the available bytes of a child's pipe.
    static void drain(Child& child);

    std::vector<Child> children_;
};

}  // namespace tessera

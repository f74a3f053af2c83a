// Child processes, a bounded number at a time.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// How a child ended.
struct ProcessEnd {
    std::size_t id = 0;  ///< as given to start()
    int exit_code = 0;   ///< 128 + signal if one ended it, as shells report it
    double seconds = 0;
};

/// Runs programs side by side. The children have a process group each, so that a Ctrl-C at the
/// terminal reaches them only through terminate(), and they are told to end when this process dies.
/// Used from one thread.
class ProcessPool {
public:
    explicit ProcessPool(std::size_t slots) : slots_(slots) {}
    /// Ends what still runs and waits for it.
    ~ProcessPool();
    ProcessPool(const ProcessPool&) = delete;
    ProcessPool& operator=(const ProcessPool&) = delete;

    [[nodiscard]] std::size_t running() const { return children_.size(); }
    [[nodiscard]] bool has_slot() const { return children_.size() < slots_; }

    /// Starts argv[0] (looked up in PATH if it has no slash) with standard input from /dev/null and
    /// both outputs into the file `log`, which is made anew. Throws ConfigError if the log cannot
    /// be written or no process can be made; a program that cannot be executed ends with code 127.
    void start(std::size_t id, const std::vector<std::string>& argv,
               const std::filesystem::path& log);
    /// A child that has ended, or nothing if all still run. Does not wait.
    std::optional<ProcessEnd> poll();
    /// Sends SIGTERM to all children.
    void terminate();

private:
    struct Child {
        pid_t pid = -1;
        std::size_t id = 0;
        std::chrono::steady_clock::time_point started;
    };

    std::size_t slots_;
    std::vector<Child> children_;
};

}  // namespace tessera

#include "sc_models/gpu/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr int kCannotExecute = 127;

/// The child's side of fork(): only what is safe between fork and exec.
[[noreturn]] void become(char* const* argv, int input, int log, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);  // it died before the line above
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    dup2(input, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(argv[0], argv);
    const char* reason = std::strerror(errno);
    const char* const texts[] = {argv[0], ": ", reason, "\n"};
    for (const char* text : texts) {
        if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
    }
    _exit(kCannotExecute);
}

}  // namespace

ProcessPool::~ProcessPool() {
    terminate();
    for (const Child& child : children_) {
        while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

void ProcessPool::start(std::size_t id, const std::vector<std::string>& argv,
                        const std::filesystem::path& log) {
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const std::string& argument : argv) {
        arguments.push_back(const_cast<char*>(argument.c_str()));  // NOLINT: execvp does not write
    }
    arguments.push_back(nullptr);

    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (output < 0) {
        throw ConfigError(fmt::format("cannot write {}: {}", log.string(), std::strerror(errno)));
    }
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) become(arguments.data(), input, output, parent);
    const int error = errno;
    close(input);
    close(output);
    if (pid < 0) {
        throw ConfigError(fmt::format("cannot start {}: {}", argv.front(), std::strerror(error)));
    }
    setpgid(pid, pid);  // whoever of the two comes first
    children_.push_back({pid, id, std::chrono::steady_clock::now()});
}

std::optional<ProcessEnd> ProcessPool::poll() {
    for (auto child = children_.begin(); child != children_.end(); ++child) {
        int status = 0;
        if (waitpid(child->pid, &status, WNOHANG) != child->pid) continue;
        ProcessEnd end;
        end.id = child->id;
        end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        end.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - child->started)
                .count();
        children_.erase(child);
        return end;
    }
    return std::nullopt;
}

void ProcessPool::terminate() {
    for (const Child& child : children_) kill(child.pid, SIGTERM);
}

}  // namespace tessera

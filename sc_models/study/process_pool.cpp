#include "sc_models/study/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr int kCannotExecute = 127;

/// The child's side of fork(): only what is safe between fork and exec.
[[noreturn]] void become(char* const* argv, int input, int output, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);  // it died before the line above
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
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
        close(child.pipe);  // it need not wait for us to read on
        close(child.log);
        while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

void ProcessPool::drain(Child& child) {
    constexpr std::size_t kPipeHolds = 1 << 16;  // more comes from a child that prints without end
    char bytes[4096];
    for (std::size_t taken = 0; taken < kPipeHolds;) {
        const ssize_t got = read(child.pipe, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        taken += static_cast<std::size_t>(got);
        child.output.append(bytes, static_cast<std::size_t>(got));
        // Old output goes seldom, so that little is moved.
        if (child.output.size() > 2 * kKeptOutput) {
            child.output.erase(0, child.output.size() - kKeptOutput);
        }
        for (ssize_t at = 0; at < got;) {
            const ssize_t written =
                write(child.log, bytes + at, static_cast<std::size_t>(got - at));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) break;  // a full disk, say: what counts is kept in `output`
            at += written;
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

    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        throw ConfigError(fmt::format("cannot write {}: {}", log.string(), std::strerror(errno)));
    }
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    std::array<int, 2> ends = {-1, -1};
    pid_t pid = -1;
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        const pid_t parent = getpid();
        pid = fork();
        if (pid == 0) become(arguments.data(), input, ends[1], parent);
    }
    const int error = errno;
    close(input);
    close(ends[1]);
    if (pid < 0) {
        close(file);
        close(ends[0]);
        throw ConfigError(fmt::format("cannot start {}: {}", argv.front(), std::strerror(error)));
    }
    setpgid(pid, pid);  // whoever of the two comes first
    children_.push_back({pid, id, std::chrono::steady_clock::now(), ends[0], file, {}});
}

std::optional<ProcessEnd> ProcessPool::poll() {
    for (auto child = children_.begin(); child != children_.end(); ++child) {
        drain(*child);
        int status = 0;
        if (waitpid(child->pid, &status, WNOHANG) != child->pid) continue;
        drain(*child);
        close(child->pipe);
        close(child->log);
        ProcessEnd end;
        end.id = child->id;
        end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        end.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - child->started)
                .count();
        end.output = std::move(child->output);
        children_.erase(child);
        return end;
    }
    return std::nullopt;
}

void ProcessPool::terminate() {
    for (const Child& child : children_) kill(child.pid, SIGTERM);
}

}  // namespace tessera

#include "sc_models/study/backend/captured_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr int kCannotExecute = 127;

struct Pipe {
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(std::size_t end) {
        if (ends[end] >= 0) close(ends[end]);
        ends[end] = -1;
    }
    std::array<int, 2> ends{-1, -1};
};

/// Takes what there is in the pipe; closes it at its end.
void take(Pipe& pipe, std::string& text) {
    std::array<char, 4096> bytes{};
    const ssize_t got = read(pipe.ends[0], bytes.data(), bytes.size());
    if (got > 0) text.append(bytes.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) pipe.close_end(0);
}

}  // namespace

CapturedProcess capture(const std::vector<std::string>& argv,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const std::string& argument : argv) {
        arguments.push_back(const_cast<char*>(argument.c_str()));  // NOLINT: execvp does not write
    }
    arguments.push_back(nullptr);
    Pipe out;
    Pipe err;
    const pid_t pid = out.ends[0] < 0 || err.ends[0] < 0 ? -1 : fork();
    if (pid < 0) {
        throw ConfigError(fmt::format("cannot start {}: {}", argv.front(), std::strerror(errno)));
    }
    if (pid == 0) {
        setpgid(0, 0);
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
        dup2(out.ends[1], STDOUT_FILENO);
        dup2(err.ends[1], STDERR_FILENO);
        execvp(arguments.front(), arguments.data());
        const std::string failure = argv.front() + ": " + std::strerror(errno) + "\n";
        [[maybe_unused]] const ssize_t said = write(STDERR_FILENO, failure.data(), failure.size());
        _exit(kCannotExecute);
    }
    out.close_end(1);
    err.close_end(1);
    CapturedProcess process;
    while (out.ends[0] >= 0 || err.ends[0] >= 0) {
        std::array<pollfd, 2> waits = {pollfd{out.ends[0], POLLIN, 0},
                                       pollfd{err.ends[0], POLLIN, 0}};
        if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
        if (waits[0].revents != 0) take(out, process.out);
        if (waits[1].revents != 0) take(err, process.err);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    process.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return process;
}

bool is_in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    const std::string folders = path == nullptr ? "" : path;
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const auto file = std::filesystem::path(folders.substr(begin, end - begin)) / program;
        if (access(file.c_str(), X_OK) == 0) return true;
        begin = end + 1;
    }
    return false;
}

std::string shell_quoted(const std::vector<std::string>& argv) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    std::string text;
    for (const std::string& argument : argv) {
        if (!text.empty()) text += ' ';
        if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
            text += argument;
            continue;
        }
        text += '\'';
        for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    return text;
}

std::string last_error(const std::string& output) {
    std::istringstream in(output);
    std::string line;
    std::string last;
    std::string error;
    while (std::getline(in, line)) {
        // ssh ends lines as terminals do.
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        last = line;
        if (line.rfind("tessera: ", 0) == 0) error = line;
    }
    return error.empty() ? last : error;
}

}  // namespace tessera

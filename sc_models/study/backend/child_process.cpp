#include "sc_models/study/backend/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr int kCannotExecute = 127;

/// Pointers to `texts` for execvpe, which takes char* but does not modify the texts.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
        pointers.push_back(const_cast<char*>(text.c_str()));  // NOLINT: see above
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// Variables of this process, overridden by `more`.
std::vector<std::string> variables_with(
    const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> variables;
    variables.reserve(more.size());
    for (const auto& [name, value] : more) variables.push_back(fmt::format("{}={}", name, value));
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::string_view name = text.substr(0, text.find('='));
        bool is_over = false;
        for (const auto& one : more) is_over = is_over || one.first == name;
        if (!is_over) variables.emplace_back(text);
    }
    return variables;
}

/// Child's side of fork(): calls only functions that are safe between fork and exec.
[[noreturn]] void become(char* const* argv, char* const* variables, const ChildStreams& streams,
                         OnParentDeath on_parent_death, pid_t parent) {
    setpgid(0, 0);
    if (on_parent_death == OnParentDeath::kEnds) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(128 + SIGTERM);  // the parent died before prctl()
    }
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    dup2(streams.input.number(), STDIN_FILENO);
    dup2(streams.output.number(), STDOUT_FILENO);
    dup2(streams.error.number(), STDERR_FILENO);
    execvpe(argv[0], argv, variables);
    const char* reason = std::strerror(errno);
    const char* const texts[] = {argv[0], ": ", reason, "\n"};
    for (const char* text : texts) {
        if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
    }
    _exit(kCannotExecute);
}

}  // namespace

void Descriptor::close() {
    if (is_open()) ::close(number_);
    number_ = -1;
}

Pipe::Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw ConfigError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
    reads = Descriptor(ends[0]);
    writes = Descriptor(ends[1]);
}

Descriptor empty_input() {
    Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!input.is_open()) {
        throw ConfigError(fmt::format("cannot read /dev/null: {}", std::strerror(errno)));
    }
    return input;
}

pid_t start_child(const std::vector<std::string>& argv, const ChildStreams& streams,
                  OnParentDeath on_parent_death,
                  const std::vector<std::pair<std::string, std::string>>& environment) {
    const std::vector<char*> arguments = pointers_to(argv);
    const std::vector<std::string> variables = variables_with(environment);
    const std::vector<char*> variable_pointers = pointers_to(variables);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0)
        become(arguments.data(), variable_pointers.data(), streams, on_parent_death, parent);
    if (pid < 0) {
        throw ConfigError(fmt::format("cannot start {}: {}", argv.front(), std::strerror(errno)));
    }
    setpgid(pid, pid);  // parent and child both set the group, because their order is undefined
    return pid;
}

std::optional<int> end_of(pid_t pid, Waiting waiting) {
    int status = 0;
    pid_t ended = -1;
    do {
        ended = waitpid(pid, &status, waiting == Waiting::kYes ? 0 : WNOHANG);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return std::nullopt;
    if (ended < 0) return kUnknownEnd;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace tessera

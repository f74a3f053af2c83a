#include "sc_models/study/backend/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

ProcessPool::~ProcessPool() {
    terminate();
    for (Child& child : children_) {
        child.pipe.close();  // the child must not block on a full pipe
        static_cast<void>(end_of(child.pid, Waiting::kYes));
    }
}

void ProcessPool::drain(Child& child) {
    constexpr std::size_t kPipeHolds = 1 << 16;  // bounds the work per call for a child that prints
                                                 // without end
    char bytes[4096];
    for (std::size_t taken = 0; taken < kPipeHolds;) {
        const ssize_t got = read(child.pipe.number(), bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        taken += static_cast<std::size_t>(got);
        child.output.append(bytes, static_cast<std::size_t>(got));
        // Erase rarely, to move few bytes.
        if (child.output.size() > 2 * kKeptOutput) {
            child.output.erase(0, child.output.size() - kKeptOutput);
        }
        for (ssize_t at = 0; at < got;) {
            const ssize_t written =
                write(child.log.number(), bytes + at, static_cast<std::size_t>(got - at));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) break;  // for example a full disk; `output` keeps the end
            at += written;
        }
    }
}

void ProcessPool::start(std::size_t id, const std::vector<std::string>& argv,
                        const std::filesystem::path& log) {
    Descriptor file(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
    if (!file.is_open()) {
        throw ConfigError(fmt::format("cannot write {}: {}", log.string(), std::strerror(errno)));
    }
    const Descriptor input = empty_input();
    Pipe pipe;
    fcntl(pipe.reads.number(), F_SETFL, O_NONBLOCK);
    const pid_t pid = start_child(argv, {input, pipe.writes, pipe.writes}, OnParentDeath::kEnds);
    children_.push_back(
        {pid, id, std::chrono::steady_clock::now(), std::move(pipe.reads), std::move(file), {}});
}

std::optional<ProcessEnd> ProcessPool::poll() {
    for (auto child = children_.begin(); child != children_.end(); ++child) {
        drain(*child);
        const auto exit_code = end_of(child->pid, Waiting::kNo);
        if (!exit_code) continue;
        drain(*child);
        ProcessEnd end;
        end.id = child->id;
        end.exit_code = *exit_code;
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

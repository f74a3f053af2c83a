// Simulations in processes of their own, as SystemC allows one a process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace tessera::testbench {

/// Runs `action` in a forked child and returns its result. Call before the parent elaborates
/// modules. Throws std::runtime_error if the child does not finish.
inline std::string in_child(const std::function<std::string()>& action) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot fork");
    if (child == 0) {
        std::size_t done = 0;
        const std::string text = action();
        while (done < text.size()) {
            const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
            if (written <= 0) break;
            done += static_cast<std::size_t>(written);
        }
        _exit(done == text.size() ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw std::runtime_error("a simulation in a child process did not finish");
    }
    return text;
}

}  // namespace tessera::testbench

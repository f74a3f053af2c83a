// Several SystemC simulations in one test, each in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace tessera::test {

/// Runs `action` in a forked child and returns its result; call before the parent elaborates
/// anything. Throws if the child did not finish.
inline std::string in_child(const std::function<std::string()>& action) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
        int code = 1;
        try {
            const std::string text = action();
            std::size_t done = 0;
            while (done < text.size()) {
                const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
                if (written <= 0) break;
                done += static_cast<std::size_t>(written);
            }
            code = done == text.size() ? 0 : 1;
        } catch (...) {  // the exit code says it
        }
        _exit(code);
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
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("the child failed");
    return text;
}

}  // namespace tessera::test

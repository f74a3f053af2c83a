#include "sc_models/study/backend/captured_process.h"

#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "sc_models/study/backend/child_process.h"

namespace tessera {
namespace {

/// Reads the available bytes of the pipe; closes it at its end.
void take(Descriptor& pipe, std::string& text) {
    std::array<char, 4096> bytes{};
    const ssize_t got = read(pipe.number(), bytes.data(), bytes.size());
    if (got > 0) text.append(bytes.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) pipe.close();
}

}  // namespace

CapturedProcess capture(const std::vector<std::string>& argv,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
    const Descriptor input = empty_input();
    Pipe out;
    Pipe err;
    const pid_t pid =
        start_child(argv, {input, out.writes, err.writes}, OnParentDeath::kLivesOn, environment);
    out.writes.close();
    err.writes.close();
    CapturedProcess process;
    while (out.reads.is_open() || err.reads.is_open()) {
        std::array<pollfd, 2> waits = {pollfd{out.reads.number(), POLLIN, 0},
                                       pollfd{err.reads.number(), POLLIN, 0}};
        if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
        if (waits[0].revents != 0) take(out.reads, process.out);
        if (waits[1].revents != 0) take(err.reads, process.err);
    }
    process.exit_code = end_of(pid, Waiting::kYes).value_or(kUnknownEnd);
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

std::string last_error(const std::string& output) {
    std::istringstream in(output);
    std::string line;
    std::string last;
    std::string error;
    while (std::getline(in, line)) {
        // ssh ends lines with CR LF, as terminals do.
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        last = line;
        if (line.rfind("tessera: ", 0) == 0) error = line;
    }
    return error.empty() ? last : error;
}

}  // namespace tessera

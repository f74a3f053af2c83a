#include "sc_models/study/backend/parallel_engine.h"

#include <fmt/format.h>
#include <sstream>
#include <vector>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/study/backend/captured_process.h"

namespace tessera {
namespace {

/// Exit code of ssh for its own failures.
constexpr int kNotReached = 255;

/// Host names from parallel's --sshlogin: "host", "4/user@host", "ssh -p 22 host", ":".
std::vector<std::string> hosts_of(const std::vector<std::string>& logins) {
    std::vector<std::string> hosts;
    for (const std::string& login : logins) {
        std::istringstream in(login);
        for (std::string host; std::getline(in, host, ',');) {
            const std::size_t slash = host.find_first_not_of("0123456789");
            if (slash != 0 && slash != std::string::npos && host[slash] == '/') {
                host.erase(0, slash + 1);
            }
            if (host.empty()) {
                throw ConfigError(
                    fmt::format("--sshlogin: got '{}', expected hosts with commas between", login));
            }
            hosts.push_back(host);
        }
    }
    return hosts;
}

}  // namespace

void ParallelEngine::check() {
    if (!is_in_path("parallel")) {
        throw ConfigError("--backend parallel: there is no parallel in PATH");
    }
    // moreutils also has a program of this name.
    if (capture({"parallel", "--version"}).out.rfind("GNU parallel", 0) != 0) {
        throw ConfigError("--backend parallel: the parallel in PATH is not GNU parallel");
    }
}

void ParallelEngine::check_hosts(const JobList& batch) const {
    for (const std::string& host : hosts_of(options_.ssh_logins)) {
        const std::string test = batch.is_shared();
        std::vector<std::string> argv = {"sh", "-c", test};
        if (host != ":") {
            const bool is_command = host.find(' ') != std::string::npos;
            argv.back() =
                (is_command ? host : "ssh " + shell_quoted({host})) + " " + shell_quoted({test});
        }
        const CapturedProcess login = capture(argv);
        if (login.exit_code == 0) continue;
        if (login.exit_code == kNotReached || login.exit_code == 127) {
            throw ConfigError(
                fmt::format("--sshlogin: cannot reach '{}': {}", host, last_error(login.err)));
        }
        throw ConfigError(fmt::format(
            "--out: the host {} does not share {} or {}, expected folders that all hosts share",
            host, batch.folder().parent_path().parent_path().string(),
            std::filesystem::current_path().string()));
    }
}

void ParallelEngine::submit(const JobList& batch) {
    if (!hosts_are_checked_) check_hosts(batch);
    hosts_are_checked_ = true;
    std::string commands;
    for (std::size_t element = 1; element <= batch.elements(); ++element) {
        commands += batch.command(std::to_string(element)) + "\n";
    }
    write_file_atomically(batch.folder() / "elements", commands);
    std::vector<std::string> argv = {"parallel",   "--plain",
                                     "--arg-file", (batch.folder() / "elements").string(),
                                     "--retries",  std::to_string(JobList::kMostTries)};
    if (options_.jobs) argv.insert(argv.end(), {"--jobs", std::to_string(*options_.jobs)});
    for (const std::string& login : options_.ssh_logins) {
        argv.insert(argv.end(), {"--sshlogin", login});
    }
    const std::size_t number = numbers_.emplace(batch.name(), numbers_.size()).first->second;
    pool_.start(number, argv, batch.folder() / "parallel.txt");
}

std::optional<std::set<std::size_t>> ParallelEngine::at_work(const JobList& batch) {
    while (const auto end = pool_.poll()) last_words_[end->id] = last_error(end->output);
    const auto number = numbers_.find(batch.name());
    std::set<std::size_t> at_work;
    if (number == numbers_.end() || last_words_.count(number->second) != 0) return at_work;
    for (std::size_t element = 0; element < batch.elements(); ++element) at_work.insert(element);
    return at_work;
}

ElementState ParallelEngine::state(const JobList& batch, std::size_t /*element*/) {
    const auto number = numbers_.find(batch.name());
    return {number == numbers_.end() ? "" : last_words_[number->second]};
}

void ParallelEngine::cancel(const JobList& /*batch*/) {
    pool_.terminate();
}

}  // namespace tessera

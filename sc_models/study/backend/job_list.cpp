#include "sc_models/study/backend/job_list.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Script of an element; $1 is the element, from 1. Plain sh, because nodes may have nothing more.
constexpr const char* kWork = R"sh(#!/bin/sh
# Runs every {elements}th line of the list from line $1 on. Ends with {again} if a run was killed and may be tried again.
folder={folder}
cd {cwd} || exit {not_shared}
result=0
line=$1
while [ "$line" -le {runs} ]; do
    if [ ! -e "$folder/ended/$line" ]; then
        command=$(tail -c +$(((line - 1) * {width} + 1)) "$folder/list" | head -n 1)
        began=$(date +%s%N)
        sh -c "$command"
        code=$?
        tries=0
        if [ "$code" -ge 126 ]; then
            printf x >>"$folder/tries/$line"
            tries=$(wc -c <"$folder/tries/$line")
        fi
        if [ "$code" -ge 126 ] && [ "$tries" -lt {most} ]; then
            result={again}
        else
            echo "$code $((($(date +%s%N) - began) / 1000000))" >"$folder/ended/$line.part" &&
                mv "$folder/ended/$line.part" "$folder/ended/$line"
        fi
    fi
    line=$((line + {elements}))
done
exit $result
)sh";

std::string quoted(const fs::path& path) {
    return shell_quoted({path.string()});
}

}  // namespace

JobList::JobList(fs::path folder, std::string name, std::string stamp,
                 std::vector<std::string> lines, std::size_t elements)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      stamp_(std::move(stamp)),
      lines_(std::move(lines)),
      elements_(elements),
      ended_(lines_.size()),
      left_(lines_.size()) {}

JobList::JobList(fs::path folder, std::string name, std::string stamp,
                 const std::vector<RunJob>& jobs, std::size_t pack)
    : JobList(std::move(folder), std::move(name), std::move(stamp), std::vector<std::string>(),
              (jobs.size() + pack - 1) / pack) {
    std::size_t width = 0;
    for (const RunJob& job : jobs) {
        lines_.push_back(line_of(job));
        width = std::max(width, lines_.back().size());
        if (lines_.back().find('\n') != std::string::npos) {
            throw ConfigError(
                fmt::format("--backend: got a line break in {}, expected none", job.log.string()));
        }
    }
    ended_.assign(lines_.size(), false);
    left_ = lines_.size();
    make_output_folder(folder_ / "ended", "--out");
    make_output_folder(folder_ / "tries", "--out");
    std::string list;
    list.reserve(lines_.size() * (width + 1));
    for (const std::string& line : lines_) {
        list += line + std::string(width - line.size(), ' ') + "\n";  // padded by bytes, not by
                                                                      // columns
    }
    write_file_atomically(folder_ / "list", list);
    write_file_atomically(
        folder_ / "work",
        fmt::format(kWork, fmt::arg("folder", quoted(folder_)), fmt::arg("runs", lines_.size()),
                    fmt::arg("elements", elements_), fmt::arg("width", width + 1),
                    fmt::arg("cwd", quoted(fs::current_path())), fmt::arg("most", kMostTries),
                    fmt::arg("again", kTryAgain), fmt::arg("not_shared", kNotShared)));
    write_file_atomically(folder_ / "token", name_ + "\n");
    write_file_atomically(folder_ / "batch", fmt::format("{}\n{}\n{}\n", name_, elements_, stamp_));
}

std::optional<JobList> JobList::read(const fs::path& folder) {
    std::ifstream batch(folder / "batch");
    std::string name;
    std::size_t elements = 0;
    std::ifstream list(folder / "list");
    if (!(batch >> name >> elements >> std::ws) || elements == 0 || !list) return std::nullopt;
    std::string stamp;
    std::getline(batch, stamp);
    std::vector<std::string> lines;
    for (std::string line; std::getline(list, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(line);
    }
    return JobList(folder, name, stamp, std::move(lines), elements);
}

std::string JobList::line_of(const RunJob& job) {
    const std::string log = quoted(job.log);
    return fmt::format("(flock 9 2>/dev/null; exec {} >{} 2>&1) 9>>{}", shell_quoted(job.command),
                       log, log);
}

std::string JobList::command(const std::string& element_from_1) const {
    return fmt::format("sh {} {}", quoted(folder_ / "work"), element_from_1);
}

std::string JobList::is_shared() const {
    return fmt::format("grep -qsx {} {} && cd {}", shell_quoted({name_}), quoted(folder_ / "token"),
                       quoted(fs::current_path()));
}

std::vector<std::size_t> JobList::lines_of(std::size_t element) const {
    std::vector<std::size_t> lines;
    for (std::size_t line = element; line < lines_.size(); line += elements_) lines.push_back(line);
    return lines;
}

std::vector<JobList::Ended> JobList::new_ended() {
    std::vector<Ended> found;
    std::error_code ignored;  // a shared file system may be unavailable for a moment
    for (fs::directory_iterator at(folder_ / "ended", ignored), end; at != end;
         at.increment(ignored)) {
        const std::string name = at->path().filename().string();
        std::size_t number = 0;
        const auto [last, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc() || last != name.data() + name.size()) continue;  // temporary file
        if (number == 0 || number > lines_.size() || ended_[number - 1]) continue;
        std::ifstream in(at->path());
        Ended one;
        long long milliseconds = 0;
        if (!(in >> one.exit_code >> milliseconds)) continue;
        one.line = number - 1;
        one.seconds = static_cast<double>(milliseconds) / 1000;
        forget(one.line);
        found.push_back(one);
    }
    std::sort(found.begin(), found.end(),
              [](const Ended& a, const Ended& b) { return a.line < b.line; });
    return found;
}

void JobList::forget(std::size_t line) {
    if (!ended_[line]) --left_;
    ended_[line] = true;
}

}  // namespace tessera

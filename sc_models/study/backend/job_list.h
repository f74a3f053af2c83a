// Batch of runs on disk: a list of command lines and a completion file for each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/backend/sweep_backend.h"

namespace tessera {

/// The folder of a batch:
///
///     list       one shell command line per run, padded to equal width for access by number
///     work       the script that runs every E-th line from line e on: element e of E
///     token      the batch's name; a node that cannot read it does not share the folder
///     batch      name, elements and stamp, for a later sweep that resumes the batch
///     ended/N    exit code and milliseconds of line N; exists once the line has ended
///     tries/N    one byte for each time that line N was killed
///
/// The first kMostTries - 1 times that a run is killed, no completion file is written, so that a
/// restarted element runs it again; runs with a completion file are not run again.
class JobList {
public:
    static constexpr int kMostTries = 3;
    /// Exit code of an element with a killed run that may be retried.
    static constexpr int kTryAgain = 75;
    /// Exit code of an element that cannot access this folder or the sweep's working directory.
    static constexpr int kNotShared = 78;

    /// Completion record of a line.
    struct Ended {
        std::size_t line = 0;  ///< from 0
        int exit_code = 0;
        double seconds = 0;
    };

    /// Writes the list of the jobs with `pack` jobs per element. Throws ConfigError.
    JobList(std::filesystem::path folder, std::string name, std::string stamp,
            const std::vector<RunJob>& jobs, std::size_t pack);
    /// Reads a list of an earlier sweep; empty if it was not written completely.
    [[nodiscard]] static std::optional<JobList> read(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// Globally unique name.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Stamp of the program that wrote the list.
    [[nodiscard]] const std::string& stamp() const { return stamp_; }
    [[nodiscard]] std::size_t runs() const { return lines_.size(); }
    [[nodiscard]] std::size_t elements() const { return elements_; }
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
    /// Command line of a run. Where the file system has locks, it waits for a previous instance
    /// that still runs although the engine lost it.
    [[nodiscard]] static std::string line_of(const RunJob& job);

    /// Command that runs an element, from 1; a shell expression may replace the number.
    [[nodiscard]] std::string command(const std::string& element_from_1) const;
    /// Shell command that succeeds where this folder is shared.
    [[nodiscard]] std::string is_shared() const;
    /// Lines of an element, from 0, in order of execution.
    [[nodiscard]] std::vector<std::size_t> lines_of(std::size_t element) const;

    /// Returns lines that ended and were not returned before.
    std::vector<Ended> new_ended();
    [[nodiscard]] bool has_ended(std::size_t line) const { return ended_[line]; }
    /// Whether all lines have ended.
    [[nodiscard]] bool is_over() const { return left_ == 0; }
    /// Marks the line as ended, regardless of the files.
    void forget(std::size_t line);

private:
    JobList(std::filesystem::path folder, std::string name, std::string stamp,
            std::vector<std::string> lines, std::size_t elements);

    std::filesystem::path folder_;
    std::string name_, stamp_;
    std::vector<std::string> lines_;
    std::size_t elements_ = 0;
    std::vector<bool> ended_;
    std::size_t left_ = 0;
};

}  // namespace tessera

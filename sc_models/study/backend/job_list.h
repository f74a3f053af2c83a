// A list of command lines on disk, and the sign that each has ended: all that a batch of runs is.
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
///     list       a shell's command line a run, all of the same width, so that line n has its place
///     work       the script that runs every E-th line from line e on: element e of E
///     token      the batch's name; who cannot read it does not share the folder
///     batch      name, elements and stamp, for a later sweep that finds the batch at work
///     ended/N    exit code and milliseconds of line N; there when it has ended
///     tries/N    a byte for each time that line N was killed
///
/// A run that is killed leaves no sign the first kMostTries - 1 times, so that whoever starts its
/// element again runs it again; runs with a sign are not run again.
class JobList {
public:
    static constexpr int kMostTries = 3;
    /// Exit code of an element with a run that was killed and may be tried again.
    static constexpr int kTryAgain = 75;
    /// Exit code of an element that does not find this folder, or the one the sweep was called in.
    static constexpr int kNotShared = 78;

    /// What an element's line left.
    struct Ended {
        std::size_t line = 0;  ///< from 0
        int exit_code = 0;
        double seconds = 0;
    };

    /// Writes the list of the jobs, `pack` of them an element. Throws ConfigError.
    JobList(std::filesystem::path folder, std::string name, std::string stamp,
            const std::vector<RunJob>& jobs, std::size_t pack);
    /// One that an earlier sweep has written; nothing if it did not come to the end of it.
    [[nodiscard]] static std::optional<JobList> read(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// Of nothing else in the world.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Of the program that wrote it.
    [[nodiscard]] const std::string& stamp() const { return stamp_; }
    [[nodiscard]] std::size_t runs() const { return lines_.size(); }
    [[nodiscard]] std::size_t elements() const { return elements_; }
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
    /// The line of a run. It waits for one that is at work still though its engine lost it, where
    /// the file system has locks.
    [[nodiscard]] static std::string line_of(const RunJob& job);

    /// What to run for an element, from 0; a shell's text for its number may stand in its place.
    [[nodiscard]] std::string command(const std::string& element_from_1) const;
    /// A test, as a shell's command, that is true where this folder is shared.
    [[nodiscard]] std::string is_shared() const;
    /// Lines of an element, in the order in which they are run.
    [[nodiscard]] std::vector<std::size_t> lines_of(std::size_t element) const;

    /// What has ended and has not been told yet.
    std::vector<Ended> new_ended();
    [[nodiscard]] bool has_ended(std::size_t line) const { return ended_[line]; }
    /// Whether all has ended.
    [[nodiscard]] bool is_over() const { return left_ == 0; }
    /// The line is taken as ended, whatever there is on disk.
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

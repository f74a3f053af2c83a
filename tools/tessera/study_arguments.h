// Command-line arguments of commands that run a set of studies, and the execution of these.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sc_models/study/sweep/sweep.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {

struct StudyArguments {
    std::string out;  ///< folder of the results
    std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
    bool list = false, keep = false, no_cache = false;
    ProgressStyle progress = ProgressStyle::kPeople;

    explicit StudyArguments(std::string folder) : out(std::move(folder)) {}
    void add_to(CLI::App& command);
    /// Opens the result folder of the sweep `name`. Throws ConfigError if it has results of another
    /// revision without --keep, or of another `subject` (ResultOrigin), or as SweepFolder does.
    [[nodiscard]] SweepFolder take_folder(const std::string& name,
                                          const std::string& subject = "") const;
    /// Executes the missing runs, with progress, in the folder.
    [[nodiscard]] SweepOutcome run(SweepFolder folder, const SweepTitle& sweep,
                                   const std::vector<PlannedRun>& runs,
                                   bool allow_unused = false) const;
    /// Opens the folder and executes the missing runs.
    [[nodiscard]] SweepOutcome run(const SweepTitle& sweep, const std::vector<PlannedRun>& runs,
                                   bool allow_unused = false) const {
        return run(take_folder(sweep.name), sweep, runs, allow_unused);
    }
};

}  // namespace tessera

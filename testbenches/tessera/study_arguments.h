// What commands that run a set of studies take from the command line, and how they run it.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sc_models/study/sweep.h"

namespace tessera {

struct StudyArguments {
    std::string out;  ///< folder of the results
    std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
    bool list = false, keep = false;

    explicit StudyArguments(std::string folder) : out(std::move(folder)) {}
    void add_to(CLI::App& command);
    /// Takes the folder and runs what is missing of the runs, with progress. Throws ConfigError if
    /// the folder has results of another revision that are not to be kept.
    [[nodiscard]] SweepOutcome run(const std::string& name, const std::string& title,
                                   const std::vector<PlannedRun>& runs,
                                   bool allow_unused = false) const;
};

}  // namespace tessera

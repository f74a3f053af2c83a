// Several experiments, or one with several groups of settings, run as one sweep.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sc_models/results/summary.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// An experiment with settings over it, and its part of a set's runs.
struct Study {
    std::string name;  ///< name of its folder below the set's folder
    Experiment experiment;
    std::vector<std::string> sets;  ///< key=value, override everything
    std::vector<PlannedRun> runs;
};

/// Plans the runs of an experiment as a study of this name. Throws ConfigError as plan_runs() does.
[[nodiscard]] Study plan_study(std::string name, Experiment experiment,
                               std::vector<std::string> sets, const ConfigCatalog& catalog,
                               bool allow_unused = false);

/// Runs of all studies, for one sweep.
[[nodiscard]] std::vector<PlannedRun> runs_of(const std::vector<Study>& studies);

/// Results of each study below the set's folder.
[[nodiscard]] std::vector<Summary> summaries_of(const std::vector<Study>& studies,
                                                const std::filesystem::path& out);

/// Files that write_summaries() makes for each study.
inline constexpr std::array<const char*, 2> kSummaryFiles = {"summary.csv", "summary.json"};

/// Writes summary.csv and summary.json into the folder of each study, where `tessera report` reads
/// them.
void write_summaries(const std::vector<Study>& studies, const std::vector<Summary>& summaries,
                     const std::filesystem::path& out);

/// Origin of results, besides the program.
struct ResultOrigin {
    bool keep = false;  ///< keep results of another revision of the program
    std::string
        subject;  ///< input of the results, such as a file; empty: the study's name identifies it
};

/// Throws ConfigError if a folder has results of another origin.
void refuse_other_origin(const std::filesystem::path& out, const ResultOrigin& origin);

/// Records the origin in a folder; throws ConfigError as refuse_other_origin() does.
void claim_folder(const std::filesystem::path& out, const ResultOrigin& origin);

}  // namespace tessera

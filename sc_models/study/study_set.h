// Several experiments, or one several times with settings changed, run as one sweep.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"
#include "sc_models/study/summary.h"

namespace tessera {

/// An experiment with settings over it, and its part of a set's runs.
struct Study {
    std::string name;  ///< of its folder in the set's, where its runs lie
    Experiment experiment;
    std::vector<std::string> sets;  ///< key=value, over everything
    std::vector<PlannedRun> runs;
};

/// Plans the runs of an experiment as a study of this name. Throws ConfigError as plan_runs() does.
[[nodiscard]] Study plan_study(std::string name, Experiment experiment,
                               std::vector<std::string> sets, const ConfigCatalog& catalog,
                               bool allow_unused = false);

/// The runs of all of them, to be one sweep.
[[nodiscard]] std::vector<PlannedRun> runs_of(const std::vector<Study>& studies);

/// The results of each below the set's folder.
[[nodiscard]] std::vector<Summary> summaries_of(const std::vector<Study>& studies,
                                                const std::filesystem::path& out);

/// Files that write_summaries makes for each study.
inline constexpr std::array<const char*, 2> kSummaryFiles = {"summary.csv", "summary.json"};

/// Writes summary.csv and summary.json into the folder of each, where `tessera report` finds them.
void write_summaries(const std::vector<Study>& studies, const std::vector<Summary>& summaries,
                     const std::filesystem::path& out);

/// Where results come from, besides the program.
struct ResultOrigin {
    bool keep = false;  ///< take over those of another revision of the program
    std::string
        subject;  ///< what they are of, a file say; empty: nothing that a name does not tell
};

/// Throws ConfigError if a folder has results of another origin.
void refuse_other_origin(const std::filesystem::path& out, const ResultOrigin& origin);

/// Takes a folder for the results of this program, or refuses it as above.
void claim_folder(const std::filesystem::path& out, const ResultOrigin& origin);

}  // namespace tessera

#include "sc_models/study/study_set.h"

#include <fmt/format.h>
#include <fstream>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/version_info.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// What a folder of results was made by.
constexpr const char* kOrigin = "origin.json";

}  // namespace

Study plan_study(std::string name, Experiment experiment, std::vector<std::string> sets,
                 const ConfigCatalog& catalog, bool allow_unused) {
    Study study;
    study.name = std::move(name);
    study.experiment = std::move(experiment);
    study.sets = std::move(sets);
    study.runs = plan_runs(study.experiment, catalog, study.sets, allow_unused);
    for (PlannedRun& run : study.runs) run.folder = study.name / run.folder;
    return study;
}

std::vector<PlannedRun> runs_of(const std::vector<Study>& studies) {
    std::vector<PlannedRun> runs;
    for (const Study& study : studies) {
        runs.insert(runs.end(), study.runs.begin(), study.runs.end());
    }
    return runs;
}

std::vector<Summary> summaries_of(const std::vector<Study>& studies, const fs::path& out) {
    std::vector<Summary> summaries;
    summaries.reserve(studies.size());
    for (const Study& study : studies) {
        summaries.push_back(Summary::of_runs(study.experiment, study.sets, study.runs, out));
    }
    return summaries;
}

void write_summaries(const std::vector<Study>& studies, const std::vector<Summary>& summaries,
                     const fs::path& out) {
    for (std::size_t i = 0; i < studies.size(); ++i) {
        const fs::path folder = out / studies[i].name;
        make_output_folder(folder, "--out");
        write_file_atomically(folder / kSummaryFiles[0], summaries[i].csv());
        write_file_atomically(folder / kSummaryFiles[1], summaries[i].json().dump(2) + "\n");
    }
}

void refuse_other_revision(const fs::path& out, bool keep) {
    std::ifstream in(out / kOrigin);
    if (!in || keep) return;
    const auto origin = nlohmann::ordered_json::parse(in, nullptr, false);
    const std::string theirs =
        origin.is_object() ? origin.value("git_revision", std::string()) : "";
    if (theirs == build_info().git_revision) return;
    throw ConfigError(fmt::format(
        "--out: {} has results of revision '{}', and this is '{}': give another folder, remove it, "
        "or take its results over with --keep",
        out.string(), theirs, build_info().git_revision));
}

void claim_folder(const fs::path& out, bool keep) {
    make_output_folder(out, "--out");
    refuse_other_revision(out, keep);
    const nlohmann::ordered_json origin = {{"git_revision", build_info().git_revision},
                                           {"version", build_info().version}};
    write_file_atomically(out / kOrigin, origin.dump(2) + "\n");
}

}  // namespace tessera

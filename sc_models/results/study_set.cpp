#include "sc_models/results/study_set.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/version_info.h"
#include "sc_models/results/stored_studies.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// File that records the origin of a folder's results.
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
        summaries.push_back(Summary::of_runs(
            {study.experiment.name, study.experiment.title, study.sets, study.runs}, out));
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

void refuse_other_origin(const fs::path& out, const ResultOrigin& origin) {
    if (!fs::exists(out / kOrigin)) return;
    const auto there = read_stored(out / kOrigin, origin_file());
    const auto text = [&there](const char* key) { return there.value(key, std::string()); };
    const std::string revision = text("git_revision");
    if (!origin.keep && revision != build_info().git_revision) {
        throw ConfigError(fmt::format(
            "--out: {} has results of revision '{}', and this is '{}': give another folder, remove "
            "it, or take its results over with --keep",
            out.string(), revision, build_info().git_revision));
    }
    const std::string subject = text("subject");
    if (subject.empty() || subject == origin.subject) return;
    throw ConfigError(
        fmt::format("--out: {} has results of {}, and this is {}: give another folder",
                    out.string(), subject, origin.subject));
}

void claim_folder(const fs::path& out, const ResultOrigin& origin) {
    make_output_folder(out, "--out");
    refuse_other_origin(out, origin);
    nlohmann::ordered_json json = {{"git_revision", build_info().git_revision},
                                   {"version", build_info().version}};
    if (!origin.subject.empty()) json["subject"] = origin.subject;
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    write_file_atomically(out / kOrigin, json.dump(2, ' ', false, kReplace) + "\n");
}

}  // namespace tessera

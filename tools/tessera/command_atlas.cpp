// tessera atlas: which settings carry a paper's claim.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/reproduction/atlas.h"
#include "sc_models/reproduction/reproduction_studies.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct AtlasArguments {
    std::vector<std::string> figures;
    std::string file;
    StudyArguments study{"results/atlas"};
};

constexpr const char* kAtlas = "atlas.json";

/// A requested figure of a study.
struct Wanted {
    std::size_t study = 0;
    PaperFigure figure;
};

/// The requested figures; all if none are named.
std::vector<Wanted> wanted_figures(const std::vector<AtlasStudy>& studies,
                                   const std::vector<std::string>& names) {
    std::vector<Wanted> all;
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < studies.size(); ++i) {
        for (const PaperFigure& figure : studies[i].figures) {
            all.push_back({i, figure});
            known.push_back(figure.id);
        }
    }
    if (names.empty()) return all;
    std::vector<Wanted> wanted;
    for (const std::string& name : names) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const Wanted& w) { return w.figure.id == name; });
        if (found == all.end()) {
            throw ConfigError(fmt::format("the atlas has no figure {}{}, only {}", in_quotes(name),
                                          did_you_mean(name, known), braced_list(known)));
        }
        wanted.push_back(*found);
    }
    return wanted;
}

/// The runs of each point.
std::vector<Study> studies_of(const AtlasStudy& study, const ConfigCatalog& catalog) {
    std::vector<Study> studies;
    for (const AtlasPoint& point : points_of(study)) {
        studies.push_back(plan_point(study, study.name + "/" + point.name, point.sets, catalog));
    }
    return studies;
}

std::string chart_of(const PaperFigure& figure) {
    return figure.id + ".svg";
}

std::vector<AtlasStudy> read_studies(const AtlasArguments& arguments,
                                     const ConfigCatalog& catalog) {
    const auto figures =
        read_paper_figures((catalog.root() / "reference" / "paper_results.yaml").string());
    return read_atlas(
        arguments.file.empty() ? (catalog.root() / "atlas.yaml").string() : arguments.file,
        figures);
}

/// Number of runs of the figures that the arguments name, for the help; empty if there are no such
/// figures.
std::string help_on_runs(const AtlasArguments& arguments) {
    try {
        const ConfigCatalog catalog;
        const std::vector<AtlasStudy> studies = read_studies(arguments, catalog);
        std::set<std::size_t> selected;
        for (const Wanted& w : wanted_figures(studies, arguments.figures)) selected.insert(w.study);
        std::size_t runs = 0;
        for (const std::size_t i : selected) {
            runs += points_of(studies[i]).size() * count_runs(studies[i], catalog);
        }
        return fmt::format("Runs: {} of {} studies; --list prints them by study.\n", runs,
                           selected.size());
    } catch (const ConfigError&) {
        return "";
    }
}

int atlas(const AtlasArguments& arguments) {
    const ConfigCatalog catalog;
    const std::vector<AtlasStudy> planned = read_studies(arguments, catalog);
    const std::vector<Wanted> wanted = wanted_figures(planned, arguments.figures);
    std::map<std::size_t, std::vector<Study>> points;  // by study
    std::vector<PlannedRun> runs;
    for (const Wanted& w : wanted) {
        if (points.count(w.study) != 0) continue;
        points[w.study] = studies_of(planned[w.study], catalog);
        const std::vector<PlannedRun> more = runs_of(points[w.study]);
        runs.insert(runs.end(), more.begin(), more.end());
        if (arguments.study.list) {
            print_text("{}: {} points, {} runs{}\n", planned[w.study].name, points[w.study].size(),
                       more.size(), equal_runs_note(more));
        }
    }
    if (arguments.study.list) return static_cast<int>(ExitCode::kGood);

    const fs::path out = arguments.study.out;
    std::vector<std::string> tables = {kAtlas};
    for (const Wanted& w : wanted) tables.push_back(chart_of(w.figure));
    const SweepOutcome outcome = arguments.study.run(
        {"atlas", "What moves the papers' figures", tables}, runs, kAtlasAllowsUnused);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);

    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Wanted& w : wanted) {
        const Atlas made(w.figure, planned[w.study], summaries_of(points[w.study], out));
        const fs::path chart = out / chart_of(w.figure);
        write_file_atomically(chart, standalone(made.svg()));
        print_text("{}  chart: {}\n\n", made.text(), chart.string());
        all.push_back(made.json());
    }
    write_file_atomically(out / kAtlas, all.dump(2) + "\n");
    if (!outcome.failed.empty()) print_failures(outcome, runs);
    return exit_code_of(outcome);
}

}  // namespace

void add_atlas_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "atlas", "Which settings move a paper's figure, one at a time and together");
    auto arguments = std::make_shared<AtlasArguments>();
    command
        ->add_option("FIGURE", arguments->figures,
                     "figures by id (D.fig9.lhb1024.speedup); default: all of the atlas")
        ->type_name("");
    command
        ->add_option("--file", arguments->file,
                     "figures and settings; default: atlas.yaml of the shipped configurations")
        ->type_name("FILE");
    arguments->study.add_to(*command);
    command->footer([arguments] { return help_on_runs(*arguments); });
    command->callback([arguments, &code] { code = atlas(*arguments); });
}

}  // namespace tessera

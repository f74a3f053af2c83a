// tessera reproduce: every figure of the papers beside the model's.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/reproduction/reproduction.h"
#include "sc_models/reproduction/reproduction_page.h"
#include "sc_models/results/study_set.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSweepName = "reproduction";  // of its folder

struct ReproduceArguments {
    std::vector<std::string> names;
    StudyArguments study{"results/reproduction"};
    std::uint64_t seeds = 0;  // 0: the plan's seeds
    bool quick = false, no_run = false, stored = false;
};

/// The selected part of a study.
Study plan_part(const ReproductionStudy& planned, const ReproductionPlan& plan,
                const ConfigCatalog& catalog, const ReproduceArguments& arguments) {
    ReproductionPart part = arguments.quick ? *planned.quick : planned.full;
    auto& seeds = part.part.seeds;
    if (arguments.seeds != 0 && seeds.size() > 1) {
        seeds.clear();
        for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) seeds.push_back(seed);
    }
    const Experiment experiment =
        read_experiment(catalog.experiment_file(planned.experiment), catalog);
    Study study;
    study.name = planned.experiment;
    study.experiment = narrowed(experiment, part.part);
    if (seeds.size() > 1) {
        study.sets = {fmt::format("gpu.cta_launch_jitter_cycles={}", plan.launch_jitter_cycles)};
    }
    for (Experiment& layer : part.layers_of(experiment)) {
        const Study one = plan_study(study.name, std::move(layer), study.sets, catalog);
        study.runs.insert(study.runs.end(), one.runs.begin(), one.runs.end());
    }
    return study;
}

/// Plans the studies with any of the figures. Parts of one experiment are one study.
std::vector<Study> plan_studies(const ReproductionPlan& plan,
                                const std::vector<PaperFigure>& figures,
                                const ConfigCatalog& catalog, const ReproduceArguments& arguments) {
    std::set<std::string> wanted;
    for (const PaperFigure& figure : figures) {
        for (std::string& experiment : experiments_for(figure))
            wanted.insert(std::move(experiment));
    }
    std::vector<Study> studies;
    for (const ReproductionStudy& planned : plan.studies) {
        if (wanted.count(planned.experiment) == 0 || (arguments.quick && !planned.quick)) continue;
        Study study = plan_part(planned, plan, catalog, arguments);
        const auto same = std::find_if(studies.begin(), studies.end(),
                                       [&](const Study& s) { return s.name == study.name; });
        if (same == studies.end()) {
            studies.push_back(std::move(study));
        } else {
            same->runs.insert(same->runs.end(), study.runs.begin(), study.runs.end());
        }
    }
    return studies;
}

/// Links point to docs/ if the results lie in the checkout itself.
ReproductionPageParts page_parts(const ConfigCatalog& catalog, const fs::path& out) {
    const fs::path root = fs::weakly_canonical(catalog.root()).parent_path();
    const fs::path inside = fs::weakly_canonical(out).lexically_relative(root);
    ReproductionPageParts parts;
    parts.figure21 =
        read_figure21_points((catalog.root() / "reference" / "dstc_fig21_points.csv").string());
    if (inside.empty() || *inside.begin() == ".." || !fs::exists(root / "docs")) return parts;
    for (const fs::path& folder : inside) {
        if (folder != ".") parts.docs_prefix += "../";
    }
    return parts;
}

/// Without running, results of another configuration are left out with a message, and the requested
/// seeds must exist.
void check_what_is_there(const ReproduceArguments& arguments, const std::vector<Study>& studies,
                         const std::vector<Summary>& summaries) {
    std::size_t others = 0;
    for (std::size_t i = 0; i < studies.size(); ++i) {
        others += summaries[i].of_others();
        const std::size_t wanted = studies[i].experiment.seeds.size();
        const std::size_t there = summaries[i].whole_seeds().size();
        if (arguments.seeds == 0 || wanted < 2 || there >= wanted) continue;
        throw ConfigError(fmt::format("--seeds: {} has {} whole seeds in {}, expected {}",
                                      studies[i].name, there, arguments.study.out, wanted));
    }
    if (others == 0) return;
    print_error("results in {} of another configuration, which are left out: {}\n",
                arguments.study.out, others);
}

/// Files that the command writes.
constexpr const char* kText = "table.txt";
constexpr const char* kMarkdown = "table.md";
constexpr const char* kReproductionJson = "reproduction.json";
constexpr const char* kPage = "report.html";

std::vector<std::string> tables_of(const std::vector<Study>& studies) {
    std::vector<std::string> tables = {kText, kMarkdown, kReproductionJson, kPage};
    for (const Study& study : studies) {
        for (const char* name : kSummaryFiles) tables.push_back(study.name + "/" + name);
    }
    return tables;
}

int reproduce(const ReproduceArguments& arguments) {
    const ConfigCatalog catalog;
    const auto figures =
        read_paper_figures((catalog.root() / "reference" / "paper_results.yaml").string());
    const ReproductionPlan plan =
        read_reproduction_plan((catalog.root() / "reproduction.yaml").string(), figures);
    const auto wanted = selected_figures(figures, arguments.names);
    const std::vector<Study> studies = plan_studies(plan, wanted, catalog, arguments);

    const std::vector<PlannedRun> runs = runs_of(studies);
    if (arguments.study.list) {
        for (const Study& study : studies) {
            print_text("{}: {} runs\n", study.name, study.runs.size());
        }
        print_text("{} runs{} for {} numbers\n", runs.size(), equal_runs_note(runs), wanted.size());
        return static_cast<int>(ExitCode::kGood);
    }

    const fs::path out = arguments.study.out;
    std::optional<SweepFolder> folder;  // of what runs nothing
    if (arguments.no_run) folder.emplace(arguments.study.take_folder(kSweepName));
    const SweepOutcome outcome =
        arguments.no_run ? SweepOutcome()
                         : arguments.study.run(
                               {kSweepName, "The figures of the papers", tables_of(studies)}, runs);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);

    const std::vector<Summary> summaries = summaries_of(studies, out);
    if (arguments.no_run) check_what_is_there(arguments, studies, summaries);
    write_summaries(studies, summaries, out);
    const Reproduction reproduction(plan, wanted, summaries, catalog, arguments.stored);
    const std::string text = reproduction.text();
    write_file_atomically(out / kText, text);
    write_file_atomically(out / kMarkdown, reproduction.markdown());
    write_file_atomically(out / kReproductionJson, reproduction.json().dump(2) + "\n");
    write_file_atomically(out / kPage,
                          reproduction_html(reproduction, summaries, page_parts(catalog, out)));
    print_text("{}\ntable: {}\npage: {}\n", text, (out / kMarkdown).string(),
               (out / kPage).string());
    if (!outcome.failed.empty()) print_failures(outcome, runs);
    return exit_code_of(outcome);
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "reproduce",
        "Every figure of the papers beside ours, with a verdict; runs what is missing");
    auto arguments = std::make_shared<ReproduceArguments>();
    command
        ->add_option("WHAT", arguments->names,
                     "papers (duplo, dual_side, opportunistic) or figures by id or the beginning "
                     "of it (D.fig9); default: all")
        ->type_name("");
    command->add_flag("--quick", arguments->quick,
                      "a part of the layers and experiments: some ten minutes on two cores");
    arguments->study.add_to(*command);
    command
        ->add_option("--seeds", arguments->seeds,
                     "launches drawn for what moves by chance; default: as the plan says")
        ->check(CLI::Range(2, 1000))
        ->type_name("N");
    command->add_flag("--no-run", arguments->no_run,
                      "run nothing; tables of what is there, figures without it \"not measured\"");
    command->add_flag("--stored", arguments->stored,
                      "take rows that were not run here, or less fully, from the results that the "
                      "documentation shows");
    command->callback([arguments, &code] { code = reproduce(*arguments); });
}

}  // namespace tessera

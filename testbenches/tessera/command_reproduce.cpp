// tessera reproduce: every figure of the papers beside ours.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/report/reproduction.h"
#include "sc_models/report/reproduction_page.h"
#include "sc_models/run/config_catalog.h"
#include "sc_models/study/study_set.h"
#include "testbenches/tessera/commands.h"
#include "testbenches/tessera/study_arguments.h"
#include "testbenches/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
    std::vector<std::string> names;
    StudyArguments study{"results/reproduction"};
    std::uint64_t seeds = 0;  // 0: as the plan says
    bool quick = false, no_run = false;
};

/// The part of a study that is wanted.
Study plan_part(const ReproductionStudy& planned, const ReproductionPlan& plan,
                const ConfigCatalog& catalog, const ReproduceArguments& arguments) {
    ExperimentPart part = arguments.quick ? *planned.quick : planned.full;
    if (arguments.seeds != 0 && part.seeds.size() > 1) {
        part.seeds.clear();
        for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) part.seeds.push_back(seed);
    }
    std::vector<std::string> sets;
    if (part.seeds.size() > 1) {
        sets = {fmt::format("gpu.cta_launch_jitter_cycles={}", plan.launch_jitter_cycles)};
    }
    return plan_study(
        planned.experiment,
        narrowed(read_experiment(catalog.experiment_file(planned.experiment), catalog), part),
        std::move(sets), catalog);
}

/// Those that answer any of the figures. Parts of one experiment are one study.
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

/// Links go to docs/ where the results lie in the checkout itself.
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
            fmt::print("{}: {} runs\n", study.name, study.runs.size());
        }
        fmt::print("{} runs for {} numbers\n", runs.size(), wanted.size());
        return static_cast<int>(ExitCode::kGood);
    }

    const fs::path out = arguments.study.out;
    if (arguments.no_run) claim_folder(out, arguments.study.keep);
    const SweepOutcome outcome =
        arguments.no_run ? SweepOutcome()
                         : arguments.study.run("reproduction", "The figures of the papers", runs);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);

    const std::vector<Summary> summaries = summaries_of(studies, out);
    write_summaries(studies, summaries, out);
    const Reproduction reproduction(plan, wanted, summaries, catalog);
    const std::string text = reproduction.text();
    write_file_atomically(out / "table.txt", text);
    write_file_atomically(out / "table.md", reproduction.markdown());
    write_file_atomically(out / "reproduction.json", reproduction.json().dump(2) + "\n");
    write_file_atomically(out / "report.html",
                          reproduction_html(reproduction, summaries, page_parts(catalog, out)));
    fmt::print("{}\ntable: {}\npage: {}\n", text, (out / "table.md").string(),
               (out / "report.html").string());
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
    command->callback([arguments, &code] { code = reproduce(*arguments); });
}

}  // namespace tessera

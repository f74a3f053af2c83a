// tessera reproduce: every figure of the papers beside the model's.
#include <fmt/format.h>
#include <filesystem>
#include <memory>
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/reproduction/readings_comparison.h"
#include "sc_models/reproduction/reproduction.h"
#include "sc_models/reproduction/reproduction_page.h"
#include "sc_models/reproduction/reproduction_studies.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/reproduce_search.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSweepName = "reproduction";  // of its folder

struct ReproduceArguments {
    std::vector<std::string> names;
    StudyArguments study{"results/reproduction"};
    ReproductionExtent extent;
    std::vector<std::string> readings;
    bool no_run = false, stored = false, search = false;
    std::size_t budget = 60;  // machines that --search tries
    std::string atlas;        // file of its settings
};

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
void check_what_is_there(const ReproduceArguments& arguments, const std::vector<Study>& studies) {
    const std::vector<Summary> summaries = summaries_of(studies, arguments.study.out);
    std::size_t others = 0;
    for (std::size_t i = 0; i < studies.size(); ++i) {
        others += summaries[i].of_others();
        const std::size_t wanted = studies[i].experiment.seeds.size();
        const std::size_t there = summaries[i].whole_seeds().size();
        if (arguments.extent.seeds == 0 || wanted < 2 || there >= wanted) continue;
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
constexpr const char* kReadingsText = "readings/table.txt";
constexpr const char* kReadingsJson = "readings/readings.json";

std::vector<std::string> tables_of(const std::vector<Study>& studies) {
    std::vector<std::string> tables = {kText, kMarkdown,     kReproductionJson,
                                       kPage, kReadingsText, kReadingsJson};
    for (const Study& study : studies) {
        for (const char* name : kSummaryFiles) tables.push_back(study.name + "/" + name);
    }
    return tables;
}

/// A reading with its studies.
struct PlannedReading {
    Reading reading;
    std::vector<Study> studies;
};

/// Studies of the figures, on the shipped machine and under readings.
struct PlannedReproduction {
    std::vector<Study> shipped;
    std::vector<PlannedReading> readings;

    /// All studies that are run. With stored rows and readings the shipped machine's are not.
    [[nodiscard]] std::vector<Study> to_run(const ReproduceArguments& arguments) const {
        std::vector<Study> studies;
        if (readings.empty() || !arguments.stored) studies = shipped;
        for (const PlannedReading& planned : readings) {
            studies.insert(studies.end(), planned.studies.begin(), planned.studies.end());
        }
        return studies;
    }
};

PlannedReproduction plan_all(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                             const ConfigCatalog& catalog, const ReproduceArguments& arguments) {
    PlannedReproduction planned;
    planned.shipped = plan_studies(plan, figures, catalog, arguments.extent);
    for (Reading& reading : read_readings(arguments.readings, catalog)) {
        std::vector<Study> studies =
            plan_studies(plan, figures, catalog, arguments.extent, reading);
        if (studies.empty()) {
            throw ConfigError(fmt::format("--reading: {} is of {}, and no figure of it is selected",
                                          reading.name, paper_name(reading.letter)));
        }
        planned.readings.push_back({std::move(reading), std::move(studies)});
    }
    return planned;
}

/// The readings beside the shipped machine, a comparison for each paper.
std::vector<ReadingsComparison> compare_readings(const PlannedReproduction& planned,
                                                 const std::vector<PaperFigure>& figures,
                                                 const Reproduction& reproduction,
                                                 const fs::path& out) {
    std::vector<ReadingsComparison> comparisons;
    for (const PaperName& paper : kPaperNames) {
        std::vector<ReadingResult> results;
        for (const auto& [reading, studies] : planned.readings) {
            if (reading.letter != paper.letter) continue;
            const std::vector<Summary> summaries = summaries_of(studies, out);
            write_summaries(studies, summaries, out);
            results.push_back(result_of(reading, figures, summaries));
        }
        if (!results.empty()) comparisons.emplace_back(reproduction, std::move(results));
    }
    return comparisons;
}

/// Writes the tables of the readings and returns them as text.
std::string write_readings(const std::vector<ReadingsComparison>& comparisons,
                           const fs::path& out) {
    if (comparisons.empty()) return "";
    std::string text;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ReadingsComparison& comparison : comparisons) {
        text += comparison.text() + "\n";
        for (nlohmann::ordered_json& reading : comparison.json()) json.push_back(reading);
    }
    text += best_readings(comparisons) + "\n";
    write_file_atomically(out / kReadingsText, text);
    write_file_atomically(out / kReadingsJson, json.dump(2) + "\n");
    return "\n" + text;
}

/// The plan in the catalog, and the figures that the arguments name.
struct ReadPlan {
    ReproductionPlan plan;
    std::vector<PaperFigure> wanted;
};

ReadPlan read_plan(const ConfigCatalog& catalog, const ReproduceArguments& arguments) {
    const auto figures =
        read_paper_figures((catalog.root() / "reference" / "paper_results.yaml").string());
    return {read_reproduction_plan((catalog.root() / "reproduction.yaml").string(), figures),
            selected_figures(figures, arguments.names)};
}

int reproduce(const ReproduceArguments& arguments) {
    const ConfigCatalog catalog;
    const auto [plan, wanted] = read_plan(catalog, arguments);
    const PlannedReproduction planned = plan_all(plan, wanted, catalog, arguments);
    const std::vector<Study>& studies = planned.shipped;
    const std::vector<Study> all = planned.to_run(arguments);

    const std::vector<PlannedRun> runs = runs_of(all);
    if (arguments.study.list) {
        for (const Study& study : all) print_text("{}: {} runs\n", study.name, study.runs.size());
        print_text("{} runs{} for {} numbers\n", runs.size(), equal_runs_note(runs), wanted.size());
        return static_cast<int>(ExitCode::kGood);
    }

    const fs::path out = arguments.study.out;
    std::optional<SweepFolder> folder;  // of what runs nothing
    if (arguments.no_run) folder.emplace(arguments.study.take_folder(kSweepName));
    const bool allow_unused = !planned.readings.empty();
    const SweepOutcome outcome =
        arguments.no_run
            ? SweepOutcome()
            : arguments.study.run({kSweepName, "The figures of the papers", tables_of(studies)},
                                  runs, allow_unused);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);

    if (arguments.no_run) check_what_is_there(arguments, all);
    const std::vector<Summary> summaries = summaries_of(studies, out);
    write_summaries(studies, summaries, out);
    const Reproduction reproduction(plan, wanted, summaries, catalog, arguments.stored);
    const auto readings = compare_readings(planned, wanted, reproduction, out);
    const std::string text = reproduction.text() + write_readings(readings, out);
    write_file_atomically(out / kText, text);
    write_file_atomically(out / kMarkdown, reproduction.markdown());
    write_file_atomically(out / kReproductionJson, reproduction.json().dump(2) + "\n");
    write_file_atomically(out / kPage, reproduction_html(reproduction, readings, summaries,
                                                         page_parts(catalog, out)));
    print_text("{}\ntable: {}\npage: {}\n", text, (out / kMarkdown).string(),
               (out / kPage).string());
    if (!outcome.failed.empty()) print_failures(outcome, runs);
    return exit_code_of(outcome);
}

/// Number of runs of the figures that the arguments name, for the help; empty if there are no such
/// figures.
std::string help_on_runs(const ReproduceArguments& arguments) {
    try {
        const ConfigCatalog catalog;
        const ReadPlan read = read_plan(catalog, arguments);
        const auto count = [&](bool quick) {
            return count_runs(read.plan, read.wanted, catalog, {quick, arguments.extent.seeds});
        };
        return fmt::format(
            "Runs: {} for {} numbers, with --quick {}; --list prints them by experiment.\n",
            count(false), read.wanted.size(), count(true));
    } catch (const ConfigError&) {
        return "";
    }
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
    command->add_flag("--quick", arguments->extent.quick,
                      "a part of the layers and experiments: some ten minutes on two cores");
    arguments->study.add_to(*command);
    command
        ->add_option("--seeds", arguments->extent.seeds,
                     "launches drawn for what moves by chance; default: as the plan says")
        ->check(CLI::Range(2, 1000))
        ->type_name("N");
    command
        ->add_option("--reading", arguments->readings,
                     "run a paper's experiments under a reading of configs/readings, too, or under "
                     "all, and show them beside the shipped machine; may be repeated")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("NAME");
    command->add_flag("--no-run", arguments->no_run,
                      "run nothing; tables of what is there, figures without it \"not measured\"");
    command->add_flag("--stored", arguments->stored,
                      "take rows that were not run here, or less fully, from the results that the "
                      "documentation shows; with --reading, run the readings alone");
    auto* search = command->add_flag(
        "--search", arguments->search,
        "look for the fewest settings of the atlas with a source under which the most figures of "
        "the papers WHAT come out, and write them as a reading");
    for (const char* other : {"--quick", "--seeds", "--reading", "--no-run", "--stored"}) {
        search->excludes(command->get_option(other));
    }
    command
        ->add_option("--budget", arguments->budget, "machines that --search tries for each paper")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000))
        ->needs(search)
        ->type_name("N");
    command
        ->add_option("--atlas", arguments->atlas,
                     "figures and settings of --search; default: atlas.yaml of the shipped "
                     "configurations")
        ->needs(search)
        ->type_name("FILE");
    command->footer([arguments] { return help_on_runs(*arguments); });
    command->callback([arguments, &code] {
        code = arguments->search ? search_readings(arguments->names, arguments->study,
                                                   arguments->atlas, arguments->budget)
                                 : reproduce(*arguments);
    });
}

}  // namespace tessera

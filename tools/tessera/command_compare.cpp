// tessera compare: two runs side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/report/comparison_page.h"
#include "sc_models/report/comparison_sentences.h"
#include "sc_models/results/result_comparison.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/sweep/attribution.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/output_page.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {
namespace {

struct CompareArguments {
    std::string a, b;
    std::string page;  ///< HTML to write; empty: none
    bool all = false, expect_equal = false, json = false;
    bool attribute = false;
    std::size_t attribute_limit = 16;  ///< settings
    StudyArguments study{"results/attribution"};
};

/// Statistics shown without --all.
constexpr std::size_t kShown = 20;

/// Two results and their comparison.
struct Compared {
    nlohmann::ordered_json a, b;
    ResultComparison comparison;
};

Compared compare_files(const CompareArguments& arguments) {
    Compared compared{read_result(arguments.a), read_result(arguments.b), {}};
    compared.comparison = compare_results(compared.a, compared.b);
    return compared;
}

void write_page(const CompareArguments& arguments, const Compared& compared,
                const Attribution* attribution) {
    const auto folder = std::filesystem::path(arguments.page).parent_path();
    if (!folder.empty()) make_output_folder(folder, "--html");
    write_file_atomically(arguments.page,
                          comparison_page({arguments.a, compared.a}, {arguments.b, compared.b},
                                          compared.comparison, attribution));
}

/// Runs the configurations between A and B. Returns whether all possible runs ended well.
SweepOutcome attribute(Attribution& attribution, const StudyArguments& study) {
    const std::vector<PlannedRun> runs = attribution.to_run();
    SweepOutcome outcome;
    if (!runs.empty()) {
        const std::string name = "attribution";
        SweepFolder folder = study.take_folder(name);
        attribution.write_ends(study.out);
        constexpr bool kUnusedKeys = true;
        outcome = study.run(std::move(folder), {name, "Machines between two runs", {}}, runs,
                            kUnusedKeys);
    }
    if (!outcome.interrupted) attribution.read(study.out, outcome);
    return outcome;
}

/// Notes on runs that failed checks.
std::vector<std::string> failures(const Compared& compared) {
    std::vector<std::string> notes;
    for (std::string note :
         {failed_checks_note("A", compared.a), failed_checks_note("B", compared.b)}) {
        if (!note.empty()) notes.push_back(std::move(note));
    }
    return notes;
}

void print_comparison_json(const CompareArguments& arguments, const Compared& compared,
                           const Attribution* attribution) {
    nlohmann::ordered_json json = {{"a", arguments.a}, {"b", arguments.b}};
    json["failed"] = failures(compared);
    json.update(comparison_json(compared.comparison));
    json["sentences"] =
        comparison_sentences(compared.a, compared.b, core_clock_ratio(compared.comparison.config));
    if (attribution != nullptr) json["attribution"] = attribution->json();
    print_text("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_comparison(const CompareArguments& arguments, const Compared& compared,
                      const Attribution* attribution) {
    for (const std::string& note : failures(compared)) print_text("{}\n", note);
    print_text("A: {}\nB: {}\n\n{}", arguments.a, arguments.b,
               comparison_text(compared.comparison,
                               arguments.all ? std::numeric_limits<std::size_t>::max() : kShown));
    if (attribution != nullptr) print_text("\n{}", attribution->text());
}

int compare(const CompareArguments& arguments) {
    if (!arguments.page.empty()) expect_page_or_nothing(arguments.page, "--html");
    const Compared compared = compare_files(arguments);
    std::optional<Attribution> attribution;
    SweepOutcome outcome;
    if (arguments.attribute) {
        attribution.emplace(compared.a, compared.b, arguments.study.out, arguments.attribute_limit);
        if (arguments.study.list) {
            for (const PlannedRun& run : attribution->to_run()) print_text("{}\n", run.variant);
            for (const std::string& line : attribution->refusals()) print_text("{}\n", line);
            return static_cast<int>(ExitCode::kGood);
        }
        outcome = attribute(*attribution, arguments.study);
        if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);
    }
    const ResultComparison& comparison = compared.comparison;
    const Attribution* const settings = attribution ? &*attribution : nullptr;
    if (!arguments.page.empty()) write_page(arguments, compared, settings);
    if (arguments.json) {
        print_comparison_json(arguments, compared, settings);
    } else {
        print_comparison(arguments, compared, settings);
        if (!arguments.page.empty()) print_text("\npage: {}\n", arguments.page);
    }
    if (!arguments.expect_equal || comparison.equal) return exit_code_of(outcome);
    print_error("tessera: the results differ in: {}\n", fmt::join(comparison.unequal, ", "));
    return static_cast<int>(ExitCode::kCheckFailed);
}

}  // namespace

void add_compare_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "compare", "Two runs: what they set differently, what came out differently");
    auto arguments = std::make_shared<CompareArguments>();
    command->add_option("A", arguments->a, "folder or result.json of a run")
        ->required()
        ->type_name("");
    command->add_option("B", arguments->b, "the other")->required()->type_name("");
    auto* all = command->add_flag("--all", arguments->all, "print every statistic that differs");
    command
        ->add_flag("--json", arguments->json,
                   "print all of it as JSON: settings, metrics, statistics, sentences")
        ->excludes(all);
    command
        ->add_option("--html", arguments->page,
                     "HTML page to write: cycles and speedup, settings that differ, what changed "
                     "most, every number that differs")
        ->type_name("FILE");
    command->add_flag("--expect-equal", arguments->expect_equal,
                      "exit 1 if anything but the tool's version differs");
    auto* attribute = command->add_flag(
        "--attribute", arguments->attribute,
        "run the machines between the two, one setting changed in each, and say which setting "
        "did it");
    command
        ->add_option("--attribute-limit", arguments->attribute_limit,
                     "settings that may differ; each takes two runs")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->needs(attribute)
        ->type_name("N");
    arguments->study.add_to(*command);
    for (const char* option : {"--jobs", "--out", "--list", "--keep", "--progress"}) {
        command->get_option(option)->needs(attribute);
    }
    command->callback([arguments, &code] { code = compare(*arguments); });
}

}  // namespace tessera

// tessera compare: two runs side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <limits>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/report/comparison_page.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/result_comparison.h"
#include "testbenches/tessera/commands.h"

namespace tessera {
namespace {

struct CompareArguments {
    std::string a, b;
    std::string page;  ///< HTML to write; empty: none
    bool all = false, expect_equal = false;
};

/// Statistics shown without --all.
constexpr std::size_t kShown = 20;

ResultComparison compare_files(const CompareArguments& arguments) {
    try {
        const nlohmann::ordered_json a = read_result(arguments.a);
        const nlohmann::ordered_json b = read_result(arguments.b);
        ResultComparison comparison = compare_results(a, b);
        if (!arguments.page.empty()) {
            const auto folder = std::filesystem::path(arguments.page).parent_path();
            if (!folder.empty()) make_output_folder(folder, "--html");
            write_file_atomically(arguments.page,
                                  comparison_page({arguments.a, a}, {arguments.b, b}, comparison));
        }
        return comparison;
    } catch (const nlohmann::json::exception&) {
        throw ConfigError(
            fmt::format("{} or {}: not the result of a run", arguments.a, arguments.b));
    }
}

int compare(const CompareArguments& arguments) {
    const ResultComparison comparison = compare_files(arguments);
    fmt::print("A: {}\nB: {}\n\n{}", arguments.a, arguments.b,
               comparison_text(comparison,
                               arguments.all ? std::numeric_limits<std::size_t>::max() : kShown));
    if (!arguments.page.empty()) fmt::print("\npage: {}\n", arguments.page);
    if (!arguments.expect_equal || comparison.equal) return static_cast<int>(ExitCode::kGood);
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
    command->add_flag("--all", arguments->all, "print every statistic that differs");
    command
        ->add_option("--html", arguments->page,
                     "HTML page to write: cycles and speedup, settings that differ, what changed "
                     "most, every number that differs")
        ->type_name("FILE");
    command->add_flag("--expect-equal", arguments->expect_equal,
                      "exit 1 if anything but the tool's version differs");
    command->callback([arguments, &code] { code = compare(*arguments); });
}

}  // namespace tessera

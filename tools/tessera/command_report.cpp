// tessera report: the papers' figures beside the model's.
#include <fmt/format.h>
#include <filesystem>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/report/network_page.h"
#include "sc_models/report/run_section.h"
#include "sc_models/reproduction/html_report.h"
#include "sc_models/reproduction/stored_charts.h"
#include "sc_models/results/summary_text.h"
#include "sc_models/run/run_files.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/output_page.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
    std::vector<std::string> results;
    std::string output, figure;
};

/// Draws the chart of a stored file again.
int draw_chart(const ReportArguments& arguments) {
    if (arguments.results.size() != 1) {
        throw ConfigError(fmt::format("-o: got {}, expected one correlation.json or atlas.json",
                                      in_quotes(arguments.output)));
    }
    const std::string svg = stored_chart(arguments.results.front(), arguments.figure);
    expect_beginning_or_nothing(arguments.output, "-o", "<svg", "SVG file");
    const fs::path folder = fs::path(arguments.output).parent_path();
    if (!folder.empty()) make_output_folder(folder, "-o");
    write_file_atomically(arguments.output, svg);
    return static_cast<int>(ExitCode::kGood);
}

int report(const ReportArguments& arguments) {
    if (fs::path(arguments.output).extension() == ".svg") return draw_chart(arguments);
    if (!arguments.figure.empty()) {
        throw ConfigError(
            fmt::format("--figure: got {}, expected -o FILE.svg", in_quotes(arguments.figure)));
    }
    if (!arguments.output.empty()) expect_page_or_nothing(arguments.output, "-o");
    std::vector<Summary> summaries;
    std::vector<ReportedRun> runs;
    std::vector<nlohmann::ordered_json> networks;
    for (const std::string& path : arguments.results) {
        if (!fs::exists(path)) throw ConfigError(fmt::format("{}: no such results", path));
        if (fs::exists(fs::path(path) / "network.json")) {
            networks.push_back(read_network(path));
            continue;
        }
        const bool is_sweep = fs::exists(fs::path(path) / "sweep.json") ||
                              fs::exists(fs::path(path) / "summary.json");
        if (is_sweep) {
            summaries.push_back(Summary::read(path));
        } else {
            runs.push_back({path, read_result(path), read_over_time(path)});
        }
    }
    const fs::path reference = ConfigCatalog().root() / "reference" / "paper_results.yaml";
    const PaperComparison papers =
        compare_with_papers(read_paper_figures(reference.string()), summaries);

    if (!summaries.empty()) print_text("{}", paper_table(papers));
    for (const Summary& summary : summaries) {
        const std::string missing = missing_note(summary);
        print_text("\n{}: {}\n{}{}{}", summary.name(), summary.title(), missing,
                   missing.empty() ? "" : "\n", variant_tables(summary));
    }
    for (const auto& network : networks) print_text("{}", network_text(network));
    for (const ReportedRun& run : runs) {
        print_text("\n{} ({})\n", run.name, run.result.at("workload").get<std::string>());
        const std::string failed = failed_checks_note("This run", run.result);
        if (!failed.empty()) print_text("  {}\n", failed);
        for (const auto& m : run.result.value("mechanisms", nlohmann::ordered_json::array())) {
            print_text("  {}: {}{}\n", m.at("name").get<std::string>(),
                       m.at("acted").get<bool>() ? "" : "switched on without effect, ",
                       m.at("figure").get<std::string>());
        }
        for (const auto& kernel : run.result.at("kernels")) {
            print_text("  {} bound by {}\n", kernel.at("name").get<std::string>(),
                       kernel.value("bound_by", "(not known)"));
        }
        for (const auto& [key, value] : run.result.at("metrics").items()) {
            print_text("  {:<38} {:>14}\n", key, metric_text(value));
        }
    }
    if (!arguments.output.empty()) {
        const fs::path folder = fs::path(arguments.output).parent_path();
        if (!folder.empty()) make_output_folder(folder, "-o");
        write_file_atomically(arguments.output, html_report(papers, summaries, runs, networks));
        print_text("\nreport: {}\n", arguments.output);
    }
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_report_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "report", "The papers' figures beside ours, as text and as one HTML page");
    auto arguments = std::make_shared<ReportArguments>();
    command
        ->add_option(
            "RESULTS", arguments->results,
            "folders of sweeps, networks or runs; for -o FILE.svg a stored correlation.json or "
            "atlas.json")
        ->required()
        ->type_name("");
    command
        ->add_option("-o,--output", arguments->output,
                     "HTML page to write, or the chart of a stored file (.svg)")
        ->type_name("FILE");
    command
        ->add_option("--figure", arguments->figure,
                     "with an atlas.json: the figure to draw; default: its first")
        ->type_name("ID");
    command->callback([arguments, &code] { code = report(*arguments); });
}

}  // namespace tessera

// tessera correlate: a table of measured times beside the model's.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/report/correlation.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"
#include "tools/tessera/table_arguments.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct CorrelateArguments {
    TableArguments table;
    ConfigArguments config;
    double within_percent = 0;
    std::size_t every = 1;
    StudyArguments study{"results/correlation"};
};

constexpr const char* kVariant = "model";

/// The first of each `every` rows.
std::vector<MeasuredRow> sample_of(std::vector<MeasuredRow> rows, std::size_t every) {
    std::vector<MeasuredRow> sample;
    for (std::size_t i = 0; i < rows.size(); i += every) sample.push_back(std::move(rows[i]));
    return sample;
}

std::vector<CorrelatedRow> correlated(const TablePlan& plan, const fs::path& out) {
    std::vector<std::optional<double>> microseconds;
    const std::vector<Summary> summaries = summaries_of(plan.studies, out);
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        const std::optional<double> cycles = cycles_of(summaries[i], kVariant);
        microseconds.emplace_back();
        if (cycles) microseconds[i] = *cycles / plan.configs[i].gpu.core_clock_mhz;
    }
    std::vector<CorrelatedRow> rows;
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        rows.push_back({plan.rows[i], microseconds[plan.study_of_row[i]]});
    }
    return rows;
}

/// Files that the command writes.
constexpr const char* kCorrelationJson = "correlation.json";
constexpr const char* kChart = "correlation.svg";
constexpr const char* kPage = "correlation.html";

int correlate(const CorrelateArguments& arguments) {
    const std::string& table = arguments.table.table;
    const TablePlan plan = plan_of_table(
        "correlation", arguments.table, sample_of(arguments.table.read(), arguments.every),
        arguments.config, [](const Config&) -> std::vector<ExperimentVariant> {
            return {{kVariant, {}, {}, kVariant}};
        });
    const std::vector<PlannedRun> runs = runs_of(plan.studies);
    if (arguments.study.list) {
        for (const MeasuredRow& row : plan.rows) {
            print_text("{}:{}: {}, {:g} us\n", table, row.line, row.name, row.microseconds);
        }
        print_text("{} runs for {} rows\n", runs.size(), plan.rows.size());
        return static_cast<int>(ExitCode::kGood);
    }
    const fs::path out = arguments.study.out;
    const SweepOutcome outcome =
        arguments.study.run({"correlation", table, {kCorrelationJson, kChart, kPage}}, runs,
                            arguments.table.allow_unused);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);

    const std::vector<CorrelatedRow> rows = correlated(plan, out);
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [](const CorrelatedRow& row) { return bool{row.microseconds}; });
    bool is_within = true;
    if (any) {
        print_text("{}", correlation_text(rows));
        const std::string title = fmt::format("{} on {}", fs::path(table).filename().string(),
                                              fmt::join(arguments.config.configs, " "));
        nlohmann::ordered_json json = {{"table", arguments.table.name()},
                                       {"every", arguments.every},
                                       {"configurations", arguments.config.configs}};
        json.update(correlation_json(rows));
        write_file_atomically(out / kCorrelationJson, json.dump(2) + "\n");
        write_file_atomically(out / kChart, standalone(correlation_svg(rows)));
        write_file_atomically(out / kPage, correlation_page(title, rows));
        print_text("page: {}\n", (out / kPage).string());
        const double error = agreement_of(rows).mean_absolute_error_percent;
        is_within = arguments.within_percent == 0 || error <= arguments.within_percent;
        if (!is_within) {
            print_error("check failed: mean absolute error {:.1f} %, allowed are {:g}\n", error,
                        arguments.within_percent);
        }
    }
    if (!outcome.failed.empty()) {
        print_failures(outcome, runs);
        return exit_code_of(outcome);
    }
    return static_cast<int>(is_within ? ExitCode::kGood : ExitCode::kCheckFailed);
}

}  // namespace

void add_correlate_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "correlate", "Times somebody measured on a card beside the model's, row by row");
    auto arguments = std::make_shared<CorrelateArguments>();
    command
        ->add_option("TABLE", arguments->table.table,
                     "a CSV file: a line of names, then a row a kernel; columns are name, a time "
                     "whose name ends in its unit (milliseconds, forward_ms), m, n, k, "
                     "transpose_a and transpose_b of products, batch, height and the other sides "
                     "of layers, and keys of configurations (workload.gemm.m)")
        ->required()
        ->type_name("");
    arguments->config.add_to(*command);
    arguments->config.add_sample_to(*command);
    arguments->table.add_columns_to(*command);
    command
        ->add_option("--every", arguments->every,
                     "take the first of each N rows, as a sample of a large table")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    command
        ->add_option("--within", arguments->within_percent,
                     "exit with 1 if the mean absolute error is larger than so many percent")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 1000.0));
    arguments->study.add_to(*command);
    command->callback([arguments, &code] { code = correlate(*arguments); });
}

}  // namespace tessera

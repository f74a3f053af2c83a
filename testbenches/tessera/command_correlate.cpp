// tessera correlate: a table of measured times beside the model's.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/config/config_node.h"
#include "sc_models/report/correlation.h"
#include "sc_models/report/svg_drawing.h"
#include "sc_models/run/config_catalog.h"
#include "sc_models/run/config_text.h"
#include "sc_models/study/study_set.h"
#include "testbenches/tessera/commands.h"
#include "testbenches/tessera/study_arguments.h"
#include "testbenches/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct CorrelateArguments {
    std::string table;
    ConfigArguments config;
    std::vector<std::string> columns, ignored;
    std::string time;
    double within_percent = 0;
    StudyArguments study{"results/correlation"};
};

constexpr const char* kVariant = "model";

MeasuredColumns columns_of(const CorrelateArguments& arguments) {
    MeasuredColumns columns;
    columns.ignored = {arguments.ignored.begin(), arguments.ignored.end()};
    columns.time = arguments.time;
    for (const std::string& assignment : arguments.columns) {
        const std::size_t equals = assignment.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == assignment.size()) {
            throw ConfigError(
                fmt::format("--column: got {}, expected NAME=KEY (width=workload.layer.width)",
                            in_quotes(assignment)));
        }
        columns.keys[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    }
    return columns;
}

/// The rows of a table, and the run that answers each: one for all rows with the same settings.
struct Plan {
    std::vector<MeasuredRow> rows;
    std::vector<std::size_t> study_of_row;
    std::vector<Study> studies;
    std::vector<std::uint32_t> megahertz;  ///< of the core clock, by study
};

Plan plan_of(const CorrelateArguments& arguments) {
    const ConfigCatalog catalog;
    Plan plan;
    plan.rows = read_measured_table(arguments.table, columns_of(arguments));
    ConfigSource named;  // names that do not exist are no mistake of a row
    for (const std::string& config : arguments.config.configs) catalog.add_to(named, config);
    std::map<std::vector<std::string>, std::size_t> known;  // by settings
    for (const MeasuredRow& row : plan.rows) {
        const auto [found, is_new] = known.emplace(row.sets, plan.studies.size());
        plan.study_of_row.push_back(found->second);
        if (!is_new) continue;
        Experiment experiment;
        experiment.name = "correlation";
        experiment.title = arguments.table;
        experiment.base = arguments.config.configs;
        experiment.variants = {{kVariant, {}, {}, kVariant}};
        std::vector<std::string> sets = row.sets;
        sets.insert(sets.end(), arguments.config.sets.begin(), arguments.config.sets.end());
        try {
            plan.studies.push_back(
                plan_study(fmt::format("line{:05}", row.line), experiment, sets, catalog));
            ConfigArguments of_row = arguments.config;
            of_row.sets = std::move(sets);
            ConfigSource source;
            plan.megahertz.push_back(of_row.load(source).gpu.core_clock_mhz.peek());
        } catch (const ConfigError& error) {
            std::string what = error.what();
            const std::string variant = std::string(kVariant) + ": ";  // of the planner
            if (what.compare(0, variant.size(), variant) == 0) what.erase(0, variant.size());
            throw ConfigError(fmt::format("{}:{}: {}", arguments.table, row.line, what));
        }
    }
    return plan;
}

std::vector<CorrelatedRow> correlated(const Plan& plan, const fs::path& out) {
    std::vector<std::optional<double>> microseconds;
    const std::vector<Summary> summaries = summaries_of(plan.studies, out);
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        microseconds.emplace_back();
        if (summaries[i].layers().empty()) continue;
        const auto cycles = summaries[i].value(summaries[i].layers()[0], kVariant, "total_cycles");
        if (cycles) microseconds[i] = *cycles / plan.megahertz[i];
    }
    std::vector<CorrelatedRow> rows;
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        rows.push_back({plan.rows[i], microseconds[plan.study_of_row[i]]});
    }
    return rows;
}

int correlate(const CorrelateArguments& arguments) {
    const Plan plan = plan_of(arguments);
    const std::vector<PlannedRun> runs = runs_of(plan.studies);
    if (arguments.study.list) {
        for (const MeasuredRow& row : plan.rows) {
            fmt::print("{}:{}: {}, {:g} us\n", arguments.table, row.line, row.name,
                       row.microseconds);
        }
        fmt::print("{} runs for {} rows\n", runs.size(), plan.rows.size());
        return static_cast<int>(ExitCode::kGood);
    }
    const fs::path out = arguments.study.out;
    const SweepOutcome outcome = arguments.study.run("correlation", arguments.table, runs);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);

    const std::vector<CorrelatedRow> rows = correlated(plan, out);
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [](const CorrelatedRow& row) { return bool{row.microseconds}; });
    bool is_within = true;
    if (any) {
        fmt::print("{}", correlation_text(rows));
        const std::string title =
            fmt::format("{} on {}", fs::path(arguments.table).filename().string(),
                        fmt::join(arguments.config.configs, " "));
        write_file_atomically(out / "correlation.json", correlation_json(rows).dump(2) + "\n");
        write_file_atomically(out / "correlation.svg", standalone(correlation_svg(rows)));
        write_file_atomically(out / "correlation.html", correlation_page(title, rows));
        fmt::print("page: {}\n", (out / "correlation.html").string());
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
        ->add_option("TABLE", arguments->table,
                     "a CSV file: a line of names, then a row a kernel; columns are name, a time "
                     "whose name ends in its unit (milliseconds, forward_ms), m, n, k and keys of "
                     "configurations (workload.gemm.m)")
        ->required()
        ->type_name("");
    arguments->config.add_to(*command);
    command
        ->add_option("--column", arguments->columns,
                     "what a column of another name sets: width=workload.layer.width")
        ->type_name("NAME=KEY")
        ->allow_extra_args(false);
    command->add_option("--ignore", arguments->ignored, "a column that sets nothing")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command->add_option("--time", arguments->time, "the column of times, if there are several")
        ->type_name("NAME");
    command
        ->add_option("--within", arguments->within_percent,
                     "exit with 1 if the mean absolute error is larger than so many percent")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 1000.0));
    arguments->study.add_to(*command);
    command->callback([arguments, &code] { code = correlate(*arguments); });
}

}  // namespace tessera

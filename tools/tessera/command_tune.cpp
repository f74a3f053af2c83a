// tessera tune: every kernel that can compute a product, timed, beside the one that `auto` picks.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/text_table.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/library/library_convolution.h"
#include "sc_models/workload/library/library_product.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"
#include "tools/tessera/table_arguments.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct TuneArguments {
    TableArguments table;
    ConfigArguments config;
    double within_percent = 0;
    StudyArguments study{"results/tune"};
};

constexpr const char* kAuto = "auto";
constexpr std::uint32_t kMostParts = 64;
/// CTAs an SM beyond which dividing k more often cannot help.
constexpr std::uint32_t kMostCtas = 4;

std::string name_of(const DenseChoice& choice) {
    return choice.parts == 1 ? std::string(choice.kernel->name)
                             : fmt::format("{}.split{}", choice.kernel->name, choice.parts);
}

DenseProblem problem_of(const WorkloadConfig& workload) {
    return workload.kind == WorkloadKind::kGemm ? problem_of_product(workload)
                                                : problem_of_layer(workload);
}

/// All kernels that fit an SM, each with every power of two of parts that makes sense.
std::vector<DenseChoice> choices_of(const Config& config) {
    const WorkloadKind kind = config.workload.kind;
    if ((kind != WorkloadKind::kGemm && kind != WorkloadKind::kConvolution) ||
        (config.workload.kernel != ProductKernel::kAuto &&
         config.workload.kernel != ProductKernel::kMultistage &&
         config.workload.kernel != ProductKernel::kWgmma)) {
        throw ConfigError(
            "workload.kernel: expected auto, multistage or wgmma, as configurations library, "
            "multistage and wgmma have it (others have made "
            "their choice), and a product or a convolution: there is nothing to tune");
    }
    const DenseProblem problem = problem_of(config.workload);
    const TargetMachine machine = target_machine(config);
    std::vector<DenseChoice> choices;
    for (const DenseKernel& kernel : kernels_of(config.workload)) {
        if (resident_ctas(problem, kernel, machine) == 0) continue;
        const std::uint64_t steps = ceil_div(problem.k, std::uint64_t{kernel.step});
        const std::uint64_t tiles = problem.products *
                                    ceil_div(problem.m, std::uint64_t{kernel.cta_m}) *
                                    ceil_div(problem.n, std::uint64_t{kernel.cta_n});
        for (std::uint32_t parts = 1; parts <= std::min<std::uint64_t>(kMostParts, steps);
             parts *= 2) {
            const bool too_many =
                parts > 1 && tiles * parts > std::uint64_t{kMostCtas} * config.gpu.sms;
            if (too_many) break;
            if (ceil_div(steps, ceil_div<std::uint64_t>(steps, parts)) == parts) {
                choices.push_back({&kernel, parts});
            }
        }
    }
    return choices;
}

ConfigNode::Member assignment(const std::string& key, const std::string& value) {
    ConfigNode node;
    node.kind = ConfigNode::Kind::kScalar;
    node.scalar = value;
    node.location.source = std::make_shared<const std::string>("tessera tune");
    return {key, node.location, node};
}

std::vector<ExperimentVariant> variants_of(const Config& config) {
    std::vector<ExperimentVariant> variants = {{kAuto, {}, {}, kAuto}};
    for (const DenseChoice& choice : choices_of(config)) {
        ExperimentVariant variant;
        variant.name = name_of(choice);
        variant.set = {assignment(choice.kernel->kernel == ProductKernel::kWgmma ? "workload.wgmma"
                                  : choice.kernel->asynchronous ? "workload.multistage"
                                                                : "workload.kernel",
                                  std::string(choice.kernel->name)),
                       assignment("workload.split_k", std::to_string(choice.parts))};
        variant.baseline = kAuto;
        variants.push_back(std::move(variant));
    }
    return variants;
}

struct TunedKernel {
    std::string name;
    double cycles = 0, expected = 0;
};

/// Tuning result of a row.
struct TunedRow {
    std::string name;
    std::string chosen;                ///< auto's choice
    double cycles = 0;                 ///< of the chosen kernel
    std::vector<TunedKernel> kernels;  ///< kernels that ran, fastest first

    [[nodiscard]] double best() const {
        return kernels.empty() ? cycles : std::min(cycles, kernels.front().cycles);
    }
    [[nodiscard]] double loss_percent() const { return 100 * (cycles / best() - 1); }
};

std::vector<TunedRow> tuned(const TablePlan& plan, const fs::path& out) {
    std::vector<TunedRow> rows;
    const std::vector<Summary> summaries = summaries_of(plan.studies, out);
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        const Summary& summary = summaries[plan.study_of_row[i]];
        const Config& config = plan.configs[plan.study_of_row[i]];
        const auto of_auto = cycles_of(summary, kAuto);
        if (!of_auto) continue;
        const TargetMachine machine = target_machine(config);
        const DenseProblem problem = problem_of(config.workload);
        TunedRow row;
        row.name = plan.rows[i].name;
        row.chosen = name_of(choose_dense_kernel(problem, config.workload, machine));
        row.cycles = *of_auto;
        for (const DenseChoice& choice : choices_of(config)) {
            const std::string name = name_of(choice);
            if (const auto cycles = cycles_of(summary, name)) {
                row.kernels.push_back({name, *cycles, expected_cycles(problem, choice, machine)});
            }
        }
        std::stable_sort(
            row.kernels.begin(), row.kernels.end(),
            [](const TunedKernel& a, const TunedKernel& b) { return a.cycles < b.cycles; });
        rows.push_back(std::move(row));
    }
    return rows;
}

double mean_loss_percent(const std::vector<TunedRow>& rows) {
    return std::accumulate(
               rows.begin(), rows.end(), 0.0,
               [](double sum, const TunedRow& row) { return sum + row.loss_percent(); }) /
           static_cast<double>(rows.size());
}

void print_kernels(const TunedRow& row) {
    TextTable table({"kernel", "cycles", "over best [%]", "expected"});
    for (const TunedKernel& kernel : row.kernels) {
        table.add({kernel.name, fmt::format("{:.0f}", kernel.cycles),
                   fmt::format("{:+.1f}", 100 * (kernel.cycles / row.best() - 1)),
                   fmt::format("{:.0f}", kernel.expected)});
    }
    print_text("{}", table.str());
}

void print_rows(const std::vector<TunedRow>& rows) {
    TextTable table({"row", "best", "cycles", "auto", "cycles", "over best [%]"});
    for (const TunedRow& row : rows) {
        if (row.kernels.empty()) continue;
        table.add({row.name, row.kernels.front().name,
                   fmt::format("{:.0f}", row.kernels.front().cycles), row.chosen,
                   fmt::format("{:.0f}", row.cycles), fmt::format("{:+.1f}", row.loss_percent())});
    }
    print_text("{}", table.str());
}

nlohmann::ordered_json tune_json(const TuneArguments& arguments,
                                 const std::vector<TunedRow>& rows) {
    nlohmann::ordered_json json = {{"table", arguments.table.name()},
                                   {"configurations", arguments.config.configs}};
    json["mean_loss_percent"] = mean_loss_percent(rows);
    json["rows"] = nlohmann::ordered_json::array();
    for (const TunedRow& row : rows) {
        nlohmann::ordered_json one = {{"name", row.name},
                                      {"auto", row.chosen},
                                      {"auto_cycles", row.cycles},
                                      {"loss_percent", row.loss_percent()}};
        for (const TunedKernel& kernel : row.kernels) {
            one["kernels"].push_back({{"name", kernel.name},
                                      {"cycles", kernel.cycles},
                                      {"expected_cycles", kernel.expected}});
        }
        json["rows"].push_back(std::move(one));
    }
    return json;
}

constexpr const char* kTuneJson = "tune.json";  ///< made of the results

int tune(const TuneArguments& arguments) {
    const std::string& table = arguments.table.table;
    const bool only_one = table.empty();
    if (only_one && arguments.table.columns.size() + arguments.table.ignored.size() +
                            arguments.table.time.size() >
                        0) {
        throw ConfigError(
            "--column, --ignore, --time: expected --table, whose columns they are of");
    }
    std::vector<MeasuredRow> rows = only_one ? std::vector<MeasuredRow>(1) : arguments.table.read();
    const TablePlan plan =
        plan_of_table("tune", arguments.table, std::move(rows), arguments.config, variants_of);
    const std::vector<PlannedRun> runs = runs_of(plan.studies);
    if (arguments.study.list) {
        for (const PlannedRun& run : runs) print_text("{} {}\n", run.layer, run.variant);
        print_text("{} runs\n", runs.size());
        return static_cast<int>(ExitCode::kGood);
    }
    const SweepOutcome outcome =
        arguments.study.run({"tune", table, {kTuneJson}}, runs, arguments.table.allow_unused);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);
    const std::vector<TunedRow> found = tuned(plan, arguments.study.out);
    bool is_within = true;
    if (!found.empty()) {
        only_one ? print_kernels(found.front()) : print_rows(found);
        const double loss = mean_loss_percent(found);
        if (only_one) {
            print_text("auto: {}, {:.0f} cycles, {:.1f} % over the best\n", found.front().chosen,
                       found.front().cycles, loss);
        } else {
            print_text("{} rows: auto takes {:.1f} % more than the best, in the mean\n",
                       found.size(), loss);
        }
        write_file_atomically(fs::path(arguments.study.out) / kTuneJson,
                              tune_json(arguments, found).dump(2) + "\n");
        is_within = arguments.within_percent == 0 || loss <= arguments.within_percent;
        if (!is_within) {
            print_error("check failed: auto takes {:.1f} % more than the best, allowed are {:g}\n",
                        loss, arguments.within_percent);
        }
    }
    if (!outcome.failed.empty()) {
        print_failures(outcome, runs);
        return exit_code_of(outcome);
    }
    return static_cast<int>(is_within ? ExitCode::kGood : ExitCode::kCheckFailed);
}

}  // namespace

void add_tune_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand("tune",
                                       "Every kernel for a product or a convolution "
                                       "(workload.kernel), timed beside the one auto picks");
    auto arguments = std::make_shared<TuneArguments>();
    arguments->config.add_to(*command);
    arguments->config.add_sample_to(*command);
    command
        ->add_option(
            "--table", arguments->table.table,
            "the products or layers of a CSV file, as tessera correlate takes it, in place of "
            "one")
        ->type_name("TABLE");
    arguments->table.add_columns_to(*command);
    command
        ->add_option("--within", arguments->within_percent,
                     "exit with 1 if auto takes so many percent more than the best, in the mean")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 1000.0));
    arguments->study.add_to(*command);
    command->callback([arguments, &code] { code = tune(*arguments); });
}

}  // namespace tessera

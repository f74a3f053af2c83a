// tessera sweep: all runs of an experiment.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <memory>
#include <utility>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/results/summary_text.h"
#include "sc_models/study/backend/sweep_backend.h"
#include "sc_models/study/run_count.h"
#include "sc_models/study/sweep/host_figures.h"
#include "sc_models/study/sweep/sweep.h"
#include "sc_models/study/sweep/unread_keys.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/model_layers.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {
namespace {

struct SweepArguments {
    std::string experiment, out;
    std::vector<std::string> sets;
    NetworkArguments model;  ///< options of ONNX models
    BackendOptions backend;
    ProgressStyle progress = ProgressStyle::kPeople;
    bool list = false, keep = false, no_cache = false, allow_unused = false;
};

void print_list(const std::vector<PlannedRun>& runs) {
    for (const PlannedRun& run : runs) {
        print_text("{}  {}  {}\n", run.folder.string(), run.hash, shell_quoted(run.arguments));
    }
    print_text("{} runs{}\n", runs.size(), equal_runs_note(runs));
}

/// Appends a backend's options to a command line.
void add_backend_options(const BackendOptions& backend, std::vector<std::string>& argv) {
    if (backend.name != "local") argv.insert(argv.end(), {"--backend", backend.name});
    if (backend.pack != 1) argv.insert(argv.end(), {"--pack", std::to_string(backend.pack)});
    for (const auto& [option, value] :
         {std::pair("--partition", &backend.partition), std::pair("--account", &backend.account),
          std::pair("--time", &backend.time), std::pair("--mem", &backend.memory)}) {
        if (!value->empty()) argv.insert(argv.end(), {option, *value});
    }
    for (const std::string& login : backend.ssh_logins) {
        argv.insert(argv.end(), {"--sshlogin", login});
    }
}

/// The command line that repeats the sweep.
std::string own_command(const SweepArguments& arguments) {
    std::vector<std::string> argv = {"tessera", "sweep", arguments.experiment, "--out",
                                     arguments.out};
    for (const std::string& set : arguments.sets) argv.insert(argv.end(), {"--set", set});
    add_model_options(arguments.model, argv);
    add_backend_options(arguments.backend, argv);
    if (arguments.keep) argv.emplace_back("--keep");
    if (arguments.allow_unused) argv.emplace_back("--allow-unused");
    if (arguments.no_cache) argv.emplace_back("--no-cache");
    return shell_quoted(argv);
}

void add_backend_options(CLI::App& command, BackendOptions& backend) {
    command
        .add_option("-j,--jobs", backend.jobs,
                    "runs at a time (with --pack: packs of runs); default: one a core, with slurm "
                    "what it gives, with parallel one a core of each host")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command
        .add_option("--backend", backend.name,
                    "where: local (child processes), slurm (job arrays) or parallel (GNU parallel "
                    "over ssh); docs/clusters.md")
        ->check(CLI::IsMember(backend_names()))
        ->capture_default_str()
        ->type_name("NAME");
    command
        .add_option("--pack", backend.pack,
                    "runs one after the other in an element of a job array, or in a job of "
                    "parallel")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str()
        ->type_name("N");
    command.add_option("--partition", backend.partition, "slurm: sbatch's option")
        ->type_name("NAME");
    command.add_option("--account", backend.account, "slurm: sbatch's option")->type_name("NAME");
    command.add_option("--time", backend.time, "slurm: sbatch's option, of an element")
        ->type_name("TIME");
    command.add_option("--mem", backend.memory, "slurm: sbatch's option, of an element")
        ->type_name("SIZE");
    command
        .add_option("--sshlogin", backend.ssh_logins,
                    "parallel: hosts with commas between, as its own option; default: this one")
        ->allow_extra_args(false)
        ->type_name("HOSTS");
}

/// Files that a sweep writes after all its runs.
constexpr const char* kHost = "host.csv";
constexpr const char* kCsv = "summary.csv";
constexpr const char* kSummaryJson = "summary.json";
constexpr const char* kTables = "table.txt";

int sweep(SweepArguments arguments) {
    check_backend(arguments.backend);
    const ConfigCatalog catalog;
    const Experiment experiment =
        read_experiment(catalog.experiment_file(arguments.experiment), catalog);
    if (arguments.out.empty()) arguments.out = "results/" + experiment.name;
    TemporaryFolder temporary;
    const auto plan = [&](const std::filesystem::path& folder) {
        return plan_with_models(experiment, catalog, arguments.sets, arguments.model, folder,
                                arguments.allow_unused);
    };
    if (arguments.list) {
        print_list(plan(temporary.path()));
        return static_cast<int>(ExitCode::kGood);
    }
    SweepFolder folder(arguments.out, experiment.name);
    std::vector<PlannedRun> runs;
    try {
        runs = plan(arguments.out);
    } catch (const ConfigError&) {
        folder.give_up();
        throw;
    }

    SweepOptions options;
    options.backend = arguments.backend;
    options.keep = arguments.keep;
    options.no_cache = arguments.no_cache;
    // Layers of a network have keys that only some of its kernels read, as in tessera network.
    const bool has_models =
        std::any_of(experiment.layers.begin(), experiment.layers.end(), is_model_path);
    options.allow_unused = arguments.allow_unused || has_models;
    Sweep sweep(experiment, arguments.sets, std::move(runs), std::move(folder), options);
    const std::size_t there = sweep.results_there();
    if (there != sweep.runs().size()) {
        remove_tables(arguments.out, {kHost, kCsv, kSummaryJson, kTables});
    }
    print_error("{}: {} runs, {}, into {}\n", experiment.name, sweep.runs().size(),
                sweep.description(), arguments.out);
    if (there != 0) {
        print_error("{} of them skipped: their results are there, of the same configuration\n",
                    there);
    }
    for (const std::string& line : sweep.damaged()) print_error("warning: {}\n", line);
    print_error("{}", equal_runs_text(sweep));
    SweepProgressPrinter printer(arguments.progress);
    const SweepOutcome outcome = sweep.run(printer);
    printer.clear();
    if (outcome.interrupted) {
        print_error("interrupted: {} of {} runs are done and kept; resume with: {}\n",
                    outcome.skipped + outcome.finished + outcome.shared, sweep.runs().size(),
                    own_command(arguments));
        return static_cast<int>(ExitCode::kInterrupted);
    }

    const std::filesystem::path out = arguments.out;
    if (has_models && !arguments.allow_unused && outcome.failed.empty()) {
        refuse_unread(arguments.sets, sweep.runs(), out);
    }
    const Summary summary =
        Summary::of_runs({experiment.name, experiment.title, arguments.sets, sweep.runs()}, out);
    const std::string tables = summary_tables(summary);
    write_file_atomically(out / kHost, host_csv(sweep.runs(), out));
    write_file_atomically(out / kCsv, summary.csv());
    write_file_atomically(out / kTables, tables);
    write_file_atomically(out / kSummaryJson, summary.json().dump(2) + "\n");
    print_text("{}\n{}{}", tables, stored_text(sweep.runs(), out), rate_text(sweep.runs(), out));
    if (!outcome.failed.empty()) print_failures(outcome, sweep.runs());
    return exit_code_of(outcome);
}

/// Number of runs of the experiment in the arguments, for the help; of each shipped one if they
/// name none.
std::string help_on_runs(const SweepArguments& arguments) {
    try {
        const ConfigCatalog catalog;
        const auto count = [&](const std::string& name) {
            return run_count(read_experiment(catalog.experiment_file(name), catalog));
        };
        if (!arguments.experiment.empty()) {
            return fmt::format("Runs: {}; --list prints them.\n", count(arguments.experiment));
        }
        std::vector<std::string> counts;
        for (const std::string& name : catalog.names("experiments")) {
            counts.push_back(fmt::format("{} {}", name, count(name)));
        }
        return fmt::format("Runs of the shipped experiments: {}.\n", fmt::join(counts, ", "));
    } catch (const ConfigError&) {
        return "";
    }
}

}  // namespace

void add_sweep_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "sweep", "Run all layers and variants of an experiment; resumes what is there");
    auto arguments = std::make_shared<SweepArguments>();
    command
        ->add_option("EXPERIMENT", arguments->experiment,
                     "experiment: a YAML file or the short name of a shipped one")
        ->required()
        ->type_name("");
    add_backend_options(*command, arguments->backend);
    command->add_option("--out", arguments->out, "folder of the results; default: results/NAME")
        ->type_name("DIR");
    command->add_flag_callback(
        "--sample", [arguments] { arguments->sets.emplace_back("sample.enabled=on"); },
        "simulate some waves of the CTAs of large kernels: short for --set sample.enabled=on");
    command->add_option("--set", arguments->sets, "set one key of every run: key.path=value")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_model_options(*command, arguments->model);
    command->add_flag("--list", arguments->list,
                      "check every configuration and print the runs, run nothing");
    command->add_flag("--allow-unused", arguments->allow_unused,
                      "take keys that some runs do not read, which are refused otherwise");
    command->add_flag("--keep", arguments->keep,
                      "skip also runs whose results are of another git revision");
    command->add_flag("--no-cache", arguments->no_cache, kNoCacheHelp);
    add_progress_option(*command, arguments->progress);
    command->footer([arguments] { return help_on_runs(*arguments); });
    command->callback([arguments, &code] { code = sweep(*arguments); });
}

}  // namespace tessera

// tessera run: one workload on one machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/output_folder.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_use.h"
#include "sc_models/configure/host_memory.h"
#include "sc_models/run/run_cost.h"
#include "sc_models/run/run_files.h"
#include "sc_models/run/run_page.h"
#include "sc_models/run/run_store.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/onednn_check.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/model_layers.h"
#include "tools/tessera/observer_arguments.h"
#include "tools/tessera/progress_line.h"

namespace tessera {
namespace {

/// Counts CTAs.
class RunProgress : public ProgressListener {
public:
    explicit RunProgress(ProgressStyle style) : line_(style) {}
    [[nodiscard]] bool shows() const { return line_.shows(); }
    /// Must be called before the kernels of `workload` run, `repetitions` times one after the
    /// other.
    void expect(const Workload& workload, std::uint32_t repetitions) {
        costs_ = kernel_costs(workload);
        all_ = repetitions * std::accumulate(costs_.begin(), costs_.end(), 0.0);
    }
    void on_progress(const std::string& kernel, std::uint32_t done, std::uint32_t total) override {
        if (done <= done_) past_ += costs_[kernel_++ % costs_.size()];
        done_ = done;
        const double now = costs_[kernel_ % costs_.size()] * done / total;
        line_.show(kernel, done, total, (past_ + now) / all_);
    }
    void clear() { line_.clear(); }

private:
    ProgressLine line_;
    std::vector<double> costs_;  ///< by kernel
    double all_ = 0;             ///< of all kernels and repetitions
    std::size_t kernel_ = 0;     ///< counted through all repetitions
    std::uint32_t done_ = 0;     ///< of its CTAs
    double past_ = 0;            ///< cost of the kernels before
};

struct RunArguments {
    ConfigArguments config;
    NetworkArguments model;  ///< options of an ONNX model
    ObserverArguments observers;
    std::string trace;
    std::string out;
    ProgressStyle progress = ProgressStyle::kPeople;
    bool quiet = false;
    bool dry_run = false;
    bool over_time = false;
    bool no_cache = false;
    /// Keys that the user set, for runs of a model's layer, whose own keys may have no effect.
    std::optional<std::vector<std::string>> keys_beside_layer;

    [[nodiscard]] bool lets_pass(const std::string& key) const {
        if (config.allow_unused || !keys_beside_layer) return config.allow_unused;
        return std::find(keys_beside_layer->begin(), keys_beside_layer->end(), key) ==
               keys_beside_layer->end();
    }
};

/// Compares the output with oneDNN and appends the outcome to `text`; returns false if a value is
/// out of bounds.
bool agrees_with_onednn(Simulation& simulation, std::string& text) {
    const OnednnReport report = compare_with_onednn(
        simulation.workload(), [&simulation](Address address, void* data, std::size_t bytes) {
            simulation.read_memory(address, data, bytes);
        });
    if (!report.checked()) {
        text += fmt::format("  {}\n", report.skipped);
        return true;
    }
    text += fmt::format(
        "  oneDNN: {} of {} values outside 1.5 K 2^-23 sum|ab|; largest error {:.3g}, {:.2g} of "
        "the bound\n",
        report.violations, report.outputs, report.max_error, report.max_error_over_bound);
    return report.passed();
}

std::vector<std::string> kernel_names(const Workload& workload) {
    std::vector<std::string> names;
    for (const auto& kernel : workload.kernels()) names.push_back(kernel->info().name);
    return names;
}

/// Entry of the run in the user's store; empty if the run must be simulated. Recorders and logs
/// have to see it happen.
std::optional<RunStore> store_of(const RunArguments& arguments, const Config& config,
                                 const ConfigSource& source) {
    // These levels log warnings, which a stored run repeats, and nothing else.
    const std::string& level = config.logging.level;
    const bool logs_warnings =
        (level == "info" || level == "warn") && config.logging.modules.empty();
    if (arguments.no_cache || arguments.dry_run || arguments.over_time || !logs_warnings ||
        arguments.observers.any()) {
        return std::nullopt;
    }
    std::optional<ResultStore> store = ResultStore::of_user();
    if (!store) return std::nullopt;
    const std::vector<std::string> keys = source.user_keys();
    std::vector<std::string> refused;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(refused),
                 [&arguments](const std::string& key) { return !arguments.lets_pass(key); });
    return RunStore::of(std::move(*store), config, keys, refused);
}

void print_result_folder(const RunArguments& arguments, bool replaces) {
    if (arguments.quiet) return;
    print_text("results: {}{}\n", arguments.out, replaces ? " (in place of an earlier run's)" : "");
}

/// Prints and writes what the equal run left.
int show_stored(const RunArguments& arguments, const StoredRun& run) {
    for (const LoggedWarning& warning : run.warnings) {
        logger(warning.module).warn("{}", warning.text);
    }
    const bool replaces =
        !arguments.out.empty() && check_run_folder(arguments.out, run.files.kernels);
    if (!arguments.quiet) {
        const auto host = nlohmann::json::parse(run.files.texts.at("host.json"));
        print_text("{}{}\nstored: an equal run took {:.2f} s (--no-cache simulates it again)\n",
                   run.files.texts.at("summary.txt"), run.checks, host.at("seconds").get<double>());
    }
    if (!arguments.out.empty()) {
        write_run_files(arguments.out, run.files);
        print_result_folder(arguments, replaces);
    }
    return static_cast<int>(ExitCode::kGood);
}

int run_configured(const RunArguments& arguments, Config& config, const ConfigSource& source) {
    const std::optional<RunStore> store = store_of(arguments, config, source);
    if (store) {
        if (const std::optional<StoredRun> run = store->find()) {
            configure_logging(config.logging.level, config.logging.modules);
            return show_stored(arguments, *run);
        }
    }
    UseLog issued;
    record_uses([&config](ConfigVisitor& v) { config.bind(v); }, issued);
    const auto refuse = [&](const std::vector<std::string>& keys) {
        for (const std::string& key : keys) {
            if (!arguments.lets_pass(key)) refuse_idle(source, key, config);
        }
    };
    configure_logging(config.logging.level, config.logging.modules);

    RunProgress progress(arguments.progress);
    const bool shows =
        progress.shows() && (!arguments.quiet || arguments.progress == ProgressStyle::kJson);
    ObserverOptions watched = arguments.observers.options(arguments.out);
    if (arguments.over_time) {
        watched.over_time_file = (std::filesystem::path(arguments.out) / kOverTimeFile).string();
    }
    ObserverSet observers(std::move(watched), config);
    MachineSeams seams;
    seams.links = observers.links();
    Simulation simulation(config, observers.get(), shows ? &progress : nullptr, seams);
    observers.finish_elaboration();
    const std::vector<std::string> kernels = kernel_names(simulation.workload());
    observers.check_window(kernels);
    const bool replaces = !arguments.out.empty() && check_run_folder(arguments.out, kernels);
    refuse(idle_keys(source, config));
    if (arguments.dry_run) {
        if (!arguments.quiet) print_text("{}", plan_text(config, simulation.workload()));
        return static_cast<int>(ExitCode::kGood);
    }
    if (shows) progress.expect(simulation.workload(), simulation.repetitions());
    RunReport report;
    try {
        report = simulation.run();
    } catch (const std::exception& error) {
        const std::string reason = observers.explain_failure(error.what());
        if (reason == error.what()) throw;
        throw CheckError(reason);
    }
    progress.clear();
    if (report.complete) {
        report.unread_keys = idle_keys(source, config, &issued);
        refuse(report.unread_keys);
    }

    if (!arguments.quiet) print_text("{}", summary_text(config, report));
    bool good = report.good();
    if (arguments.quiet && !good) print_error("{}", failure_text(report));
    std::string checks;
    if (report.complete && config.values) {
        const bool agrees = agrees_with_onednn(simulation, checks);
        if (!arguments.quiet) print_text("{}", checks);
        if (arguments.quiet && !agrees) print_error("check failed:{}", checks);
        good = agrees && good;
    }
    if (!arguments.quiet) {
        print_text("\n{:.2f} s, {:.2f} million warp instructions a second, {} MiB\n",
                   report.host_seconds,
                   static_cast<double>(report.host_warp_instructions) / report.host_seconds / 1e6,
                   report.host_peak_memory_bytes >> 20);
    }
    if (report.complete && (store || !arguments.out.empty())) {
        const RunFiles files = run_files_of(config, report);
        if (!arguments.out.empty()) {
            write_run_files(arguments.out, files);
            print_result_folder(arguments, replaces);
        }
        if (store && good) {
            keep_for_later([&] { store->keep({files, checks, logged_warnings()}); });
        }
    }
    if (report.complete) observers.finish();  // an interrupted run saves what there is
    if (!arguments.quiet) {
        for (const std::string& file : observers.files()) print_text("{}\n", file);
    }
    if (!report.complete) return static_cast<int>(ExitCode::kInterrupted);
    return static_cast<int>(good ? ExitCode::kGood : ExitCode::kCheckFailed);
}

/// Whether a layer, a whole run or a key defines the workload. Descriptions of machines and
/// mechanisms do not.
bool names_workload(const ConfigSource& source) {
    const auto names = [](const ConfigPiece& piece) {
        return piece.part == ConfigPart::kWorkload || piece.part == ConfigPart::kRun;
    };
    if (std::any_of(source.pieces().begin(), source.pieces().end(), names)) return true;
    const std::vector<std::string> keys = source.user_keys();
    return std::any_of(keys.begin(), keys.end(), [](std::string_view key) {
        constexpr std::array<std::string_view, 7> kNaming = {
            "workload.kind",   "workload.layer.", "workload.gemm.",     "workload.tensor.",
            "workload.given.", "workload.trace",  "workload.attention."};
        return std::any_of(kNaming.begin(), kNaming.end(), [key](std::string_view begin) {
            return key.substr(0, begin.size()) == begin;
        });
    });
}

void require_workload(const ConfigSource& source, const std::vector<std::string>& configs) {
    if (names_workload(source)) return;
    throw ConfigError(fmt::format(
        "run: got no workload beside '{0}', expected a layer ('tessera run {0} resnet.C2'), sizes "
        "('tessera run v100 library --set workload.gemm.m=2048 --set workload.gemm.n=128 --set "
        "workload.gemm.k=2048') or --trace FILE; 'tessera config --names' lists the layers, "
        "'tessera run --help' the options",
        configs.empty() ? "v100" : fmt::format("{}", fmt::join(configs, " "))));
}

int run(RunArguments arguments) {
    if (arguments.over_time && arguments.out.empty()) {
        throw ConfigError("--over-time: has no folder to write to without --out");
    }
    ConfigSource source;
    ConfigArguments config = arguments.config;
    if (!arguments.trace.empty()) {
        config.sets.push_back("workload.trace=" + arguments.trace);
    }
    TemporaryFolder folder;
    // Must precede the writing of a model's layer into the folder.
    std::optional<OutputFolder> locked;
    if (!arguments.out.empty()) locked.emplace(arguments.out, "--out");
    if (!arguments.out.empty()) (void)check_run_folder(arguments.out, {});
    // Layers of a network have keys that only some of its kernels read, as in tessera network.
    ConfigArguments beside = config;
    auto& configs = beside.configs;
    configs.erase(std::remove_if(configs.begin(), configs.end(), is_model_path), configs.end());
    if (resolve_model_layer(config, arguments.model, arguments.out, folder)) {
        ConfigSource user;
        (void)beside.load(user);
        arguments.keys_beside_layer = user.user_keys();
    }
    try {
        Config loaded = config.load(source);
        require_workload(source, config.configs);
        check_host_memory(loaded, source);
        return run_configured(arguments, loaded, source);
    } catch (const ConfigError& error) {
        throw source.located(error);  // the error names the key, the source its line
    }
}

}  // namespace

void add_run_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand("run", "Run one workload and print where the time went");
    auto arguments = std::make_shared<RunArguments>();
    arguments->config.add_to(*command);
    arguments->config.add_sample_to(*command);
    arguments->config.add_threads_to(*command);
    add_model_options(*command, arguments->model);
    command
        ->add_option("--trace", arguments->trace,
                     "run the kernels of this kernelslist.g (Accel-Sim's format): short for --set "
                     "workload.trace=FILE")
        ->type_name("FILE");
    arguments->observers.add_to(*command);
    command
        ->add_option(
            "--out", arguments->out,
            "folder for result.json, summary and statistics; those of an earlier run there "
            "are replaced, all of them, and other files left alone")
        ->type_name("DIR");
    command->add_flag("--over-time", arguments->over_time,
                      "leave figures over time in the folder of --out (over_time.json), which the "
                      "page of tessera report draws");
    arguments->config.add_allow_unused_to(*command);
    command->add_flag("--no-cache", arguments->no_cache, kNoCacheHelp);
    command->add_flag("--dry-run", arguments->dry_run,
                      "build machine and workload, check every key, say what would run, and stop");
    command->add_flag("-q,--quiet", arguments->quiet, "print warnings and errors only");
    add_progress_option(*command, arguments->progress);
    command->footer("Issue slots, a row of the page for each that is not empty:\n" +
                    issue_slot_help());
    command->callback([arguments, command, &code] {
        const ConfigArguments& config = arguments->config;
        if (config.configs.empty() && config.sets.empty() && arguments->trace.empty()) {
            // Other options were given, so help is no answer.
            if (command->count_all() > 1) {
                throw ConfigError("run: nothing to run, expected a CONFIG, --set or --trace");
            }
            throw CLI::CallForHelp();
        }
        code = run(*arguments);
    });
}

}  // namespace tessera

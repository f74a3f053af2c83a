// tessera microbench: the machine's latencies and bandwidths beside a real card's.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/output_folder.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/text_table.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/host_memory.h"
#include "sc_models/report/hardware_reference.h"
#include "sc_models/run/run_files.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/microbenchmarks/microbenchmarks.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

struct MicrobenchArguments {
    ConfigArguments config;
    std::string out;
    std::string against = "hardware";
    double within_percent = 0;
};

Cycle cycles_of(const RunReport& report, std::size_t kernel) {
    return report.kernels[kernel].result.cycles;
}

std::string error_cell(double model, const std::optional<double>& reference) {
    if (!reference) return "-";
    return fmt::format("{:+.1f} %", 100.0 * (model / *reference - 1));
}

/// A card with measured figures.
struct ReferenceCard {
    std::string file, name;
};

/// Returns the card of the machine that is named, if reference/ has its figures; else the TITAN V.
ReferenceCard reference_card(const ConfigArguments& config) {
    const std::filesystem::path folder = ConfigCatalog().root() / "reference";
    for (const std::string& name : config.configs) {
        const std::string stem = std::filesystem::path(name).stem().string();
        const std::filesystem::path file = folder / (stem + "_hardware.yaml");
        if (!std::filesystem::exists(file)) continue;
        return {file.string(), stem == "titan_v" ? "TITAN V" : stem};
    }
    return {(folder / "titan_v_hardware.yaml").string(), "TITAN V"};
}

/// Prints the table; returns how many rows are further from the reference than allowed.
int print_table(const MicrobenchArguments& arguments, const MicrobenchmarkWorkload& workload,
                const RunReport& report) {
    const ReferenceCard card = reference_card(arguments.config);
    const auto figures = read_hardware_reference(card.file);
    const bool hardware = arguments.against == "hardware";
    TextTable table(
        {"benchmark", "model", card.name, "error", "Accel-Sim", "error", "unit", "parameter"});
    table.set_last_are_text(2);
    int outside = 0;
    for (const Microbenchmark& benchmark : workload.benchmarks()) {
        const double value =
            benchmark.value(benchmark.short_kernel ? cycles_of(report, *benchmark.short_kernel) : 0,
                            cycles_of(report, benchmark.long_kernel));
        const auto figure = std::find_if(
            figures.begin(), figures.end(),
            [&](const HardwareFigure& candidate) { return candidate.name == benchmark.name; });
        std::optional<double> measured, simulated;
        if (figure != figures.end()) {
            measured = figure->hardware;
            simulated = figure->accel_sim;
        }
        const std::optional<double> reference = hardware ? measured : simulated;
        if (reference && arguments.within_percent > 0 &&
            std::abs(value / *reference - 1) * 100 > arguments.within_percent) {
            ++outside;
        }
        table.add({benchmark.name, number_cell(value), number_cell(measured),
                   error_cell(value, measured), number_cell(simulated),
                   error_cell(value, simulated), benchmark.unit, benchmark.parameter});
    }
    print_text("{}", table.str());
    return outside;
}

int run_configured(const MicrobenchArguments& arguments, const Config& config) {
    configure_logging(config.logging.level, config.logging.modules);
    std::optional<OutputFolder> folder;
    if (!arguments.out.empty()) folder.emplace(arguments.out, "--out");
    Simulation simulation(config, {});
    const auto& workload = dynamic_cast<const MicrobenchmarkWorkload&>(simulation.workload());
    const RunReport report = simulation.run();
    if (!report.complete) return static_cast<int>(ExitCode::kInterrupted);
    const int outside = print_table(arguments, workload, report);
    for (const std::string& violation : report.violations) {
        print_error("check failed: {}\n", violation);
    }
    if (!arguments.out.empty()) write_run_files(arguments.out, run_files_of(config, report));
    if (arguments.within_percent > 0) {
        print_text("{} rows further than {} % from {}\n", outside, arguments.within_percent,
                   arguments.against == "accel_sim"
                       ? "Accel-Sim"
                       : "the " + reference_card(arguments.config).name);
    }
    const bool good = outside == 0 && report.violations.empty();
    return static_cast<int>(good ? ExitCode::kGood : ExitCode::kCheckFailed);
}

int run(const MicrobenchArguments& arguments) {
    ConfigSource source;
    ConfigArguments config = arguments.config;
    config.sets.emplace_back("workload.kind=microbenchmarks");
    try {
        const Config loaded = config.load_acting(source);
        check_host_memory(loaded, source);
        return run_configured(arguments, loaded);
    } catch (const ConfigError& error) {
        throw source.located(error);
    }
}

}  // namespace

void add_microbench_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "microbench",
        "Measure a machine's latencies and bandwidths, beside those of its card, or of a TITAN V");
    auto arguments = std::make_shared<MicrobenchArguments>();
    arguments->config.add_to(*command);
    command->add_option("--out", arguments->out, "folder for result.json and statistics")
        ->type_name("DIR");
    command
        ->add_option("--within", arguments->within_percent,
                     "exit with 1 if a row is further from the reference than so many percent")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 1000.0));
    command
        ->add_option("--against", arguments->against,
                     "the reference of --within: hardware (a real "
                     "card) or accel_sim (that simulator's V100)")
        ->check(CLI::IsMember({"hardware", "accel_sim"}))
        ->capture_default_str();
    arguments->config.add_allow_unused_to(*command);
    command->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace tessera

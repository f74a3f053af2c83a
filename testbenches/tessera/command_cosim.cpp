#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <systemc>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_coverage.h"
#include "sc_models/cosim/rtl_mutant.h"
#include "sc_models/cosim/rtl_support.h"
#include "sc_models/observe/waveform_recorder.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/bench_module.h"
#include "testbenches/tessera/commands.h"
#include "testbenches/tessera/observer_arguments.h"

namespace tessera {
namespace {

constexpr std::uint32_t kClockMhz = 1000;     // a cycle is 1 ns in the waveform
constexpr std::uint32_t kCyclesAtATime = 64;  // without one

struct CosimArguments {
    std::string block;
    std::uint64_t count = 1'000'000;
    std::uint32_t seed = 1;
    std::uint16_t mutant = 0;
    std::string wave, window, fault, coverage;
    bool list = false;
};

// CLI11 takes "-3" for a very large unsigned number, and its own check names the largest double.
const CLI::Validator kWholeNumber(
    [](const std::string& text) {
        const bool digits =
            !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return digits ? std::string() : fmt::format("got '{}', expected a whole number", text);
    },
    "UINT");

void print_list() {
    for (const CosimBlock& block : cosim_blocks()) {
        fmt::print("{:<20} {} (counts {})\n", block.name, block.description, block.operation);
    }
    if (!rtl_skipped().empty()) fmt::print("no blocks: {}\n", rtl_skipped());
}

const CosimBlock& find_block(const std::string& name) {
    std::string known;
    for (const CosimBlock& block : cosim_blocks()) {
        if (block.name == name) return block;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", block.name);
    }
    throw ConfigError(fmt::format("got block '{}', expected one of {{{}}}", name, known));
}

std::string command_line(const CosimArguments& arguments) {
    std::string text = fmt::format("tessera cosim {} --count {} --seed {}", arguments.block,
                                   arguments.count, arguments.seed);
    if (!arguments.fault.empty()) text += " --fault " + arguments.fault;
    if (arguments.mutant != 0) text += fmt::format(" --mutant {}", arguments.mutant);
    return text;
}

ExitCode report(const CosimArguments& arguments, const CosimBlock& block, const CosimBench& bench,
                const BenchModule& module, const Scoreboard& scoreboard, double seconds) {
    fmt::print("{}: {} {}, {} clock cycles, seed {}: {} checks, {} errors\n", block.name,
               bench.operations(), block.operation, module.cycles(), arguments.seed,
               scoreboard.checks(), scoreboard.errors());
    std::vector<std::string> lines;
    bench.summarise(lines);
    for (const std::string& line : lines) fmt::print("  {}\n", line);
    fmt::print("  {:.2f} s, {:.0f} thousand clock cycles/s\n", seconds,
               static_cast<double>(module.cycles()) / seconds / 1000);
    if (scoreboard.errors() > 0) {
        write_error(scoreboard.first_divergence());
        return ExitCode::kCheckFailed;
    }
    if (module.interrupted()) return ExitCode::kInterrupted;
    if (scoreboard.checks() == 0) throw CheckError("the bench compared nothing");
    return ExitCode::kGood;
}

ExitCode run(const CosimArguments& arguments) {
    if (arguments.list) {
        print_list();
        return ExitCode::kGood;
    }
    if (arguments.block.empty()) throw ConfigError("which block? (tessera cosim --list)");
    require_rtl("cosim " + arguments.block);
    const CosimBlock& block = find_block(arguments.block);
    if (arguments.count == 0) throw ConfigError("--count: got 0, expected at least 1");
    if (!arguments.window.empty() && arguments.wave.empty()) {
        throw ConfigError("--wave-window: has nothing to act on without --wave");
    }
    if (!arguments.coverage.empty()) {
        if (!rtl_counts_coverage()) {
            throw ConfigError(
                "--coverage: this build counts none (configure with -DTESSERA_RTL_COVERAGE=ON)");
        }
        std::error_code error;
        std::filesystem::create_directories(arguments.coverage, error);
        if (error) {
            throw ConfigError(
                fmt::format("--coverage: cannot make {}: {}", arguments.coverage, error.message()));
        }
        set_rtl_coverage_directory(arguments.coverage);
    }
    set_rtl_mutant(arguments.mutant);
    BenchOptions options;
    options.count = arguments.count;
    options.seed = arguments.seed;
    if (!arguments.fault.empty()) options.fault = FaultPlan::parse(arguments.fault, "--fault");

    const ClockDomain clock(kClockMhz);
    std::unique_ptr<WaveformRecorder> wave;
    if (!arguments.wave.empty()) {
        (void)wave_format(arguments.wave);
        const CycleWindow window = arguments.window.empty()
                                       ? CycleWindow{}
                                       : CycleWindow::parse(arguments.window, "--wave-window");
        if (!window.kernel.empty()) {
            throw ConfigError(fmt::format(
                "--wave-window: got '{}', expected A:B (a block runs no kernels)", window.text()));
        }
        wave = std::make_unique<WaveformRecorder>(arguments.wave, window, "*", clock, "bench");
        options.wave = wave.get();
    }
    Scoreboard scoreboard(command_line(arguments));
    std::unique_ptr<CosimBench> bench = block.make(options);
    scoreboard.describe_inputs_by([&] { return bench->describe_inputs(); });
    const std::uint32_t at_a_time = wave ? 1 : kCyclesAtATime;
    BenchModule module("bench", *bench, scoreboard, clock, at_a_time);
    const auto begin = std::chrono::steady_clock::now();
    sc_core::sc_start();
    module.rethrow();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (scoreboard.errors() == 0 && !module.interrupted()) {
        FaultInjector::require_begun(options.fault);
    }
    const ExitCode code = report(arguments, block, *bench, module, scoreboard, seconds.count());
    bench.reset();  // closes its dump
    if (wave) {
        wave->finish();
        fmt::print("  waveform: {0} (gtkwave {0} waveforms/cosim_{1}.gtkw)\n", arguments.wave,
                   block.name);
    }
    return code;
}

}  // namespace

void add_cosim_command(CLI::App& app, int& code) {
    CLI::App& command = *app.add_subcommand(
        "cosim", "Run the Verilated RTL of a block against its model, cycle for cycle");
    auto arguments = std::make_shared<CosimArguments>();
    command.add_option("block", arguments->block, "the block (see --list)")->type_name("BLOCK");
    command.add_flag("--list", arguments->list, "the blocks, and what one operation is");
    command.add_option("--count", arguments->count, "operations to check")
        ->check(kWholeNumber)
        ->capture_default_str();
    command
        .add_option("--seed", arguments->seed, "of operations, stalls and first register values")
        ->check(kWholeNumber)
        ->capture_default_str();
    command
        .add_option("--wave", arguments->wave,
                    "write a waveform of RTL and model: FILE.vcd or FILE.fst")
        ->type_name("FILE");
    command
        .add_option("--wave-window", arguments->window,
                    "record from clock cycle A up to B only; either may be left out")
        ->type_name("A:B");
    command
        .add_option("--fault", arguments->fault,
                    "break an output of the RTL to see the bench fail: invert:BIT, stuck0:BIT, "
                    "stuck1:BIT or late, with @CYCLE to begin later")
        ->type_name("KIND");
    command
        .add_option("--mutant", arguments->mutant,
                    "switch on this mutant of the RTL (tools/rtl_mutation builds and numbers them)")
        ->type_name("K");
    command
        .add_option("--coverage", arguments->coverage,
                    "write coverage into a folder (build with TESSERA_RTL_COVERAGE=ON)")
        ->type_name("DIR");
    command.callback([arguments, &code] { code = static_cast<int>(run(*arguments)); });
}

}  // namespace tessera

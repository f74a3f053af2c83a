#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <limits>
#include <sstream>
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
#include "testbenches/cosim/second_set.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/observer_arguments.h"

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
    bool list = false, list_faults = false, bins = false, second_set = false;
};

// CLI11 takes "-3" for a very large unsigned number, and its own check names the largest double.
CLI::Validator whole_number(std::uint64_t most) {
    return CLI::Validator(
        [most](const std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && rest == end && value <= most) return std::string();
            return fmt::format("got '{}', expected a whole number up to {}", text, most);
        },
        "UINT");
}
template <class Number>
CLI::Validator whole_number_of(const Number& /*argument*/) {
    return whole_number(std::numeric_limits<Number>::max());
}

void print_list() {
    for (const CosimBlock& block : cosim_blocks()) {
        print_text("{:<20} {} (counts {})\n", block.name, block.description, block.operation);
    }
    if (!rtl_skipped().empty()) print_text("no blocks: {}\n", rtl_skipped());
}

/// Names of the outputs with their bits, as --fault counts them.
void print_faults(const CosimBlock& block) {
    print_text("bits of the outputs of {}, 32 a word, for --fault and impl.fault:\n", block.name);
    std::uint64_t bit = 0;
    std::istringstream names{std::string(block.outputs)};
    for (std::string name; names >> name;) {
        const std::size_t colon = name.find(':');
        const std::uint64_t words =
            colon == std::string::npos ? 1 : std::stoull(name.substr(colon + 1));
        const std::string range = fmt::format("{}..{}", bit, bit + 32 * words - 1);
        if (words == 1) {
            print_text("  {:<12} {}\n", range, name);
        } else {
            print_text("  {:<12} {}[0..{}]\n", range, name.substr(0, colon), words - 1);
        }
        bit += 32 * words;
    }
}

/// Lines of the report about the bench's coverage plan.
std::vector<std::string> coverage_lines(const CoveragePlan& plan, bool all) {
    const std::vector<std::string> missed = plan.missed();
    std::vector<std::string> lines = {
        fmt::format("coverage: {} of {} bins", plan.size() - missed.size(), plan.size())};
    constexpr std::size_t kMostShown = 8;
    if (!missed.empty()) {
        const std::size_t shown = all ? missed.size() : std::min(kMostShown, missed.size());
        const auto end = missed.begin() + static_cast<std::ptrdiff_t>(shown);
        const std::string more = shown < missed.size()
                                     ? fmt::format(" and {} more (--bins)", missed.size() - shown)
                                     : "";
        lines.back() +=
            fmt::format("; not covered: {}{}", fmt::join(missed.begin(), end, ", "), more);
    }
    if (!all) return lines;
    for (const CoveragePlan::Count& bin : plan.situations()) {
        lines.push_back(fmt::format("  {:<28} {}", bin.name, bin.hits));
    }
    return lines;
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
    if (arguments.second_set) text += " --second-set";
    if (!arguments.fault.empty()) text += " --fault " + arguments.fault;
    if (arguments.mutant != 0) text += fmt::format(" --mutant {}", arguments.mutant);
    return text;
}

ExitCode report(const CosimArguments& arguments, const CosimBlock& block, const CosimBench& bench,
                const BenchModule& module, const Scoreboard& scoreboard, double seconds) {
    const std::string set =
        arguments.second_set ? fmt::format(" ({})", second_set_of(block.name).parameters) : "";
    print_text("{}{}: {} {}, {} clock cycles, seed {}: {} checks, {} errors\n", block.name, set,
               bench.operations(), block.operation, module.cycles(), arguments.seed,
               scoreboard.checks(), scoreboard.errors());
    std::vector<std::string> lines;
    bench.summarise(lines);
    if (const CoveragePlan* plan = bench.coverage()) {
        for (std::string& line : coverage_lines(*plan, arguments.bins)) {
            lines.push_back(std::move(line));
        }
    }
    for (const std::string& line : lines) print_text("  {}\n", line);
    if (!arguments.fault.empty()) {
        print_text("  --fault changed {} outputs\n", FaultInjector::changed());
    }
    print_text("  {:.2f} s, {:.0f} thousand clock cycles/s\n", seconds,
               static_cast<double>(module.cycles()) / seconds / 1000);
    if (scoreboard.errors() > 0) {
        print_error("{}", scoreboard.first_divergence());
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
    if (arguments.list_faults) {
        print_faults(block);
        return ExitCode::kGood;
    }
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
    options.second_set = arguments.second_set;
    if (options.second_set) static_cast<void>(second_set_of(block.name));
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
    if (arguments.bins && bench->coverage() == nullptr) {
        throw ConfigError(fmt::format("--bins: the bench of {} has no coverage plan", block.name));
    }
    scoreboard.describe_inputs_by([&] { return bench->describe_inputs(); });
    const std::uint32_t at_a_time = wave ? 1 : kCyclesAtATime;
    BenchModule module("bench", *bench, scoreboard, clock, at_a_time);
    FaultInjector::begin_run();
    const auto begin = std::chrono::steady_clock::now();
    sc_core::sc_start();
    module.rethrow();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (scoreboard.errors() == 0 && !module.interrupted()) {
        FaultInjector::require_broken(options.fault);
    }
    const ExitCode code = report(arguments, block, *bench, module, scoreboard, seconds.count());
    bench.reset();  // closes its dump
    if (wave) {
        wave->finish();
        print_text("  waveform: {0} (gtkwave {0} waveforms/cosim_{1}.gtkw)\n", arguments.wave,
                   block.name);
    }
    if (code == ExitCode::kGood) FaultInjector::require_unbroken(options.fault);
    return code;
}

}  // namespace

void add_cosim_command(CLI::App& app, int& code) {
    CLI::App& command = *app.add_subcommand(
        "cosim", "Run the Verilated RTL of a block against its model, cycle for cycle");
    auto arguments = std::make_shared<CosimArguments>();
    command.add_option("block", arguments->block, "the block (see --list)")->type_name("BLOCK");
    CLI::Option* list =
        command.add_flag("--list", arguments->list, "the blocks, and what one operation is");
    CLI::Option* list_faults =
        command.add_flag("--list-faults", arguments->list_faults,
                         "the outputs of the block, with their bits as --fault counts them");
    command.add_option("--count", arguments->count, "operations to check")
        ->check(whole_number_of(arguments->count))
        ->capture_default_str();
    command
        .add_option("--seed", arguments->seed, "of operations, stalls and first register values")
        ->check(whole_number_of(arguments->seed))
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
    command.add_flag("--bins", arguments->bins,
                     "print the situations of the bench's coverage plan with their numbers");
    command.add_flag("--second-set", arguments->second_set,
                     "run the RTL with its second set of parameters");
    command
        .add_option("--mutant", arguments->mutant,
                    "switch on this mutant of the RTL (tools/rtl_mutation builds and numbers them)")
        ->check(whole_number_of(arguments->mutant))
        ->type_name("K");
    command
        .add_option("--coverage", arguments->coverage,
                    "write coverage into a folder (build with TESSERA_RTL_COVERAGE=ON)")
        ->type_name("DIR");
    // The listing options exclude all options that they would ignore.
    for (CLI::Option* option : command.get_options()) {
        if (option == list || option == command.get_help_ptr()) continue;
        list->excludes(option);
        if (option != list_faults && option->get_name() != "block") list_faults->excludes(option);
    }
    command.callback([arguments, &code] { code = static_cast<int>(run(*arguments)); });
}

}  // namespace tessera

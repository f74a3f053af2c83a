#include "testbenches/harness/testbench.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/program.h"
#include "sc_models/common/standard_streams.h"

namespace tessera::testbench {
namespace {

/// Lines of the help about columns, planted errors and examples.
std::string footer(const Description& description) {
    std::string text;
    if (!description.columns.empty()) {
        text += "Columns of --stimulus (CSV, the first line names them):\n";
        for (const Column& column : description.columns) {
            std::string words;
            for (const std::string& choice : column.choices) {
                words += (words.empty() ? " {" : ", ") + choice;
            }
            if (!words.empty()) words += "}";
            text += fmt::format("  {:<12} {}{}{}\n", column.name, column.help, words,
                                column.optional ? " (may be left out)" : "");
        }
    }
    if (!description.errors.empty()) text += "Errors for --plant:\n";
    for (const PlantedError& error : description.errors) {
        text += fmt::format("  {:<12} {}\n", error.name, error.what);
    }
    if (!description.examples.empty()) text += "Examples for --example:\n";
    for (const Example& example : description.examples) {
        text += fmt::format("  {:<12} {}\n", example.name, example.what);
    }
    return text + "Exit codes: 0 PASS, 1 FAIL, 2 wrong input, 130 interrupted.";
}

/// Refuses a sign, which CLI11 takes for a number near 2^64. Returns the error; empty: none.
std::string without_sign(const std::string& text) {
    if (text.empty() || (text[0] != '-' && text[0] != '+')) return "";
    return fmt::format("got '{}', expected a whole number without a sign", text);
}

void add_options(CLI::App& app, const Description& description, Options& options) {
    app.add_option("--seed", options.seed, "seed of the random stimulus")
        ->capture_default_str()
        ->check(without_sign);
    app.add_option("--count", options.count, "random " + description.operation)
        ->capture_default_str()
        ->check(without_sign);
    app.add_option("--stimulus", options.stimulus,
                   "play this file instead of the built-in stimulus")
        ->type_name("FILE");
    if (description.has_timing) {
        app.add_option("--timing", options.timing, "level of timing: lt or at")
            ->capture_default_str();
    }
    if (description.implementations.size() > 1) {
        app.add_option(
               "--impl", options.implementation,
               fmt::format("what is tested: {}", fmt::join(description.implementations, ", ")))
            ->capture_default_str();
    }
    app.add_option("--machine", options.machine,
                   "take the module's settings from this machine (tessera config --names)")
        ->type_name("NAME");
    app.add_option("--set", options.sets,
                   fmt::format("set a key of {}", fmt::join(description.sections, ", ")))
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_option("--wave", options.wave, "write a waveform: FILE.vcd or FILE.fst")
        ->type_name("FILE");
    if (!description.errors.empty()) {
        app.add_option("--plant", options.plant, "plant an error, to see the testbench find it")
            ->type_name("ERROR");
    }
    if (!description.examples.empty()) {
        app.add_option("--example", options.example, "play an example of a paper, step by step")
            ->type_name("NAME");
    }
    if (description.has_curve) {
        app.add_flag("--curve", options.curve, "measure latency against offered load");
    }
}

void play(Testbench& testbench, const Session& session) {
    const Options& options = session.options();
    if (!options.example.empty()) {
        testbench.run_example(options.example);
    } else if (options.curve) {
        testbench.run_curve();
    } else {
        testbench.run(session);
    }
}

int run(int argc, char** argv, const Description& description, MakeTestbench make) {
    Options options;
    options.count = description.count;
    options.implementation = description.implementations.front();
    CLI::App app{"Testbench of the " + description.module, description.name + "_testbench"};
    app.footer(footer(description));
    add_options(app, description, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        throw ConfigError(fmt::format("{} (see --help)", error.what()));
    }
    Session session(description, options);
    const std::unique_ptr<Testbench> testbench = make(session);
    try {
        play(*testbench, session);
    } catch (...) {
        // The kernel replaces an exception that leaves a process by a report of its own.
        if (!interrupt_requested()) throw;
        print_error("{}: interrupted, no verdict\n", description.name);
        return static_cast<int>(ExitCode::kInterrupted);
    }
    const bool passed = session.report();
    return static_cast<int>(passed ? ExitCode::kGood : ExitCode::kCheckFailed);
}

}  // namespace

void Testbench::run(const Session& session) {
    prepare();
    if (const Stimulus* stimulus = session.stimulus()) {
        play_file(*stimulus);
    } else {
        play_directed();
        play_random();
    }
    finish();
}

int run_testbench(int argc, char** argv, const Description& description, MakeTestbench make) {
    prepare_program(argc, argv);
    return run_guarded(description.name, [&] { return run(argc, argv, description, make); });
}

}  // namespace tessera::testbench

// The `tessera` program and its subcommands.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>
#include <systemc>

#include "sc_models/common/error.h"
#include "sc_models/common/program.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/version_info.h"
#include "tools/tessera/commands.h"

namespace {

std::string version_line() {
    const tessera::BuildInfo& b = tessera::build_info();
    return fmt::format("tessera {} ({}, {} build, {}, SystemC {})", b.version, b.git_revision,
                       b.build_type, b.compiler, b.systemc);
}

/// Reports an unknown command; CLI11 would only report a missing subcommand.
void check_command(const CLI::App& app, int argc, char** argv) {
    const std::string word = argc > 1 ? argv[1] : "";
    if (word.empty()) return;
    if (word[0] == '-') {
        const std::string name = word.substr(0, word.find('='));
        if (app.get_option_no_throw(name) != nullptr) return;
        throw tessera::ConfigError(
            fmt::format("got option '{}', expected a command, --help or --version", word));
    }
    std::string known;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == word) {
            const bool has_more = !command->get_subcommands([](auto*) { return true; }).empty();
            if (has_more) check_command(*command, argc - 1, argv + 1);
            return;
        }
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    throw tessera::ConfigError(
        fmt::format("got command '{}', expected one of {{{}}}", word, known));
}

/// Rejects empty arguments: an unset variable of a script must not pass for an omitted option.
void check_no_argument_is_empty(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.empty()) {
            throw tessera::ConfigError(
                fmt::format("got an empty argument behind '{}', expected a value", argv[i - 1]));
        }
        if (argument.substr(0, 2) == "--" && argument.find('=') == argument.size() - 1) {
            throw tessera::ConfigError(fmt::format("got '{}', expected a value", argument));
        }
    }
}

/// Parses the command line and runs the selected command, which sets `code`.
int run_command(CLI::App& app, int argc, char** argv, const int& code) {
    try {
        if (argc == 1) {  // the overview helps more than "a subcommand is missing"
            tessera::print_error("{}", app.help());
            return static_cast<int>(tessera::ExitCode::kUserError);
        }
        check_command(app, argc, argv);
        check_no_argument_is_empty(argc, argv);
        app.parse(argc, argv);
        return code;
    } catch (const CLI::Success& help_or_version) {
        return app.exit(help_or_version);
    } catch (const CLI::ParseError& error) {
        throw tessera::ConfigError(fmt::format("{} (see --help)", error.what()));
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    tessera::prepare_program(argc, argv);
    CLI::App app{
        "A GPU whose SMs remove redundant work from deep-learning kernels, in SystemC/TLM-2.0.\n"
        "Configurations are YAML files or short names (tessera config --names).",
        "tessera"};
    app.set_version_flag("--version", version_line());
    app.require_subcommand(1);
    app.footer("Exit codes: 0 good, 1 a check failed, 2 wrong input, 3 deadlock, 130 interrupted.");
    int code = static_cast<int>(tessera::ExitCode::kGood);
    tessera::add_run_command(app, code);
    tessera::add_microbench_command(app, code);
    tessera::add_trace_command(app, code);
    tessera::add_cosim_command(app, code);
    tessera::add_block_pairs_command(app, code);
    tessera::add_program_command(app, code);
    tessera::add_config_command(app, code);
    tessera::add_sweep_command(app, code);
    tessera::add_report_command(app, code);
    tessera::add_reproduce_command(app, code);
    tessera::add_atlas_command(app, code);
    tessera::add_compare_command(app, code);
    tessera::add_correlate_command(app, code);
    tessera::add_table_command(app, code);
    tessera::add_tune_command(app, code);
    tessera::add_align_command(app, code);
    tessera::add_timeline_command(app, code);
    tessera::add_energy_command(app, code);
    tessera::add_im2col_table_command(app, code);
    tessera::add_network_command(app, code);
    tessera::add_cache_command(app, code);
    return tessera::run_guarded("tessera", [&] { return run_command(app, argc, argv, code); });
}

int main(int argc, char** argv) {
    tessera::open_standard_streams();
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}

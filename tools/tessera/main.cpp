// The `tessera` program and its subcommands.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string_view>
#include <systemc>

#include "sc_models/common/clock.h"
#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/utf8.h"
#include "sc_models/common/version_info.h"
#include "tools/tessera/commands.h"

namespace {

std::string version_line() {
    const tessera::BuildInfo& b = tessera::build_info();
    return fmt::format("tessera {} ({}, {} build, {}, SystemC {})", b.version, b.git_revision,
                       b.build_type, b.compiler, b.systemc);
}

void on_interrupt(int signal) {
    tessera::request_interrupt();
    // A second Ctrl-C ends at once. SIGTERM often comes twice: timeout(1) sends it to the process
    // and then to its group.
    if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

void listen_to_signals() {
    std::signal(SIGTERM, on_interrupt);
    // Signals that the parent process ignores stay ignored: background jobs of a script ignore the
    // Ctrl-C meant for the foreground, and nohup(1) ignores SIGHUP.
    for (const int signal : {SIGINT, SIGHUP}) {
        if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
    std::signal(SIGCHLD, SIG_DFL);  // inherited if the parent ignores it; children's exit would go
                                    // unnoticed
    std::signal(SIGXFSZ, SIG_IGN);  // the failing write reports a full disk
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

int fail(tessera::ExitCode code, const char* kind, const char* message) {
    // Messages about user input may contain any bytes; of the others, only a deadlock's report has
    // several lines.
    const bool one_line = code == tessera::ExitCode::kUserError;
    tessera::print_error("tessera: {}{}\n", kind,
                         one_line ? tessera::printable(message) : std::string(message));
    return static_cast<int>(code);
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
int parse(CLI::App& app, int argc, char** argv, const int& code) {
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
    }
}

/// Runs the command; returns its exit code, or that of the error that stopped it, and prints the
/// error in one line.
int run_command(CLI::App& app, int argc, char** argv, const int& code) {
    using tessera::ExitCode;
    try {
        const int done = parse(app, argc, argv, code);
        // Output must be flushed, or a full disk would look like success.
        if (std::fflush(stdout) != 0) throw fmt::system_error(errno, "cannot write to file");
        return done;
    } catch (const CLI::ParseError& error) {
        return fail(ExitCode::kUserError, "", fmt::format("{} (see --help)", error.what()).c_str());
    } catch (const tessera::ConfigError& error) {
        return fail(ExitCode::kUserError, "", error.what());
    } catch (const tessera::CheckError& error) {
        return fail(ExitCode::kCheckFailed, "check failed: ", error.what());
    } catch (const tessera::DeadlockError& error) {
        return fail(ExitCode::kDeadlock, "deadlock: ", error.what());
    } catch (const tessera::Interrupted&) {
        return static_cast<int>(ExitCode::kInterrupted);
    } catch (const std::bad_alloc&) {
        return fail(ExitCode::kUserError, "", "no memory left for what was asked for");
    } catch (const sc_core::sc_report& report) {
        // SystemC wraps what a process throws.
        return fail(ExitCode::kCheckFailed, "check failed: ", report.get_msg());
    } catch (const std::filesystem::filesystem_error& error) {
        // A name that is too long, a folder that cannot be read.
        const std::string text =
            fmt::format("{}: {}", error.path1().string(), error.code().message());
        return fail(ExitCode::kUserError, "", text.c_str());
    } catch (const std::exception& error) {
        if (std::ferror(stdout) != 0) {
            return fail(ExitCode::kUserError, "standard output: ", error.what());
        }
        return fail(ExitCode::kCheckFailed, "internal error: ", error.what());
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    tessera::back_heap_with_huge_pages();
    tessera::set_command_line(argc, argv);
    tessera::init_time_resolution();
    sc_core::sc_set_stop_mode(sc_core::SC_STOP_IMMEDIATE);  // one SM stops the run for all
    // A bug of the model ends the run with its name and place, not with a core dump.
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    // This program reports interrupts itself, and not with --quiet.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                            sc_core::SC_DO_NOTHING);
    listen_to_signals();

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
    tessera::add_tune_command(app, code);
    tessera::add_timeline_command(app, code);
    tessera::add_energy_command(app, code);
    tessera::add_im2col_table_command(app, code);
    tessera::add_network_command(app, code);
    return run_command(app, argc, argv, code);
}

int main(int argc, char** argv) {
    tessera::open_standard_streams();
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}

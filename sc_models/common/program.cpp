#include "sc_models/common/program.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <systemc>

#include "sc_models/common/clock.h"
#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/utf8.h"

namespace tessera {
namespace {

void on_interrupt(int signal) {
    request_interrupt();
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

int fail(const std::string& program, ExitCode code, const char* kind, const char* message) {
    // Messages about user input may contain any bytes; of the others, only a deadlock's report has
    // several lines.
    const bool one_line = code == ExitCode::kUserError;
    print_error("{}: {}{}\n", program, kind, one_line ? printable(message) : std::string(message));
    return static_cast<int>(code);
}

}  // namespace

void prepare_program(int argc, const char* const* argv) {
    back_heap_with_huge_pages();
    set_command_line(argc, argv);
    init_time_resolution();
    sc_core::sc_set_stop_mode(sc_core::SC_STOP_IMMEDIATE);  // one SM stops the run for all
    // A bug of the model ends the run with its name and place, not with a core dump.
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    // The program reports interrupts itself, and not with --quiet.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                            sc_core::SC_DO_NOTHING);
    listen_to_signals();
}

int run_guarded(const std::string& program, const std::function<int()>& body) {
    try {
        const int done = body();
        // Output must be flushed, or a full disk would look like success.
        if (std::fflush(stdout) != 0) throw fmt::system_error(errno, "cannot write to file");
        return done;
    } catch (const ConfigError& error) {
        return fail(program, ExitCode::kUserError, "", error.what());
    } catch (const CheckError& error) {
        return fail(program, ExitCode::kCheckFailed, "check failed: ", error.what());
    } catch (const DeadlockError& error) {
        return fail(program, ExitCode::kDeadlock, "deadlock: ", error.what());
    } catch (const Interrupted&) {
        return static_cast<int>(ExitCode::kInterrupted);
    } catch (const std::bad_alloc&) {
        return fail(program, ExitCode::kUserError, "", "no memory left for what was asked for");
    } catch (const sc_core::sc_report& report) {
        // SystemC wraps what a process throws.
        return fail(program, ExitCode::kCheckFailed, "check failed: ", report.get_msg());
    } catch (const std::filesystem::filesystem_error& error) {
        // A name that is too long, a folder that cannot be read.
        const std::string text =
            fmt::format("{}: {}", error.path1().string(), error.code().message());
        return fail(program, ExitCode::kUserError, "", text.c_str());
    } catch (const std::exception& error) {
        if (std::ferror(stdout) != 0) {
            return fail(program, ExitCode::kUserError, "standard output: ", error.what());
        }
        return fail(program, ExitCode::kCheckFailed, "internal error: ", error.what());
    }
}

}  // namespace tessera

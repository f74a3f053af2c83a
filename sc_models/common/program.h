// Frame of a simulation program: signals, settings of SystemC, and exit codes of errors.
#pragma once

#include <functional>
#include <string>

namespace tessera {

/// Prepares the process of an sc_main: command line for reports, time resolution, actions of
/// SystemC's reports, and signals that interrupt a run (interrupt.h).
void prepare_program(int argc, const char* const* argv);

/// Runs `body` and returns its exit code. An error that it throws is printed in one line, after the
/// program's name, and gives the error's exit code (ExitCode).
int run_guarded(const std::string& program, const std::function<int()>& body);

}  // namespace tessera

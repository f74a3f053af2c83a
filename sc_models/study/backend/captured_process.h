// Execution of other programs with captured output.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Exit code and output of a program.
struct CapturedProcess {
    int exit_code = 0;  ///< 128 + signal if a signal ended it; 127: it cannot be executed
    std::string out, err;
};

/// Runs argv[0] (looked up in PATH if it has no slash) to its end, with empty input and with
/// `environment` added to the environment. A Ctrl-C at the terminal does not reach it. Throws
/// ConfigError if no process can be created.
[[nodiscard]] CapturedProcess capture(
    const std::vector<std::string>& argv,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

/// Whether a folder of PATH has the program.
[[nodiscard]] bool is_in_path(const std::string& program);

/// Line of a program's output with the reason of its failure: the last error of Tessera, or else
/// the last line.
[[nodiscard]] std::string last_error(const std::string& output);

}  // namespace tessera

// Other programs: whether they are there, what they print.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// What a program left.
struct CapturedProcess {
    int exit_code = 0;  ///< 128 + signal if one ended it; 127: it cannot be executed
    std::string out, err;
};

/// Runs argv[0] (looked up in PATH if it has no slash) to its end, out of reach of a Ctrl-C at the
/// terminal, with nothing to read and these variables over the environment. Throws ConfigError if
/// no process can be made.
[[nodiscard]] CapturedProcess capture(
    const std::vector<std::string>& argv,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

/// Whether a folder of PATH has the program.
[[nodiscard]] bool is_in_path(const std::string& program);

/// The line of a program's output that says why it failed: the last of Tessera's own, or the last.
[[nodiscard]] std::string last_error(const std::string& output);

}  // namespace tessera

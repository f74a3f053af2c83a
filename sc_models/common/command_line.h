// The command this process was started with, for reports that say how to see something again.
#pragma once

#include <string>
#include <vector>

namespace tessera {

void set_command_line(int argc, const char* const* argv);
/// Quoted for a shell; "(not started from a command line)" in tests and other hosts.
[[nodiscard]] const std::string& command_line();

/// `argv` as one would type it into a shell, quoted where needed.
[[nodiscard]] std::string shell_quoted(const std::vector<std::string>& argv);

}  // namespace tessera

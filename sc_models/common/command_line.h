// Command line of this process, for reports that explain how to reproduce a result.
#pragma once

#include <string>
#include <vector>

namespace tessera {

void set_command_line(int argc, const char* const* argv);
/// Command line quoted for a shell; "(not started from a command line)" in tests and other hosts.
[[nodiscard]] const std::string& command_line();

/// `argv` as a shell command line, quoted where needed.
[[nodiscard]] std::string shell_quoted(const std::vector<std::string>& argv);

}  // namespace tessera

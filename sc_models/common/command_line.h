// The command this process was started with, for reports that say how to see something again.
#pragma once

#include <string>

namespace tessera {

void set_command_line(int argc, const char* const* argv);
/// Quoted for a shell where needed; "(not started from a command line)" in tests and other hosts.
[[nodiscard]] const std::string& command_line();

}  // namespace tessera

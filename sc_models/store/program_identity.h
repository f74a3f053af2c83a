// Identity of the running program.
#pragma once

#include <string>

namespace tessera {

/// The linker's build ID of the running program in hexadecimal digits: a hash of its code and data,
/// so that two programs with one ID compute the same. Empty if the program was linked without one.
/// Source: System V ABI notes, NT_GNU_BUILD_ID (ld --build-id).
[[nodiscard]] std::string program_identity();

}  // namespace tessera

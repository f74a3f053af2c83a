// Hash of a file's content, for keys of stored results.
#pragma once

#include <string>

namespace tessera {

/// FNV-1a of the file's bytes in 16 hexadecimal digits. Throws ConfigError if it cannot be read.
[[nodiscard]] std::string hash_of_file(const std::string& file);

}  // namespace tessera

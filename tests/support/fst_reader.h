// Reads an FST file back, for tests of what was recorded.
#pragma once

#include <string>

namespace tessera::test {

/// The file as the text of a value change dump, made by fstapi's own reader. Throws
/// std::runtime_error if it cannot be read.
[[nodiscard]] std::string fst_as_vcd(const std::string& path);

}  // namespace tessera::test

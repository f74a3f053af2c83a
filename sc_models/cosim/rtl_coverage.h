// Output directory of Verilator coverage, in a build that counts it.
#pragma once

#include <string>

namespace tessera {

/// Sets the directory in which every block writes one file at its end; empty: no files.
void set_rtl_coverage_directory(std::string directory);
[[nodiscard]] const std::string& rtl_coverage_directory();
/// A name for the next file of block `name` in the directory.
[[nodiscard]] std::string next_coverage_file(const std::string& name);

}  // namespace tessera

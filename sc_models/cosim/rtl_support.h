// Whether this build has the RTL blocks.
#pragma once

#include <string>

namespace tessera {

/// Why there is no RTL in this build ("Verilator was not found ..."); empty if there is.
[[nodiscard]] std::string rtl_skipped();

/// Whether the RTL was built to count lines, branches and toggles.
[[nodiscard]] bool rtl_counts_coverage();

/// Throws ConfigError if there is no RTL; `key` is the option or config key that asked for it.
void require_rtl(const std::string& key);

}  // namespace tessera

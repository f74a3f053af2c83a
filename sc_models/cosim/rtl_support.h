// Availability of the RTL blocks in this build.
#pragma once

#include <string>

namespace tessera {

/// Reason why this build has no RTL ("Verilator was not found ..."); empty if it has.
[[nodiscard]] std::string rtl_skipped();

/// Whether the RTL counts coverage of lines, branches and toggles.
[[nodiscard]] bool rtl_counts_coverage();

/// Throws ConfigError if there is no RTL; `key` is the option or config key that requires it.
void require_rtl(const std::string& key);

}  // namespace tessera

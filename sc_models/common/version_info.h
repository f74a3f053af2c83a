// Build identification, stored in every result file and printed by --version.
#pragma once

#include <string_view>

namespace tessera {

/// Identification of a build. All views are to static storage.
struct BuildInfo {
    std::string_view version;       ///< semantic version, e.g. "0.1.0"
    std::string_view git_revision;  ///< 12 hex digits, "-dirty" appended if tracked files differ;
                                    ///< "unknown" outside a git checkout
    std::string_view build_type;    ///< CMake's, e.g. "Release"
    std::string_view compiler;      ///< name and version, e.g. "GNU 12.2.0"
    std::string_view systemc;       ///< version of the SystemC headers, e.g. "2.3.4-Accellera"
};

/// Build of this process. The git revision is that of the library's last build.
[[nodiscard]] const BuildInfo& build_info();

}  // namespace tessera

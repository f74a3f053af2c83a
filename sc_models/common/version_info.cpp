#include "sc_models/common/version_info.h"

#include <systemc>

// Generated at every build; included here only, so that a new revision recompiles this one file.
#include "sc_models/common/version.h"

namespace tessera {

const BuildInfo& build_info() {
    static constexpr BuildInfo kInfo{kVersion, kGitRevision, kBuildType, kCompiler, SC_VERSION};
    return kInfo;
}

}  // namespace tessera

#include "sc_models/common/version_info.h"

#include <systemc>

// Generated at every build; included here only, so that a new revision recompiles this one file.
#include "sc_models/common/version.h"

#define TESSERA_STRING(x) #x
#define TESSERA_DOTTED(major, minor, patch) \
    TESSERA_STRING(major) "." TESSERA_STRING(minor) "." TESSERA_STRING(patch)

namespace tessera {

const BuildInfo& build_info() {
    static constexpr BuildInfo kInfo{
        kVersion, kGitRevision, kBuildType, kCompiler,
        TESSERA_DOTTED(SC_VERSION_MAJOR, SC_VERSION_MINOR, SC_VERSION_PATCH)};
    return kInfo;
}

}  // namespace tessera

#include "sc_models/common/error.h"
#include "sc_models/cosim/rtl_support.h"

namespace tessera {

std::string rtl_skipped() {
    return TESSERA_RTL_SKIPPED;
}

void require_rtl(const std::string& key) {
    throw ConfigError(key + ": needs the RTL blocks, but " + rtl_skipped());
}

}  // namespace tessera

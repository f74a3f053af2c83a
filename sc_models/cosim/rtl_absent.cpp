#include <stdexcept>

#include "sc_models/common/error.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/rtl_support.h"

namespace tessera {

std::string rtl_skipped() {
    return TESSERA_RTL_SKIPPED;
}

bool rtl_counts_coverage() {
    return false;
}

void require_rtl(const std::string& key) {
    throw ConfigError(key + ": needs the RTL blocks, but " + rtl_skipped());
}

std::unique_ptr<Device> make_rtl_block(RtlBlock /*block*/, const Config& /*config*/,
                                       const DevicePlace& /*place*/) {
    throw std::logic_error("there is no RTL");
}

}  // namespace tessera

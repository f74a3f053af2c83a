#include "sc_models/cosim/rtl_support.h"

namespace tessera {

std::string rtl_skipped() {
    return {};
}

bool rtl_counts_coverage() {
    return VM_COVERAGE != 0;
}

void require_rtl(const std::string& /*key*/) {}

}  // namespace tessera

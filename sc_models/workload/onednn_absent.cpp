// Replacement of onednn_check.cpp without oneDNN.
#include "sc_models/workload/onednn_check.h"

namespace tessera {

OnednnReport compare_with_onednn(const Workload& /*workload*/, const MemoryReader& /*read*/) {
    OnednnReport report;
    report.skipped = "oneDNN check skipped because this program was built without oneDNN";
    return report;
}

}  // namespace tessera

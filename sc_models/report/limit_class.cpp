#include "sc_models/report/limit_class.h"

#include "sc_models/run/kernel_limits.h"

namespace tessera {

LimitClass limit_class(std::string_view bound_by) {
    const std::string_view limit = limit_name(bound_by);
    if (limit == "launch") return LimitClass::kLaunch;
    if (limit == "latency" || limit.rfind("few CTAs", 0) == 0) return LimitClass::kLatency;
    return limit == kTensorUnit || limit == kFp32Unit ? LimitClass::kCompute : LimitClass::kMemory;
}

}  // namespace tessera

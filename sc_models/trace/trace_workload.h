// The kernels of an instruction trace, one after the other.
#pragma once

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Every kernel a kernelslist.g names, in its order. A trace has addresses but no values.
class TraceWorkload : public Workload {
public:
    /// Reads the list and the headers of its kernels. Throws ConfigError, "file:line: ...".
    TraceWorkload(const WorkloadConfig& config, std::uint64_t seed,
                  const AccessGranularity& granularity);

    void initialise(const MemoryWriter& /*write*/) const override {}
};

}  // namespace tessera

// Workload of the kernels of an instruction trace, run in order.
#pragma once

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// All kernels of a kernelslist.g, in its order. A trace has addresses but no values.
class TraceWorkload : public Workload {
public:
    /// Reads the list and the headers of its kernels. Throws ConfigError, "file:line: ...".
    TraceWorkload(const WorkloadConfig& config, std::uint64_t seed, const TargetMachine& machine);

    void initialise(const MemoryWriter& /*write*/) const override {}
};

}  // namespace tessera

// Small kernels that each measure one property of the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/microbenchmarks/microbenchmark_builder.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// All microbenchmarks; their kernels run one after the other on one machine.
class MicrobenchmarkWorkload : public Workload {
public:
    /// All SMs of `machine` run the benchmarks of L2 and DRAM. Rows of HMMA.884 need a rate for it;
    /// a machine without it has rows of its own shapes, and with HMMA.16816 of Ampere's copies.
    MicrobenchmarkWorkload(const WorkloadConfig& config, std::uint64_t seed,
                           const TargetMachine& machine);

    [[nodiscard]] const std::vector<Microbenchmark>& benchmarks() const { return benchmarks_; }

    void initialise(const MemoryWriter& /*write*/) const override {}

private:
    std::vector<Microbenchmark> benchmarks_;
};

}  // namespace tessera

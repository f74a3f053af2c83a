// Naive references of kernels: counts of their instructions, and the product of two matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/workload.h"

namespace tessera::testbench {

/// Counts over all warps of a kernel.
struct KernelCounts {
    std::uint64_t instructions = 0;  ///< warp instructions
    std::uint64_t products = 0;      ///< 16x16x16 multiply-accumulates
    std::uint64_t loads = 0, stores = 0, barriers = 0;
    std::uint64_t request_bytes = 0;  ///< of global memory
};

/// Walks through the programs of all warps, one instruction after the other.
[[nodiscard]] KernelCounts count_instructions(const Kernel& kernel, const Config& config);

/// Product of a workload's matrices by the definition, row by row. Exact where all sums are
/// (ValuePattern::kDyadic).
[[nodiscard]] std::vector<float> naive_product(const Workload& workload);

}  // namespace tessera::testbench

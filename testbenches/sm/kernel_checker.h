// Checker of an SM: compares counts, requests and values of its kernels with the reference.
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/harness/sm_above_memory.h"
#include "testbenches/sm/naive_kernel.h"

namespace tessera::testbench {

/// Checks kernels that have ended, and counts the situations they were in.
class KernelChecker {
public:
    /// `session`, `config` and `unit` must outlive it.
    KernelChecker(Session& session, const Config& config, SmAboveMemory& unit)
        : session_(session), config_(config), unit_(unit) {}

    /// Marks the begin of a kernel.
    void begin();
    /// Checks the kernel since begin().
    void check(const Kernel& kernel, const Workload& workload);
    /// Compares D, after all kernels of a product.
    void check_product(const Workload& workload);
    /// Adds the bins of the counters, at the end of the run.
    void cover();

private:
    void check_counts(const Kernel& kernel);
    void check_requests(const Workload& workload);
    void count_situations();

    Session& session_;
    const Config& config_;
    SmAboveMemory& unit_;
    std::size_t first_ = 0;              ///< event of the memory at the begin of the kernel
    std::vector<std::uint64_t> of_bin_;  ///< by counter, over all kernels
};

}  // namespace tessera::testbench

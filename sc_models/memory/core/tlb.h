// Address translation between an L1 and the crossbar.
#pragma once

#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// First-level TLB of an SM: `entries` pages, fully associative, least-recently-used replacement.
/// Volta's L1 is addressed before translation, so only requests to L2 are translated (Jia et al.,
/// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018). A missing page
/// takes `miss_latency_cycles`, and later requests wait for it, which may exceed the loss on a real
/// card.
class Tlb {
public:
    /// Counters become child "tlb" of `cache`, the group of the L1.
    Tlb(const TlbConfig& config, StatGroup& cache);
    Tlb(const Tlb&) = delete;
    Tlb& operator=(const Tlb&) = delete;

    /// Translates a request for `address` that is ready at `at`; returns when it may leave. Call in
    /// the order of leaving.
    [[nodiscard]] Cycle translate(Address address, Cycle at);

private:
    const Address page_bytes_;
    const std::size_t entries_;
    const Cycle miss_latency_;
    std::vector<Address> pages_;  ///< most recently used first
    Cycle free_ = 0;              ///< arrival of the last missing page
    std::uint64_t hits_ = 0, misses_ = 0, stall_cycles_ = 0;
};

}  // namespace tessera

// The translation of addresses between an L1 and the crossbar.
#pragma once

#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// First TLB of an SM: `entries` pages, fully associative, the page used longest ago is replaced.
/// Volta's L1 is addressed before translation, so only what goes to L2 asks (Jia et al.,
/// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018). A page that is
/// not here takes `miss_latency_cycles`, and what comes behind waits: more than a card may lose.
class Tlb {
public:
    /// Counters become child "tlb" of `cache`, the group of the L1.
    Tlb(const TlbConfig& config, StatGroup& cache);
    Tlb(const Tlb&) = delete;
    Tlb& operator=(const Tlb&) = delete;

    /// A request for `address` is ready at `at`; returns when it may leave. In the order in which
    /// they leave.
    [[nodiscard]] Cycle translate(Address address, Cycle at);

private:
    const Address page_bytes_;
    const std::size_t entries_;
    const Cycle miss_latency_;
    std::vector<Address> pages_;  ///< the one used last in front
    Cycle free_ = 0;              ///< when the last missing page was there
    std::uint64_t hits_ = 0, misses_ = 0, stall_cycles_ = 0;
};

}  // namespace tessera

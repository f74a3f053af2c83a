// Statistics of L1 misses whose block is in another SM's L1.
#pragma once

#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/memory/core/block_watch.h"

namespace tessera {

/// Searches the L1 caches of all other SMs for every sector that an L1 requests (opportunistic
/// computing, Figure 2): counts sectors that are present, and those present or in flight.
class BlockSharing {
public:
    BlockSharing(std::uint32_t cluster_sms, StatGroup& statistics);
    /// Adds an SM's cache, in the order of the SMs.
    void join(const BlockPresence& cache) { caches_.push_back(&cache); }
    void on_miss(SmId sm, Address address);

private:
    std::uint32_t cluster_sms_;
    std::vector<const BlockPresence*> caches_;
    std::uint64_t misses_ = 0, elsewhere_ = 0, expected_ = 0, in_cluster_ = 0;
};

}  // namespace tessera

// How often a block that one L1 misses is in another.
#pragma once

#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/memory/core/block_watch.h"

namespace tessera {

/// Looks for every sector that an L1 has to ask for in the L1 caches of all other SMs
/// (opportunistic computing, Figure 2): whether it is there, or there or on its way.
class BlockSharing {
public:
    BlockSharing(std::uint32_t cluster_sms, StatGroup& statistics);
    /// In the order of the SMs.
    void join(const BlockPresence& cache) { caches_.push_back(&cache); }
    void on_miss(SmId sm, Address address);

private:
    std::uint32_t cluster_sms_;
    std::vector<const BlockPresence*> caches_;
    std::uint64_t misses_ = 0, elsewhere_ = 0, expected_ = 0, in_cluster_ = 0;
};

}  // namespace tessera

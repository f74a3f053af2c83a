#include "sc_models/opportunistic/block_sharing.h"

namespace tessera {

BlockSharing::BlockSharing(std::uint32_t cluster_sms, StatGroup& statistics)
    : cluster_sms_(cluster_sms) {
    statistics.counter("misses", misses_, "count", "sectors that an L1 asked for");
    statistics.counter("found_elsewhere", elsewhere_, "count",
                       "of which another SM's L1 had the sector");
    statistics.counter("found_or_expected", expected_, "count",
                       "of which another SM's L1 had the sector or was waiting for it");
    statistics.counter("found_in_cluster", in_cluster_, "count",
                       "of which one of the same cluster had it");
    statistics.ratio("found_elsewhere_percent", {"found_elsewhere"}, {"misses"}, "percent",
                     "misses whose sector is in another SM's L1 (opportunistic computing, "
                     "Figure 2)",
                     100.0);
}

void BlockSharing::on_miss(SmId sm, Address address) {
    ++misses_;
    bool elsewhere = false, expected = false, in_cluster = false;
    for (std::uint32_t other = 0; other < caches_.size() && !in_cluster; ++other) {
        const bool near = other / cluster_sms_ == sm.value() / cluster_sms_;
        if (other == sm.value() || (elsewhere && !near)) continue;
        const Cycle ready = caches_[other]->sector_ready(address);
        expected = expected || ready != kNever;
        if (ready != 0) continue;
        elsewhere = true;
        in_cluster = near;
    }
    expected_ += expected ? 1 : 0;
    elsewhere_ += elsewhere ? 1 : 0;
    in_cluster_ += in_cluster ? 1 : 0;
}

}  // namespace tessera

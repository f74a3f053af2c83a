// Interface of an L1 prefetcher.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/memory/core/l1_statistics.h"
#include "sc_models/memory/core/sector_tags.h"

namespace tessera {

/// Observes the reads of an L1 in the order of their lookups, hits and misses alike, and predicts
/// reads. Independent of SystemC and time, so that it works at both levels of timing.
class Prefetcher {
public:
    virtual ~Prefetcher() = default;
    /// Observes a looked-up read of `stream` (AccessInfo::stream) at `address`. Appends to
    /// `expected` the addresses of reads of the same size to fetch now, the most urgent first.
    virtual void on_read(std::uint32_t stream, Address address, std::vector<Address>& expected) = 0;
};

/// Prefetcher of an L1 with the statistics of the prefetched sectors.
class PrefetchTracker {
public:
    /// Counts in `statistics`, which must outlive this object.
    PrefetchTracker(std::unique_ptr<Prefetcher> prefetcher, PrefetchStatistics& statistics)
        : prefetcher_(std::move(prefetcher)), stats_(statistics) {}

    /// Reports a looked-up read. Returns the predicted addresses, valid until the next call; those
    /// beyond the range of tags are left out.
    const std::vector<Address>& expected_after(std::uint32_t stream, Address address);
    /// Reports that a sector is requested by a prefetch.
    void on_issued(std::uint64_t sector) {
        ++stats_.issued;
        unread_.insert(sector);
    }
    /// Reports that a prefetch was dropped for lack of room.
    void on_dropped() { ++stats_.dropped; }
    /// Reports a read of the sector, which is `here` or still pending.
    void on_read(std::uint64_t sector, bool here) {
        if (unread_.erase(sector) != 0) ++(here ? stats_.useful : stats_.late);
    }
    /// Reports the eviction of the sectors `valid`, counted from `first`.
    void on_lost(std::uint64_t first, SectorMask valid);
    /// Reports that the cache has been emptied, with nothing pending.
    void on_invalidated() {
        stats_.useless += unread_.size();
        unread_.clear();
    }
    /// Appends a line if the counts of cache `name` are inconsistent.
    void check(const std::string& name, std::vector<std::string>& violations) const {
        stats_.check(name, unread_.size(), violations);
    }

private:
    std::unique_ptr<Prefetcher> prefetcher_;
    PrefetchStatistics& stats_;
    std::vector<Address> expected_;
    std::unordered_set<std::uint64_t>
        unread_;  ///< prefetched sectors without a read, present or pending
};

}  // namespace tessera

// What may have an L1 fetch sectors before somebody reads them.
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

/// Sees the reads of an L1 in the order of their lookups, hits and misses alike, and says where
/// reads are to be expected. It knows neither SystemC nor time, so that it works at both levels of
/// timing.
class Prefetcher {
public:
    virtual ~Prefetcher() = default;
    /// A read of `stream` (AccessInfo::stream) at `address` has been looked up. Appends to
    /// `expected` the addresses of reads of the same size that are worth fetching now, the most
    /// urgent first.
    virtual void on_read(std::uint32_t stream, Address address, std::vector<Address>& expected) = 0;
};

/// The prefetcher of an L1, and what became of the sectors that were fetched for it.
class PrefetchTracker {
public:
    /// Counts in `statistics`, which must outlive it.
    PrefetchTracker(std::unique_ptr<Prefetcher> prefetcher, PrefetchStatistics& statistics)
        : prefetcher_(std::move(prefetcher)), stats_(statistics) {}

    /// A read has been looked up. Returns where others are expected, valid until the next call;
    /// what no tag can name is left out.
    const std::vector<Address>& expected_after(std::uint32_t stream, Address address);
    /// The sector is asked for, and nobody waits for it.
    void on_issued(std::uint64_t sector) {
        ++stats_.issued;
        unread_.insert(sector);
    }
    /// There was no room to ask for a sector.
    void on_dropped() { ++stats_.dropped; }
    /// The sector is read, and `here` already or still on its way.
    void on_read(std::uint64_t sector, bool here) {
        if (unread_.erase(sector) != 0) ++(here ? stats_.useful : stats_.late);
    }
    /// Sectors from `first` on have been pushed out, those of `valid`.
    void on_lost(std::uint64_t first, SectorMask valid);
    /// The cache has been emptied; nothing is on its way.
    void on_invalidated() {
        stats_.useless += unread_.size();
        unread_.clear();
    }
    /// Appends a line if a sector has got lost in the counts of cache `name`.
    void check(const std::string& name, std::vector<std::string>& violations) const {
        stats_.check(name, unread_.size(), violations);
    }

private:
    std::unique_ptr<Prefetcher> prefetcher_;
    PrefetchStatistics& stats_;
    std::vector<Address> expected_;
    std::unordered_set<std::uint64_t> unread_;  ///< sectors fetched ahead, here or on their way
};

}  // namespace tessera

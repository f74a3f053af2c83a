// Counters of an L1 data cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/statistics.h"

namespace tessera {

/// Results of the sectors that an L1 prefetched.
struct PrefetchStatistics {
    std::uint64_t issued = 0;
    std::uint64_t useful = 0;   ///< present at their first read
    std::uint64_t late = 0;     ///< pending at their first read
    std::uint64_t useless = 0;  ///< evicted before a read
    std::uint64_t dropped = 0;  ///< not requested, for lack of room

    void register_in(StatGroup& group) const;
    /// Appends a line if the numbers do not add up; `unread` sectors were not read yet.
    void check(const std::string& name, std::uint64_t unread,
               std::vector<std::string>& violations) const;
};

/// Counters in sectors unless stated otherwise.
struct L1Statistics {
    std::uint64_t reads = 0;
    std::uint64_t read_hits = 0;
    std::uint64_t read_pending_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t bypasses = 0;  ///< misses that read L2's copy
    std::uint64_t writes = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t fills = 0;
    std::uint64_t evictions = 0;
    std::uint64_t read_requests_below = 0;
    std::uint64_t read_sectors_below = 0;  ///< sectors of these requests
    std::uint64_t write_requests_below = 0;
    std::uint64_t write_bytes_below = 0;
    std::uint64_t mshr_stall_cycles = 0;
    std::uint64_t target_stall_cycles = 0;
    std::uint64_t queue_full_cycles = 0;   ///< accesses waited before the queue of the lookup
    std::uint64_t queue_stall_cycles = 0;  ///< accesses waited for room behind the lookup
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    PrefetchStatistics prefetch;  ///< all zero without a prefetcher, and then not registered

    /// Counts a read request of `sectors` to the level below.
    void count_read_below(std::uint32_t sectors) {
        ++read_requests_below;
        read_sectors_below += sectors;
    }
    /// Counts a write of `bytes` to the level below, with sectors `written`, of which `present` are
    /// in the cache; returns the number of sectors.
    std::uint32_t count_write(std::uint32_t written, std::uint32_t present, std::uint32_t bytes) {
        const auto sectors = static_cast<std::uint32_t>(__builtin_popcount(written));
        writes += sectors;
        write_hits += static_cast<std::uint32_t>(__builtin_popcount(written & present));
        ++write_requests_below;
        write_bytes_below += bytes;
        return sectors;
    }
    void register_in(StatGroup& group) const;
    /// Appends a line for each broken invariant; `outstanding` is the number of sectors in the
    /// MSHRs.
    void check(const std::string& name, std::uint64_t outstanding,
               std::vector<std::string>& violations) const;
};

}  // namespace tessera

// Counters of an L1 data cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/statistics.h"

namespace tessera {

/// What became of the sectors that an L1 asked for before anybody read them.
struct PrefetchStatistics {
    std::uint64_t issued = 0;
    std::uint64_t useful = 0;   ///< here when they were first read
    std::uint64_t late = 0;     ///< still on their way then
    std::uint64_t useless = 0;  ///< gone before anybody read them
    std::uint64_t dropped = 0;  ///< not asked for, as there was no room

    void register_in(StatGroup& group) const;
    /// Appends a line if the numbers do not add up; `unread` sectors were not read yet.
    void check(const std::string& name, std::uint64_t unread,
               std::vector<std::string>& violations) const;
};

/// Everything is counted in sectors unless it says otherwise.
struct L1Statistics {
    std::uint64_t reads = 0;
    std::uint64_t read_hits = 0;
    std::uint64_t read_pending_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t bypasses = 0;  ///< of the misses, reads that asked for L2's copy
    std::uint64_t writes = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t fills = 0;
    std::uint64_t evictions = 0;
    std::uint64_t read_requests_below = 0;
    std::uint64_t read_sectors_below = 0;  ///< in these requests
    std::uint64_t write_requests_below = 0;
    std::uint64_t write_bytes_below = 0;
    std::uint64_t mshr_stall_cycles = 0;
    std::uint64_t target_stall_cycles = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    PrefetchStatistics prefetch;  ///< all zero without a prefetcher, and then not registered

    /// A request below for `sectors`.
    void count_read_below(std::uint32_t sectors) {
        ++read_requests_below;
        read_sectors_below += sectors;
    }
    /// A write of `bytes` below, of the sectors `written`, where `present` are in the cache;
    /// returns how many sectors.
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

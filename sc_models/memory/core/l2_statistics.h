// Counters of an L2 slice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"

namespace tessera {

/// Counters in sectors unless stated otherwise.
struct L2Statistics {
    std::uint64_t reads = 0;
    std::uint64_t read_hits = 0;
    std::uint64_t read_pending_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t writes = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t write_pending_hits = 0;
    std::uint64_t write_allocations = 0;  ///< full-sector writes that needed no fetch
    std::uint64_t write_fetches = 0;      ///< partial writes that fetched the rest
    std::uint64_t fills = 0;
    std::uint64_t evictions = 0;
    std::uint64_t dirty_evictions = 0;
    std::uint64_t fetch_requests_below = 0;
    std::uint64_t write_backs_below = 0;
    std::uint64_t mshr_stall_cycles = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;

    void register_in(StatGroup& group) const;
    /// Appends a line for each broken invariant; `outstanding` is the number of sectors in the
    /// MSHRs.
    void check(const std::string& name, std::uint64_t outstanding,
               std::vector<std::string>& violations) const;
};

}  // namespace tessera

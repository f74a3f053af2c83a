// Counters of a DRAM channel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/memory/core/dram_timing.h"

namespace tessera {

/// Requests are of one sector; cycles are DRAM clock cycles.
struct DramStatistics {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t row_hits = 0;
    std::uint64_t row_empties = 0;
    std::uint64_t row_conflicts = 0;
    std::uint64_t bus_busy_cycles = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t turnarounds = 0;

    void count(RowOutcome row) {
        row_hits += row == RowOutcome::kHit ? 1 : 0;
        row_empties += row == RowOutcome::kEmpty ? 1 : 0;
        row_conflicts += row == RowOutcome::kConflict ? 1 : 0;
    }
    void register_in(StatGroup& group) const;
    /// Appends a line for each broken invariant; one request holds the bus for `burst_cycles`.
    void check(const std::string& name, std::uint64_t burst_cycles,
               std::vector<std::string>& violations) const;
};

}  // namespace tessera

#include "sc_models/memory/core/dram_statistics.h"

#include "sc_models/common/conservation.h"

namespace tessera {

void DramStatistics::register_in(StatGroup& group) const {
    group.counter("reads", reads, "requests", "sectors read");
    group.counter("writes", writes, "requests", "sectors written");
    group.counter("row_hits", row_hits, "requests", "served from an open row");
    group.counter("row_empties", row_empties, "requests", "opened a row in a bank without one");
    group.counter("row_conflicts", row_conflicts, "requests", "closed another row first");
    group.counter("bus_busy_cycles", bus_busy_cycles, "dram_cycles", "data bus taken");
    group.counter("bytes_read", bytes_read, "bytes", "bytes read");
    group.counter("bytes_written", bytes_written, "bytes", "bytes written");
    group.counter("turnarounds", turnarounds, "turnarounds",
                  "of the data bus between reads and writes, if dram.t_wtr_cycles counts them");
    group.ratio("row_hit_rate", {"row_hits"}, {"reads", "writes"}, "fraction",
                "requests served from an open row");
}

void DramStatistics::check(const std::string& name, std::uint64_t burst_cycles,
                           std::vector<std::string>& violations) const {
    expect_equal(name, "reads + writes", reads + writes, "row hits + empties + conflicts",
                 row_hits + row_empties + row_conflicts, violations);
    expect_equal(name, "bus busy cycles", bus_busy_cycles, "requests x burst cycles",
                 (reads + writes) * burst_cycles, violations);
}

}  // namespace tessera

#include "sc_models/memory/core/l2_statistics.h"

#include "sc_models/common/conservation.h"

namespace tessera {

void L2Statistics::register_in(StatGroup& group) const {
    group.counter("reads", reads, "sectors", "sectors read");
    group.counter("read_hits", read_hits, "sectors", "reads found in the cache");
    group.counter("read_pending_hits", read_pending_hits, "sectors",
                  "reads merged with an outstanding miss");
    group.counter("read_misses", read_misses, "sectors", "reads fetched from DRAM");
    group.counter("writes", writes, "sectors", "sectors written");
    group.counter("write_hits", write_hits, "sectors", "writes that found their sector");
    group.counter("write_pending_hits", write_pending_hits, "sectors",
                  "writes merged with an outstanding miss");
    group.counter("write_allocations", write_allocations, "sectors",
                  "full-sector writes that allocated without a fetch");
    group.counter("write_fetches", write_fetches, "sectors",
                  "partial writes that fetched their sector from DRAM");
    group.counter("fills", fills, "sectors", "fetched sectors installed");
    group.counter("evictions", evictions, "sectors", "valid sectors replaced");
    group.counter("dirty_evictions", dirty_evictions, "sectors", "dirty sectors replaced");
    group.counter("fetch_requests_below", fetch_requests_below, "requests", "reads sent to DRAM");
    group.counter("write_backs_below", write_backs_below, "requests", "writes sent to DRAM");
    group.counter("mshr_stall_cycles", mshr_stall_cycles, "cycles",
                  "requests waited for a free miss register");
    group.counter("bytes_read", bytes_read, "bytes", "bytes sent to the crossbar");
    group.counter("bytes_written", bytes_written, "bytes", "bytes taken from the crossbar");
    group.ratio("read_hit_rate", {"read_hits", "read_pending_hits"}, {"reads"}, "fraction",
                "reads that did not go to DRAM");
}

void L2Statistics::check(const std::string& name, std::uint64_t outstanding,
                         std::vector<std::string>& violations) const {
    expect_equal(name, "reads", reads, "hits + pending hits + misses",
                 read_hits + read_pending_hits + read_misses, violations);
    expect_equal(name, "writes", writes, "hits + pending hits + allocations + fetches",
                 write_hits + write_pending_hits + write_allocations + write_fetches, violations);
    expect_equal(name, "read misses + write fetches", read_misses + write_fetches,
                 "fetch requests below", fetch_requests_below, violations);
    expect_equal(name, "fetch requests below", fetch_requests_below, "fills + outstanding",
                 fills + outstanding, violations);
    expect_equal(name, "dirty evictions", dirty_evictions, "write-backs below", write_backs_below,
                 violations);
}

}  // namespace tessera

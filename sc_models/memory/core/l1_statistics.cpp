#include "sc_models/memory/core/l1_statistics.h"

#include "sc_models/common/conservation.h"

namespace tessera {

void L1Statistics::register_in(StatGroup& group) const {
    group.counter("reads", reads, "sectors", "sectors read");
    group.counter("read_hits", read_hits, "sectors", "reads found in the cache");
    group.counter("read_pending_hits", read_pending_hits, "sectors",
                  "reads merged with an outstanding miss");
    group.counter("read_misses", read_misses, "sectors", "reads sent to the next level");
    group.counter("bypasses", bypasses, "sectors", "of them, reads of L2's copy (.STRONG.GPU)");
    group.counter("writes", writes, "sectors", "sectors written, all through to the next level");
    group.counter("write_hits", write_hits, "sectors", "writes that found their sector");
    group.counter("fills", fills, "sectors", "sectors installed after a miss");
    group.counter("evictions", evictions, "sectors", "valid sectors replaced");
    group.counter("read_requests_below", read_requests_below, "requests",
                  "reads sent to the crossbar");
    group.counter("read_sectors_below", read_sectors_below, "sectors", "sectors these asked for");
    group.counter("write_requests_below", write_requests_below, "requests",
                  "writes sent to the crossbar");
    group.counter("write_bytes_below", write_bytes_below, "bytes", "data in them");
    group.counter("mshr_stall_cycles", mshr_stall_cycles, "cycles",
                  "accesses waited for a free miss register");
    group.counter("target_stall_cycles", target_stall_cycles, "cycles",
                  "accesses waited because a miss register served its most accesses");
    group.counter("bytes_read", bytes_read, "bytes", "bytes the LDST unit read");
    group.counter("bytes_written", bytes_written, "bytes", "bytes the LDST unit wrote");
    group.ratio("read_hit_rate", {"read_hits", "read_pending_hits"}, {"reads"}, "fraction",
                "reads that did not go to the next level");
    group.counter("held_cycles", queue_full_cycles, "cycles",
                  "accesses waited because the queue before the lookup was full");
    group.counter("queue_stall_cycles", queue_stall_cycles, "cycles",
                  "accesses waited for room among the requests to the crossbar");
}

void L1Statistics::check(const std::string& name, std::uint64_t outstanding,
                         std::vector<std::string>& violations) const {
    expect_equal(name, "reads", reads, "hits + pending hits + misses",
                 read_hits + read_pending_hits + read_misses, violations);
    expect_equal(name, "read misses and prefetches", read_misses + prefetch.issued,
                 "sectors of reads below", read_sectors_below, violations);
    expect_equal(name, "bytes written", bytes_written, "write bytes below", write_bytes_below,
                 violations);
    expect_equal(name, "read misses and prefetches", read_misses + prefetch.issued,
                 "fills + outstanding + bypasses", fills + outstanding + bypasses, violations);
}

void PrefetchStatistics::register_in(StatGroup& group) const {
    group.counter("issued", issued, "sectors", "sectors asked for before anybody read them");
    group.counter("useful", useful, "sectors", "of them, here when they were first read");
    group.counter("late", late, "sectors", "of them, still on their way when they were first read");
    group.counter("useless", useless, "sectors", "of them, gone before anybody read them");
    group.counter("dropped", dropped, "sectors", "not asked for: no miss register or queue entry");
}

void PrefetchStatistics::check(const std::string& name, std::uint64_t unread,
                               std::vector<std::string>& violations) const {
    expect_equal(name, "prefetches", issued, "useful + late + useless + unread",
                 useful + late + useless + unread, violations);
}

}  // namespace tessera

// Do the conservation checks notice what is broken? Each law is broken on purpose, one at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/gpu/memory_system.h"
#include "sc_models/memory/core/dram_statistics.h"
#include "sc_models/memory/core/l1_statistics.h"
#include "sc_models/memory/core/l2_statistics.h"
#include "sc_models/noc/core/crossbar_statistics.h"

using namespace tessera;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

using Found = std::vector<std::string>;

TEST(MemoryStatistics, L1) {
    L1Statistics good;
    good.reads = 10;
    good.read_hits = 5;
    good.read_pending_hits = 2;
    good.read_misses = good.read_sectors_below = 3;
    good.fills = 2;
    good.bytes_written = good.write_bytes_below = 4;
    const auto check = [](const L1Statistics& stats, std::uint64_t outstanding = 1) {
        Found found;
        stats.check("l1", outstanding, found);
        return found;
    };
    EXPECT_THAT(check(good), IsEmpty());
    EXPECT_THAT(check(good, 0), UnorderedElementsAre(HasSubstr("fills + outstanding")));
    L1Statistics bad = good;
    ++bad.read_hits;
    EXPECT_THAT(check(bad), UnorderedElementsAre("l1: reads (10) is not hits + pending hits + "
                                                 "misses (11)"));
    bad = good;
    ++bad.read_sectors_below;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("sectors of reads below")));
    good.prefetch.issued = 2;
    good.read_sectors_below += 2;
    good.fills += 2;
    EXPECT_THAT(check(good), IsEmpty());
    bad = good;
    ++bad.prefetch.issued;
    EXPECT_THAT(check(bad), UnorderedElementsAre("l1: read misses and prefetches (6) is not "
                                                 "sectors of reads below (5)",
                                                 HasSubstr("fills + outstanding")));
    bad = good;
    --bad.write_bytes_below;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("write bytes below")));
}

TEST(MemoryStatistics, HitRateOfAnL1) {
    L1Statistics stats;
    StatGroup group("l1");
    stats.register_in(group);
    stats.reads = 10;
    stats.read_hits = 5;
    stats.read_pending_hits = 2;
    EXPECT_THAT(group.to_csv(), HasSubstr("read_hit_rate,0.7,"));
}

TEST(MemoryStatistics, L2) {
    L2Statistics good;
    good.reads = 6;
    good.read_hits = 3;
    good.read_pending_hits = 1;
    good.read_misses = 2;
    good.writes = 7;
    good.write_hits = 3;
    good.write_pending_hits = 1;
    good.write_allocations = 2;
    good.write_fetches = 1;
    good.fetch_requests_below = 3;
    good.fills = 3;
    good.dirty_evictions = good.write_backs_below = 5;
    const auto check = [](const L2Statistics& stats, std::uint64_t outstanding = 0) {
        Found found;
        stats.check("l2", outstanding, found);
        return found;
    };
    EXPECT_THAT(check(good), IsEmpty());
    EXPECT_THAT(check(good, 1), UnorderedElementsAre(HasSubstr("fills + outstanding")));
    L2Statistics bad = good;
    ++bad.read_pending_hits;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("reads (6)")));
    bad = good;
    --bad.write_allocations;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("writes (7)")));
    bad = good;
    ++bad.fetch_requests_below;
    ++bad.fills;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("fetch requests below (4)")));
    bad = good;
    --bad.write_backs_below;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("write-backs below")));
}

TEST(MemoryStatistics, Dram) {
    DramStatistics good;
    good.reads = 4;
    good.writes = 2;
    good.row_hits = 3;
    good.row_empties = 1;
    good.row_conflicts = 2;
    good.bus_busy_cycles = 12;
    const auto check = [](const DramStatistics& stats) {
        Found found;
        stats.check("dram", 2, found);
        return found;
    };
    EXPECT_THAT(check(good), IsEmpty());
    DramStatistics bad = good;
    ++bad.row_hits;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("row hits + empties + conflicts")));
    bad = good;
    ++bad.bus_busy_cycles;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("bus busy cycles")));
}

TEST(MemoryStatistics, Crossbar) {
    CrossbarStatistics good;
    good.read_requests = good.read_responses = 4;
    good.write_requests = 3;
    good.write_acceptances = 2;
    good.error_responses = 1;
    const auto check = [](const CrossbarStatistics& stats) {
        Found found;
        stats.check("crossbar", found);
        return found;
    };
    EXPECT_THAT(check(good), IsEmpty());
    CrossbarStatistics bad = good;
    --bad.read_responses;
    EXPECT_THAT(check(bad), UnorderedElementsAre(HasSubstr("responses + acceptances + errors")));
}

TEST(MemoryStatistics, BetweenLevels) {
    CrossbarStatistics crossbar;
    L2Statistics l2;
    DramStatistics dram;
    crossbar.read_bytes = l2.bytes_read = 640;
    crossbar.write_bytes = l2.bytes_written = 320;
    l2.fetch_requests_below = dram.reads = 7;
    l2.write_backs_below = dram.writes = 3;
    const auto check = [&] {
        Found found;
        MemorySystem::check_levels("memory", crossbar, l2, found);
        MemorySystem::check_levels("memory", l2, dram, found);
        return found;
    };
    EXPECT_THAT(check(), IsEmpty());
    std::uint64_t* const places[] = {&crossbar.read_bytes, &crossbar.write_bytes, &dram.reads,
                                     &dram.writes};
    const char* const laws[] = {"L2 bytes read", "L2 bytes written", "DRAM reads", "DRAM writes"};
    for (int i = 0; i < 4; ++i) {
        ++*places[i];
        EXPECT_THAT(check(), UnorderedElementsAre(HasSubstr(laws[i])));
        --*places[i];
    }
}

}  // namespace

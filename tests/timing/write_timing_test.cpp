// When is a write accepted, and what does it make L2 fetch and write back? Numbers as in
// memory_timing_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_rig.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::counted;

namespace {

TEST(WriteTiming, WriteReturnsWhenL2HasAcceptedIt) {
    MemoryRig rig;
    const Access write = rig.write(0, 0, 32, 100);
    EXPECT_EQ(write.done, 100 + kToL2);
    EXPECT_EQ(write.accepted, 100U);
    EXPECT_EQ(write.served_by, ServedBy::kL2);
    EXPECT_EQ(rig.sum("memory.l2.write_allocations"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 0U) << "a full sector needs no fetch";
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + kL2Hit) << "no write-allocate in L1";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, StoresMayTakeALineOfTheL1) {
    RigConfig config;
    config.l1.stores = L1Stores::kAllocate;
    MemoryRig rig(config);
    EXPECT_EQ(rig.write(0, 24, 72, 100).done, 102 + kToL2 + 2) << "still through to L2";
    EXPECT_EQ(rig.read(0, 32, 64, 1000).done, 1000 + kL1Hit) << "sectors 1 and 2 were filled";
    EXPECT_EQ(rig.read(0, 0, 32, 2000).served_by, ServedBy::kL2) << "sector 0 was not";
    EXPECT_EQ(rig.sum("l1.read_hits"), 2U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, AStoreThatTakesALinePushesAnotherOut) {
    RigConfig config;
    config.l1.ways = 1;
    config.l1.stores = L1Stores::kAllocate;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 100);
    rig.run_to(5000);
    rig.write(0, config.l1_bytes, 8, 5000);
    EXPECT_EQ(rig.sum("l1.evictions"), 1U);
    EXPECT_EQ(rig.read(0, 0, 32, 6000).served_by, ServedBy::kL2);
    EXPECT_EQ(rig.read(0, config.l1_bytes, 32, 7000).served_by, ServedBy::kL2) << "not filled";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, ALineIsWrittenByOneRequest) {
    MemoryRig rig;
    const Access line = rig.write(0, 0, 128, 100);
    EXPECT_EQ(line.accepted, 100U);
    EXPECT_EQ(line.done, 103 + kToL2 + 3) << "four sectors, one a cycle at either end";
    EXPECT_EQ(rig.sum("l1.writes"), 4U);
    EXPECT_EQ(rig.sum("l1.write_requests_below"), 1U);
    EXPECT_EQ(rig.sum("memory.crossbar.write_requests"), 1U);
    EXPECT_EQ(rig.sum("memory.crossbar.write_bytes"), 128U);
    EXPECT_EQ(rig.sum("memory.l2.writes"), 4U);
    const Access next = rig.write(0, 1024, 32, 100);
    EXPECT_EQ(next.accepted, 100U);
    EXPECT_EQ(next.done, 104 + kToL2) << "behind them at the port";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, AWriteIsCutAtTheLinesOfL2) {
    RigConfig config;
    config.l2.line_bytes = 64;
    MemoryRig rig(config);
    EXPECT_EQ(rig.write(0, 16, 96, 100).done, 103 + kToL2 + 1) << "sectors 0 and 1, then 2 and 3";
    EXPECT_EQ(rig.sum("l1.write_requests_below"), 2U);
    EXPECT_EQ(rig.sum("memory.l2.writes"), 4U);
    EXPECT_EQ(rig.sum("memory.l2.bytes_written"), 96U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, EachSectorOfAWriteIsTreatedAsItIs) {
    MemoryRig rig;
    rig.write(0, 32, 32, 0);             // sector 1: there
    rig.read(0, 96, 32, 0);              // sector 3: on its way
    rig.write(0, 16, 128 - 16 - 8, 50);  // a part of 0, all of 1 and 2, a part of 3
    EXPECT_EQ(rig.sum("memory.l2.write_fetches"), 1U);
    EXPECT_EQ(rig.sum("memory.l2.write_hits"), 1U);
    EXPECT_EQ(rig.sum("memory.l2.write_allocations"), 2U) << "sector 1 at first, and sector 2";
    EXPECT_EQ(rig.sum("memory.l2.write_pending_hits"), 1U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, PartialWriteFetchesItsSector) {
    MemoryRig rig;
    EXPECT_EQ(rig.write(0, 4, 8, 0).done, kToL2);
    EXPECT_EQ(rig.sum("memory.l2.write_fetches"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 1U);
    EXPECT_EQ(rig.read(0, 0, 32, 100).served_by, ServedBy::kL2Pending);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, AWordLessThanASectorIsAPartOfIt) {
    MemoryRig rig;
    rig.write(0, 4, 28, 0);
    EXPECT_EQ(rig.sum("memory.l2.write_fetches"), 1U) << "the first word lacks";
    rig.write(0, 1024, 28, 1000);
    EXPECT_EQ(rig.sum("memory.l2.write_fetches"), 2U) << "the last word lacks";
    EXPECT_EQ(rig.sum("memory.l2.write_allocations"), 0U);
    rig.write(0, 2048, 32, 2000);
    EXPECT_EQ(rig.sum("memory.l2.write_fetches"), 2U);
    EXPECT_EQ(rig.sum("memory.l2.write_allocations"), 1U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, DirtySectorsOfAVictimAreWrittenBack) {
    RigConfig config;
    config.l2.slices = config.dram.channels = 1;
    config.l2.sets_per_slice = 1;
    config.l2.ways = 2;
    MemoryRig rig(config);
    rig.write(0, 0, 64, 0);  // two dirty sectors of line 0
    rig.write(0, 128, 32, 100);
    EXPECT_EQ(rig.sum("memory.dram.writes"), 0U);
    rig.write(0, 256, 32, 200);  // displaces line 0
    EXPECT_EQ(rig.sum("memory.l2.dirty_evictions"), 2U);
    EXPECT_EQ(rig.sum("memory.dram.writes"), 2U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(WriteTiming, WhateverWayASectorIsWrittenItBecomesDirty) {
    RigConfig config;
    config.l2.slices = config.dram.channels = 1;
    config.l2.sets_per_slice = 1;
    config.l2.ways = 2;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    rig.read(0, 128, 32, 0);
    rig.write(0, 128, 32, 10);  // while its fetch is on its way
    rig.run_to(1000);
    rig.write(0, 0, 32, 1000);  // a hit on a clean sector
    EXPECT_EQ(rig.sum("memory.l2.write_hits"), 1U);
    EXPECT_EQ(rig.sum("memory.l2.write_pending_hits"), 1U);
    rig.write(0, 256, 32, 1100);  // displaces line 1
    EXPECT_EQ(rig.sum("memory.dram.writes"), 1U);
    rig.write(0, 384, 32, 1200);  // displaces line 0
    EXPECT_EQ(rig.sum("memory.dram.writes"), 2U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

}  // namespace

// Approximately timed: when exactly is the data there, and when is END_REQ? Numbers as in
// memory_timing_test.cpp, and the loosely-timed hierarchy beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_at_rig.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::counted;

namespace {

RigConfig one_bank() {
    RigConfig config;
    config.l2.slices = config.dram.channels = 1;
    config.dram.banks = 1;
    return config;
}

TEST(MemoryAtTiming, RowEmptyThenL1Hit) {
    MemoryAtRig rig;
    const Access miss = rig.read(0, 0, 32, 100);
    EXPECT_EQ(miss.done, 100 + kRowEmpty);
    EXPECT_EQ(miss.accepted, 100U);
    EXPECT_EQ(miss.served_by, ServedBy::kDram);
    const Access hit = rig.read(0, 0, 32, 1000);
    EXPECT_EQ(hit.done, 1000 + kL1Hit);
    EXPECT_EQ(hit.served_by, ServedBy::kL1);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, L2HitForAnotherSm) {
    MemoryAtRig rig;
    rig.read(0, 0, 32, 0);
    const Access other = rig.read(1, 0, 32, 1000);
    EXPECT_EQ(other.done, 1000 + kL2Hit);
    EXPECT_EQ(other.served_by, ServedBy::kL2);
}

TEST(MemoryAtTiming, RowHitAndRowConflict) {
    MemoryAtRig rig(one_bank());
    EXPECT_EQ(rig.read(0, 0, 32, 0).done, kRowEmpty);
    EXPECT_EQ(rig.read(0, 32, 32, 1000).done, 1000 + kRowHit);
    EXPECT_EQ(rig.read(0, 2048, 32, 2000).done, 2000 + kRowConflict);
    EXPECT_EQ(rig.sum("memory.dram.row_empties"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.row_hits"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.row_conflicts"), 1U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, NotThereACycleBefore) {
    MemoryAtRig rig(one_bank());
    const auto expect_done_at = [&](Address address, Cycle at, Cycle latency) {
        const std::size_t index = rig.plan_read(0, address, 32, at);
        rig.run_through(at + latency - 1);
        EXPECT_FALSE(rig.result(0, index).finished) << address << " at n-1";
        rig.run_through(at + latency);
        EXPECT_TRUE(rig.result(0, index).finished) << address << " at n";
    };
    expect_done_at(0, 100, kRowEmpty);
    expect_done_at(0, 1000, kL1Hit);
    expect_done_at(32, 2000, kRowHit);
    expect_done_at(2048, 3000, kRowConflict);
    rig.l1[0]->invalidate();
    expect_done_at(0, 4000, kL2Hit);
}

TEST(MemoryAtTiming, EqualsTheLooselyTimedHierarchyWhereNothingContends) {
    RigConfig config;
    config.core_clock_mhz = 1200;
    config.dram = DramConfig{};
    MemoryAtRig at(config);
    MemoryRig lt(config);
    Cycle now = 1000;
    for (const Address address : {Address{0}, Address{32}, Address{4096}, Address{1} << 20U,
                                  (Address{1} << 20U) + 64, Address{77} << 16U, Address{0}}) {
        for (std::uint32_t sm = 0; sm < 2; ++sm) {
            // The loosely-timed call first: it does not wait.
            lt.run_to(now);
            const Access expected = lt.read(sm, address, 32, now);
            const Access read = at.read(sm, address, 32, now);
            EXPECT_EQ(read.done, expected.done) << address << " SM " << sm;
            EXPECT_EQ(read.served_by, expected.served_by) << address << " SM " << sm;
            lt.run_to(now += 1003);
            const Cycle line = lt.read(sm, address + 8192, 128, now).done;
            // Its sectors contend for the data bus, whose slots the reservation table rounds to its
            // grid.
            EXPECT_NEAR(static_cast<double>(at.read(sm, address + 8192, 128, now).done),
                        static_cast<double>(line), 2.0)
                << address;
            lt.run_to(now += 1003);
            const Cycle write = lt.write(sm, address + 16384, 32, now).done;
            EXPECT_EQ(at.write(sm, address + 16384, 32, now).done, write) << address;
            now += 1003;
        }
    }
    EXPECT_THAT(at.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, OutstandingSectorIsSharedUntilItIsThere) {
    MemoryAtRig rig;
    const Cycle ready = kRowEmpty;
    rig.plan_read(0, 0, 32, 0);
    const std::size_t merged = rig.plan_read(0, 0, 32, 50);
    const std::size_t before = rig.plan_read(0, 0, 32, ready - 1);
    const std::size_t after = rig.plan_read(0, 0, 32, ready);
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, merged).result.done, ready);
    EXPECT_EQ(rig.result(0, before).result.done, ready - 1 + kL1Hit);
    EXPECT_EQ(rig.result(0, after).result.done, ready + kL1Hit);
    EXPECT_EQ(rig.result(0, after).result.served_by, ServedBy::kL1);
    EXPECT_EQ(rig.sum("l1.read_pending_hits"), 2U);
    EXPECT_EQ(rig.sum("l1.read_misses"), 1U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, EndReqIsWithheldExactlyWhileTheL1QueueIsFull) {
    RigConfig config;
    config.l1.mshr_entries = 1;
    config.l1.request_queue_entries = 2;
    MemoryAtRig rig(config);
    // The first misses; the second and third wait in the queue; the fourth is not let in.
    for (Address i = 0; i < 5; ++i) rig.plan_read(0, i * 4096, 32, 0);
    rig.run_through(kRowEmpty - 1);
    EXPECT_TRUE(rig.result(0, 2).accepted);
    EXPECT_EQ(rig.result(0, 2).result.accepted, 0U);
    EXPECT_FALSE(rig.result(0, 3).accepted);
    rig.run_through(kRowEmpty);  // the fill frees the register, the second leaves the queue
    EXPECT_TRUE(rig.result(0, 3).accepted);
    EXPECT_FALSE(rig.result(0, 4).accepted);
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, 3).result.accepted, kRowEmpty);
    EXPECT_EQ(rig.result(0, 4).result.accepted, 2 * kRowEmpty);
    EXPECT_EQ(rig.result(0, 1).result.done, 2 * kRowEmpty);
    EXPECT_EQ(rig.sum("l1.held_cycles"), 2 * kRowEmpty) << "one period each";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, MissRegisterServesItsTargetsOnly) {
    RigConfig config;
    config.l1.mshr_targets = 2;
    MemoryAtRig rig(config);
    for (const Cycle at : {0, 1, 2}) rig.plan_read(0, 0, 32, at);
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, 1).result.done, kRowEmpty);
    EXPECT_EQ(rig.result(0, 2).result.done, kRowEmpty + kL1Hit);
    EXPECT_EQ(rig.sum("l1.target_stall_cycles"), kRowEmpty - 2);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, SectorsOfALineAreFetchedOneByOne) {
    RigConfig config;
    config.l1.sectors_per_request = 1;
    MemoryAtRig rig(config);
    EXPECT_EQ(rig.read(0, 0, 128, 0).done, kRowEmpty + 3);
    EXPECT_EQ(rig.sum("l1.read_misses"), 4U);
    EXPECT_EQ(rig.read(0, 96, 32, 1000).done, 1000 + kL1Hit);
}

TEST(MemoryAtTiming, NeighbouringSectorsShareARequest) {
    MemoryAtRig rig;
    EXPECT_EQ(rig.read(0, 0, 128, 0).done, kRowEmpty + 3 + 3 + 1);
    EXPECT_EQ(rig.sum("l1.read_misses"), 4U);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 1U);
    EXPECT_EQ(rig.sum("memory.crossbar.read_requests"), 1U);
    EXPECT_EQ(rig.read(1, 0, 128, 1000).done, 1000 + kL2Hit + 3 + 1);
    EXPECT_EQ(rig.read(0, 96, 32, 2000).done, 2000 + kL1Hit);
    // A sector that is there already parts the others.
    rig.read(0, 4096 + 32, 32, 3000);
    rig.read(0, 4096, 128, 4000);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 1U + 1U + 1U + 2U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, ARequestTakesNoMoreSectorsThanRegisters) {
    RigConfig config;
    config.l1.mshr_entries = 3;
    MemoryAtRig rig(config);
    EXPECT_EQ(rig.read(0, 0, 128, 0).done, kRowEmpty + 2 + 2 + 1 + kRowHit);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 2U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, SmRequestPortTakesOneSectorEveryFewCycles) {
    RigConfig config;
    config.noc.request_bytes_per_cycle = 8;  // 4 cycles a request
    MemoryAtRig rig(config);
    for (Address i = 0; i < 3; ++i) rig.plan_read(0, i * 256, 32, 0);
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, 0).result.done, kRowEmpty);
    EXPECT_EQ(rig.result(0, 1).result.done, kRowEmpty + 2) << "slots of 4 cycles: 4..7, 8..11";
    EXPECT_EQ(rig.result(0, 2).result.done, kRowEmpty + 6);
    // The third waits for the second in the L1, from 6 to 8.
    EXPECT_EQ(rig.sum("memory.crossbar.sm_request_wait_cycles"), 2U + 4U);
}

TEST(MemoryAtTiming, SliceInputIsSharedByAllSmsInTurn) {
    RigConfig config;
    config.sms = 3;
    config.l2.slices = config.dram.channels = 1;
    MemoryAtRig rig(config);
    for (Address i = 0; i < 4; ++i) rig.read(0, i * 32, 32, i * 1000);
    rig.l1[0]->invalidate();
    // Two requests of each SM at once: the slice takes one a cycle, SM after SM.
    std::vector<std::size_t> first;
    std::vector<std::size_t> second;
    for (std::uint32_t sm = 0; sm < 3; ++sm) {
        first.push_back(rig.plan_read(sm, 0, 32, 10'000));
        second.push_back(rig.plan_read(sm, 32, 32, 10'000));
    }
    MemoryAtRig::run();
    std::vector<Cycle> done;
    for (std::uint32_t sm = 0; sm < 3; ++sm) {
        done.push_back(rig.result(sm, first[sm]).result.done - 10'000 - kL2Hit);
    }
    EXPECT_THAT(done, testing::UnorderedElementsAre(0U, 1U, 2U));
    for (std::uint32_t sm = 0; sm < 3; ++sm) {
        EXPECT_EQ(rig.result(sm, second[sm]).result.done, rig.result(sm, first[sm]).result.done + 3)
            << "SM " << sm;
    }
    // The first of each SM wait 0, 1 and 2; the second, there a cycle later, 2, 3 and 4.
    EXPECT_EQ(rig.sum("memory.crossbar.slice_request_wait_cycles"), 0U + 1 + 2 + 2 + 3 + 4);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

/// Two slices that each serve one miss and hold one request more.
RigConfig two_slices_of_one_register() {
    RigConfig config;
    config.l2.slices = 2;
    config.dram.channels = 1;
    config.l2.mshr_entries = 1;
    config.l2.request_queue_entries = 1;
    return config;
}

/// At least six addresses, in different rows, of each of two slices.
std::array<std::vector<Address>, 2> addresses_by_slice(const AddressMap& map) {
    std::array<std::vector<Address>, 2> of_slice;
    for (Address a = 0; of_slice[0].size() < 6 || of_slice[1].size() < 6; a += 4096) {
        of_slice[map.slice(a)].push_back(a);
        of_slice[map.slice(a + 256)].push_back(a + 256);
    }
    return of_slice;
}

TEST(MemoryAtTiming, TheHeadOfAQueueHoldsUpWhatIsBehindIt) {
    RigConfig config = two_slices_of_one_register();
    config.noc.queueing = NocQueueing::kFifo;
    MemoryAtRig rig(config);
    const auto of_slice = addresses_by_slice(rig.memory.address_map());
    // Slice 0: the first has the miss register, the second waits in the queue, the third at the
    // crossbar's output, the fourth at the head of the SM's queue. The fifth goes to idle slice 1,
    // and waits behind it.
    for (int i = 0; i < 5; ++i) {
        const bool last = i == 4;
        rig.plan_read(0, last ? of_slice[1][0] : of_slice[0][static_cast<std::size_t>(i)], 32, 0);
    }
    const std::size_t free = rig.plan_read(1, of_slice[1][1], 32, 2000);
    MemoryAtRig::run();
    // Filled, and the register free, a crossbar and half an L1 before the LDST unit has it.
    const Cycle filled = kRowEmpty - 14 - 6;
    EXPECT_EQ(rig.result(0, 4).result.done, filled + (kRowHit - kToL2))
        << "the second left slice 0's queue, the third and fourth moved up";
    EXPECT_LE(rig.result(1, free).result.done, 2000 + kRowConflict) << "no contention";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, NothingHoldsUpARequestInAVirtualOutputQueue) {
    RigConfig config = two_slices_of_one_register();
    MemoryAtRig rig(config);
    const auto of_slice = addresses_by_slice(rig.memory.address_map());
    // Same as above, but the fifth request passes those that wait for slice 0.
    for (int i = 0; i < 5; ++i) {
        const bool last = i == 4;
        rig.plan_read(0, last ? of_slice[1][0] : of_slice[0][static_cast<std::size_t>(i)], 32, 0);
    }
    MemoryAtRig::run();
    EXPECT_LE(rig.result(0, 4).result.done, kRowConflict + 4)
        << "its own way through the port, the slice and DRAM, and no more";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, CrossbarWithholdsEndReqWhileItsQueueIsFull) {
    RigConfig config;
    config.noc.request_queue_entries = 2;
    MemoryAtRig rig(config);
    // The queue holds two; the third enters when the first leaves it, 14 cycles later.
    for (Address i = 0; i < 3; ++i) rig.plan_read(0, i * 256, 32, 0);
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, 1).result.done, kRowEmpty + 1);
    EXPECT_EQ(rig.result(0, 2).result.done, kRowEmpty + 14);
    EXPECT_EQ(rig.sum("memory.crossbar.held_cycles"), 14U - 1U) << "it was there a cycle after";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, DramWithholdsEndReqWhileItsQueueIsFull) {
    RigConfig config = one_bank();
    config.dram.queue_entries = 1;
    config.dram.controller_latency_cycles = 0;
    MemoryAtRig rig(config);
    // Three rows of one bank: each request leaves the queue with its column command.
    for (Address i = 0; i < 3; ++i) rig.plan_read(0, i * 2048, 32, 0);
    MemoryAtRig::run();
    constexpr Cycle kEmpty = kRowEmpty - 98 - 98;
    EXPECT_EQ(rig.result(0, 0).result.done, kEmpty);
    // Activated at 0, column at 12, closable at 28; precharge, activate, column each 12 later.
    EXPECT_EQ(rig.result(0, 1).result.done, kEmpty + 28 + 12);
    EXPECT_EQ(rig.result(0, 2).result.done, kEmpty + 2 * Cycle{28 + 12});
    // The second came a cycle after the first and waited until 12, the third a cycle later,
    // until 52.
    EXPECT_EQ(rig.sum("memory.dram.held_cycles"), (12U - 1U) + (52U - 12U));
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, RowHitsGoFirstButNotForEver) {
    for (const std::uint32_t cap : {2U, 100U}) {
        RigConfig config = one_bank();
        config.dram.row_hit_cap = cap;
        config.l2.slices = 1;
        DramScheduler scheduler(config.dram, 32);
        std::vector<std::uint64_t> order;
        scheduler.push(0, 0);
        Cycle now = 0;
        const auto step_once = [&] {
            now = scheduler.next(now);
            scheduler.step(now, [&](const DramScheduler::Served& s) { order.push_back(s.id); });
        };
        step_once();              // row 0 is open
        scheduler.push(1, 2048);  // another row, the oldest of those left
        for (std::uint64_t i = 2; i < 8; ++i) scheduler.push(i, 32 * i);
        while (scheduler.size() > 0) step_once();
        const auto place = std::find(order.begin(), order.end(), 1U) - order.begin();
        EXPECT_EQ(place, cap == 2 ? 3 : 7) << "request 0, then so many row hits, then it";
    }
}

TEST(MemoryAtTiming, WriteReturnsWhenL2HasAcceptedIt) {
    MemoryAtRig rig;
    const Access write = rig.write(0, 0, 32, 100);
    EXPECT_EQ(write.done, 100 + kToL2);
    EXPECT_EQ(write.accepted, 100U);
    EXPECT_EQ(rig.sum("memory.l2.write_allocations"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 0U) << "a full sector needs no fetch";
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + kL2Hit) << "no write-allocate in L1";
    EXPECT_EQ(rig.write(0, 0, 128, 2000).done, 2003 + kToL2 + 3)
        << "four sectors, one a cycle at either end";
    EXPECT_EQ(rig.sum("l1.writes"), 1U + 4U);
    EXPECT_EQ(rig.sum("l1.write_requests_below"), 1U + 1U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, StoresMayTakeALineOfTheL1) {
    RigConfig config;
    config.l1.stores = L1Stores::kAllocate;
    config.l1.ways = 1;
    MemoryAtRig rig(config);
    rig.read(0, config.l1_bytes, 32, 100);
    rig.write(0, 24, 72, 5000);
    EXPECT_EQ(rig.sum("l1.evictions"), 1U);
    EXPECT_EQ(rig.read(0, 32, 64, 6000).done, 6000 + kL1Hit) << "sectors 1 and 2 were filled";
    EXPECT_EQ(rig.read(0, 0, 32, 7000).served_by, ServedBy::kL2) << "sector 0 was not";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, PartialWriteFetchesItsSector) {
    MemoryAtRig rig;
    rig.plan_write(0, 4, 8, 0);
    const std::size_t read = rig.plan_read(0, 0, 32, 100);
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, 0).result.done, kToL2);
    EXPECT_EQ(rig.sum("memory.l2.write_fetches"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 1U);
    EXPECT_EQ(rig.result(0, read).result.served_by, ServedBy::kL2Pending);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, DirtySectorsOfAVictimAreWrittenBack) {
    RigConfig config = one_bank();
    config.l2.sets_per_slice = 1;
    config.l2.ways = 2;
    MemoryAtRig rig(config);
    rig.write(0, 0, 64, 0);  // two dirty sectors of line 0
    rig.write(0, 128, 32, 100);
    EXPECT_EQ(rig.sum("memory.dram.writes"), 0U);
    rig.write(0, 256, 32, 200);  // displaces line 0
    EXPECT_EQ(rig.sum("memory.l2.evictions"), 2U);
    EXPECT_EQ(rig.sum("memory.l2.dirty_evictions"), 2U);
    EXPECT_EQ(rig.sum("memory.dram.writes"), 2U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, AReadPastTheL1AlwaysComesFromL2) {
    MemoryAtRig rig;
    rig.read(0, 0, 32, 0);
    const std::size_t past = rig.plan_read(0, 0, 32, 1000);
    rig.drivers[0]->plan[past].bypass_l1 = true;
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, past).result.done, 1000 + kL2Hit);
    EXPECT_EQ(rig.result(0, past).result.served_by, ServedBy::kL2);
    EXPECT_EQ(rig.sum("l1.bypasses"), 1U);
    EXPECT_EQ(rig.sum("l1.fills"), 1U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, WhatWaitedForFillsComesBackOneByOne) {
    RigConfig config;
    config.l1.returns_per_cycle = 1;
    MemoryAtRig rig(config);
    for (int i = 0; i < 3; ++i) rig.plan_read(0, 0, 32, 0);
    MemoryAtRig::run();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rig.result(0, i).result.done, kRowEmpty + i);
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + kL1Hit) << "a hit does not come that way";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MemoryAtTiming, AnotherSizeStartsEmpty) {
    MemoryAtRig rig;
    rig.read(0, 0, 32, 0);
    rig.l1[0]->resize(64 * 1024);
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + kL2Hit);
    EXPECT_THROW(rig.l1[0]->resize(100), ConfigError);
}

TEST(MemoryAtTiming, WhatIsNotSupportedIsRefusedAtOnce) {
    MemoryAtRig rig;
    EXPECT_EQ(rig.read(0, 100, 32, 10).status, tlm::TLM_BURST_ERROR_RESPONSE) << "crosses a line";
    EXPECT_EQ(rig.result(0, 0).result.done, 10U);
    EXPECT_EQ(rig.sum("l1.reads"), 0U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

}  // namespace

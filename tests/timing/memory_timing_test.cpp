// When exactly is the data there? Both clocks run at 1 GHz, so every number can be counted by hand:
//   L1 hit                                      28
//   L1 miss to the crossbar                      6   back from it 6
//   crossbar, each way                          14
//   L2 hit                                      80   (a miss: 40 before DRAM, 40 after)
//   DRAM controller                             98   and 98 back
//   tRCD 12, tCL 12, tRP 12, burst 1
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>

#include "tests/support/memory_rig.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::counted;

namespace {

TEST(MemoryTiming, RowEmptyThenL1Hit) {
    MemoryRig rig;
    const Access miss = rig.read(0, 0, 32, 100);
    EXPECT_EQ(miss.done, 100 + kRowEmpty);
    EXPECT_EQ(miss.accepted, 100U);
    EXPECT_EQ(miss.served_by, ServedBy::kDram);
    const Access hit = rig.read(0, 0, 32, 1000);
    EXPECT_EQ(hit.done, 1000 + kL1Hit);
    EXPECT_EQ(hit.served_by, ServedBy::kL1);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.bytes_read"), 32U);
    EXPECT_EQ(rig.sum("memory.dram.bytes_written"), 0U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, L2HitForAnotherSm) {
    MemoryRig rig;
    rig.read(0, 0, 32, 0);
    const Access other = rig.read(1, 0, 32, 1000);
    EXPECT_EQ(other.done, 1000 + kL2Hit);
    EXPECT_EQ(other.served_by, ServedBy::kL2);
}

TEST(MemoryTiming, RowHitAndRowConflict) {
    RigConfig config;
    config.l2.slices = config.dram.channels = 1;
    config.dram.banks = 1;
    MemoryRig rig(config);
    EXPECT_EQ(rig.read(0, 0, 32, 0).done, kRowEmpty);
    EXPECT_EQ(rig.read(0, 32, 32, 1000).done, 1000 + kRowHit);
    EXPECT_EQ(rig.read(0, 2048, 32, 2000).done, 2000 + kRowConflict);
    EXPECT_EQ(rig.sum("memory.dram.row_empties"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.row_hits"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.row_conflicts"), 1U);
}

TEST(MemoryTiming, DramCyclesAreConvertedExactly) {
    RigConfig config;
    config.core_clock_mhz = 1200;
    config.dram.clock_mhz = 850;
    MemoryRig rig(config);
    // At the banks at core cycle 158 = DRAM cycle 111.9, so 112; data until 112+12+12+1 = 137,
    // which is core cycle 193.4, so 194.
    EXPECT_EQ(rig.read(0, 0, 32, 0).done, 194 + kFromBanks);
}

TEST(MemoryTiming, DefaultsOfTheTitanV) {
    RigConfig config;
    config.core_clock_mhz = 1200;
    config.dram = DramConfig{};
    MemoryRig rig(config);
    const Cycle dram = rig.read(0, 0, 32, 0).done;
    EXPECT_GE(dram, 345U);
    EXPECT_LE(dram, 355U);
    EXPECT_EQ(rig.read(1, 0, 32, 1000).done, 1120U);
    EXPECT_EQ(rig.read(1, 0, 32, 2000).done, 2028U);
}

TEST(MemoryTiming, OutstandingSectorIsSharedUntilItIsThere) {
    MemoryRig rig;
    const Cycle ready = rig.read(0, 0, 32, 0).done;
    const Access merged = rig.read(0, 0, 32, 50);
    EXPECT_EQ(merged.done, ready);
    EXPECT_EQ(merged.served_by, ServedBy::kL1Pending);
    // One cycle before the fill it is still pending, and takes a lookup at least; then it is a hit.
    const Access before = rig.read(0, 0, 32, ready - 1);
    EXPECT_EQ(before.served_by, ServedBy::kL1Pending);
    EXPECT_EQ(before.done, ready - 1 + kL1Hit);
    const Access after = rig.read(0, 0, 32, ready);
    EXPECT_EQ(after.served_by, ServedBy::kL1);
    EXPECT_EQ(after.done, ready + kL1Hit);
    EXPECT_EQ(rig.sum("l1.read_pending_hits"), 2U);
    EXPECT_EQ(rig.sum("l1.read_misses"), 1U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, PendingInL2IsSharedBetweenSms) {
    MemoryRig rig;
    rig.read(0, 0, 32, 0);
    const Access other = rig.read(1, 0, 32, 100);
    // Both leave the slice's output when the fill is there, one after the other.
    EXPECT_EQ(other.done, kRowEmpty + 1);
    EXPECT_EQ(other.served_by, ServedBy::kL2Pending);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 1U);
}

TEST(MemoryTiming, AFillIsAHitInL2FromItsOwnCycleOn) {
    RigConfig config;
    config.sms = 3;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    // Filled a crossbar and half an L1 before the LDST unit has it; SM 1's lookup is a cycle
    // before, SM 2's in that cycle, when a hit is no more than its own latency away.
    const Cycle filled = kRowEmpty - 14 - 6;
    const Access before = rig.read(1, 0, 32, filled - kToL2 - 1);
    const Access then = rig.read(2, 0, 32, filled - kToL2);
    EXPECT_EQ(before.served_by, ServedBy::kL2Pending);
    EXPECT_EQ(then.served_by, ServedBy::kL2);
    EXPECT_EQ(then.done, filled - kToL2 + kL2Hit);
    EXPECT_EQ(rig.sum("memory.l2.read_pending_hits"), 1U);
    EXPECT_EQ(rig.sum("memory.l2.read_hits"), 1U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, FullMissRegistersHoldTheAccessUntilTheFirstFill) {
    RigConfig config;
    config.l1.mshr_entries = 2;
    MemoryRig rig(config);
    const Cycle first = rig.read(0, 0, 32, 0).done;
    rig.read(0, 4096, 32, 10);
    const Access third = rig.read(0, 8192, 32, 20);
    EXPECT_EQ(third.accepted, 20U) << "it waits in the queue";
    EXPECT_EQ(third.done, first + kRowEmpty);
    EXPECT_EQ(rig.sum("l1.mshr_stall_cycles"), first - 20);
    // A hit does not need a register, but its turn.
    EXPECT_EQ(rig.read(0, 0, 32, 30).done, first + kL1Hit);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, RegisterIsFreeWhenItsFillIsComplete) {
    RigConfig config;
    config.l1.mshr_entries = 1;
    MemoryRig rig(config);
    const Cycle first = rig.read(0, 0, 32, 0).done;
    EXPECT_EQ(rig.read(0, 4096, 32, first).done, first + kRowEmpty) << "no stall at n";
    EXPECT_EQ(rig.sum("l1.mshr_stall_cycles"), 0U);
}

TEST(MemoryTiming, FullL2MissRegistersDelayTheMiss) {
    RigConfig config;
    config.l2.slices = config.dram.channels = 1;
    config.l2.mshr_entries = 1;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    // The fill is in L2 a crossbar and half an L1 before it is with the LDST unit.
    const Cycle filled = kRowEmpty - 14 - 6;
    const Access second = rig.read(1, 32, 32, 0);
    EXPECT_EQ(second.done, filled + (kRowHit - kToL2));
    EXPECT_EQ(rig.sum("memory.l2.mshr_stall_cycles"), filled - (kToL2 + 1));  // 2nd at the input
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, MissRegisterServesItsTargetsOnly) {
    RigConfig config;
    config.l1.mshr_targets = 2;
    MemoryRig rig(config);
    const Cycle ready = rig.read(0, 0, 32, 0).done;
    EXPECT_EQ(rig.read(0, 0, 32, 1).done, ready);
    const Access third = rig.read(0, 0, 32, 2);
    EXPECT_EQ(third.done, ready + kL1Hit);
    EXPECT_EQ(rig.sum("l1.target_stall_cycles"), ready - 2);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, AnAccessEntersWhenTheL1QueueHasRoom) {
    RigConfig config;
    config.l1.mshr_entries = 1;
    config.l1.request_queue_entries = 2;
    MemoryRig rig(config);
    // The first misses; the second and third wait in the queue; the fourth is not let in before
    // the fill frees the register and the second leaves.
    const std::array<Cycle, 5> accepted = {0, 0, 0, kRowEmpty, 2 * kRowEmpty};
    for (Address i = 0; i < 5; ++i) {
        const Access access = rig.read(0, i * 4096, 32, i == 4 ? kRowEmpty : 0);
        EXPECT_EQ(access.accepted, accepted[i]) << i;
        EXPECT_EQ(access.done, (i + 1) * kRowEmpty) << i;
    }
    EXPECT_EQ(rig.sum("l1.held_cycles"), 2 * kRowEmpty) << "one period each";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, LookupsAreAsManyACycleAsThereAreBanks) {
    RigConfig config;
    config.l1.banks = 2;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    for (const Cycle done : {0, 0, 1, 1, 2}) {
        EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + done + kL1Hit);
    }
}

TEST(MemoryTiming, ALookupWaitsForRoomAmongTheRequestsBelow) {
    RigConfig config;
    config.l1.miss_queue_entries = 1;
    config.noc.request_bytes_per_cycle = 8;  // 4 cycles a request
    MemoryRig rig(config);
    EXPECT_EQ(rig.read(0, 0, 32, 0).done, kRowEmpty);
    // The first left in 6, and the second is looked up then; so is the hit behind it. It leaves 6
    // later, in 12, in a free slot of the port.
    EXPECT_EQ(rig.read(0, 256, 32, 0).done, 6 + kRowEmpty);
    EXPECT_EQ(rig.sum("l1.queue_stall_cycles"), 6U);
    rig.run_to(1000);
    rig.read(0, 512, 32, 1000);
    EXPECT_EQ(rig.write(0, 768, 32, 1000).done, 1006 + kToL2) << "writes share the way";
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1006 + kL1Hit);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, CrossbarHasRoomForSoManyRequestsOfAnSm) {
    RigConfig config;
    config.noc.request_queue_entries = 2;
    MemoryRig rig(config);
    // The queue holds two; the third enters when the first leaves it, 14 cycles later.
    EXPECT_EQ(rig.read(0, 0, 32, 0).done, kRowEmpty);
    EXPECT_EQ(rig.read(0, 256, 32, 0).done, kRowEmpty + 1);
    EXPECT_EQ(rig.read(0, 512, 32, 0).done, kRowEmpty + 14);
    EXPECT_EQ(rig.read(1, 0, 32, 1000).done, 1000 + kL2Hit) << "an SM has its own";
}

/// Five SMs and one slice with one miss register, which a miss of SM 0 holds from about 1000 on.
class TakenRegister : public testing::Test {
protected:
    static RigConfig config() {
        RigConfig config;
        config.sms = 5;
        config.l2.slices = config.dram.channels = 1;
        config.l2.mshr_entries = 1;
        config.l2.request_queue_entries = 1;
        config.noc.request_queue_entries = 1;
        return config;
    }
    TakenRegister() {
        rig.read(3, 0, 32, 0);
        rig.read(3, 256, 32, 500);
        freed = rig.read(0, 65536, 32, 1000).done - kBack;
        rig.read(1, 131072, 32, 1001);  // waits for the register
    }
    static constexpr Cycle kBack = 14 + 6;  // crossbar, L1
    MemoryRig rig{config()};
    Cycle freed = 0;  ///< the cycle at which the register is
};

TEST_F(TakenRegister, LookupsBehindAWaitingOneWaitToo) {
    EXPECT_EQ(rig.read(2, 0, 32, 1002).done, freed + 80 + kBack) << "a hit";
    EXPECT_EQ(rig.read(4, 256, 32, 900).done, 900 + kL2Hit) << "told later, but came before it";
}

TEST_F(TakenRegister, ARequestWithoutRoomAtItsSliceStaysInTheCrossbar) {
    EXPECT_EQ(rig.read(2, 0, 32, 1002).done, freed + 80 + kBack);
    // SM 2's room is free when the slice has taken that one.
    EXPECT_EQ(rig.read(2, 256, 32, 1003).done, freed + 14 + 80 + kBack);
}

TEST(MemoryTiming, SectorsOfALineAreFetchedOneByOne) {
    RigConfig config;
    config.l1.sectors_per_request = 1;
    MemoryRig rig(config);
    // One request a cycle leaves; one row activation; the data comes back a cycle apart.
    const Access line = rig.read(0, 0, 128, 0);
    EXPECT_EQ(line.done, kRowEmpty + 3);
    EXPECT_EQ(rig.sum("l1.read_misses"), 4U);
    EXPECT_EQ(rig.read(0, 96, 32, 1000).done, 1000 + kL1Hit);
}

TEST(MemoryTiming, NeighbouringSectorsShareARequest) {
    MemoryRig rig;
    // Four bursts of DRAM, then four pieces through the slice's port, and two cycles of the SM's.
    EXPECT_EQ(rig.read(0, 0, 128, 0).done, kRowEmpty + 3 + 3 + 1);
    EXPECT_EQ(rig.sum("l1.read_misses"), 4U);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 1U);
    EXPECT_EQ(rig.sum("memory.crossbar.read_requests"), 1U);
    EXPECT_EQ(rig.sum("memory.dram.reads"), 4U);
    EXPECT_EQ(rig.read(1, 0, 128, 1000).done, 1000 + kL2Hit + 3 + 1);
    EXPECT_EQ(rig.read(0, 96, 32, 2000).done, 2000 + kL1Hit);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, ASectorThatIsHereParts) {
    MemoryRig rig;
    rig.read(0, 32, 32, 0);
    const Access line = rig.read(0, 0, 128, 1000);
    EXPECT_EQ(rig.sum("l1.read_hits"), 1U);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 1U + 2U) << "sector 0, sectors 2 and 3";
    EXPECT_EQ(line.served_by, ServedBy::kDram);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, ARequestTakesNoMoreSectorsThanRegisters) {
    RigConfig config;
    config.l1.mshr_entries = 3;
    MemoryRig rig(config);
    // Three sectors go at once; the fourth waits until they are back, and finds its row open.
    const Cycle first = kRowEmpty + 2 + 2 + 1;
    EXPECT_EQ(rig.read(0, 0, 128, 0).done, first + kRowHit);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 2U);
    EXPECT_EQ(rig.sum("l1.mshr_stall_cycles"), first);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, ARequestEndsWithItsLineOfL2) {
    RigConfig config;
    config.l2.line_bytes = 64;
    config.l2.slice_interleave_bytes = 64;
    MemoryRig rig(config);
    rig.read(0, 0, 128, 0);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 2U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTiming, SmRequestPortTakesOneSectorACycle) {
    RigConfig config;
    config.noc.request_bytes_per_cycle = 8;  // 4 cycles a request
    MemoryRig rig(config);
    EXPECT_EQ(rig.read(0, 0, 32, 0).done, kRowEmpty);
    EXPECT_EQ(rig.read(0, 256, 32, 0).done, kRowEmpty + 2) << "slots of 4 cycles: 4..7, 8..11";
    EXPECT_EQ(rig.read(0, 512, 32, 0).done, kRowEmpty + 6);
    // The third waits for the second in the L1, from 6 to 8.
    EXPECT_EQ(rig.sum("memory.crossbar.sm_request_wait_cycles"), 2U + 4U);
}

TEST(MemoryTiming, SliceInputIsSharedByAllSms) {
    RigConfig config;
    config.sms = 3;
    config.l2.slices = config.dram.channels = 1;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + kL1Hit);
    rig.read(1, 32, 32, 1000);
    rig.run_to(2000);
    EXPECT_EQ(rig.read(1, 0, 32, 2000).done, 2000 + kL2Hit);
    EXPECT_EQ(rig.read(2, 0, 32, 2000).done, 2000 + kL2Hit + 1);
    EXPECT_EQ(rig.read(2, 32, 32, 2000).done, 2000 + kL2Hit + 2);
    EXPECT_EQ(rig.sum("memory.crossbar.slice_request_wait_cycles"), 1U + 1U);
    // Writes of four pieces: a slice's input takes one a cycle, so that the first's last piece is
    // there 3 later, and the second's another 4.
    const auto waited = [&rig] { return rig.sum("memory.crossbar.slice_request_wait_cycles"); };
    rig.run_to(3000);
    rig.write(1, 4096, 128, 3000);
    const std::uint64_t first = waited() - 2;
    rig.write(2, 8192, 128, 3000);
    EXPECT_EQ(first, 3U);
    EXPECT_EQ(waited() - 2 - first, 7U);
}

TEST(MemoryTiming, SlicesOutputIsSharedByAllSms) {
    RigConfig config;
    config.sms = 3;
    config.l2.slices = config.dram.channels = 1;
    config.l1.sectors_per_request = 4;
    MemoryRig rig(config);
    rig.read(0, 0, 64, 0);
    rig.run_to(1000);
    // Two sectors, one a cycle: the second leaves a cycle after both were there, and those for the
    // other SM, which are there by then, another two later.
    const auto waited = [&rig] { return rig.sum("memory.crossbar.slice_response_wait_cycles"); };
    const std::uint64_t before = waited();
    EXPECT_EQ(rig.read(1, 0, 64, 1000).done, 1000 + kL2Hit + 1);
    EXPECT_EQ(waited() - before, 1U);
    EXPECT_EQ(rig.read(2, 0, 64, 1000).done, 1000 + kL2Hit + 3);
    EXPECT_EQ(waited() - before, 1U + 2U);
}

TEST(MemoryTiming, SmResponsePortLimitsWhatComesBack) {
    RigConfig config;
    config.noc.request_bytes_per_cycle = 128;
    config.noc.response_bytes_per_cycle = 32;
    MemoryRig rig(config);
    for (Address slice = 0; slice < 3; ++slice) rig.read(0, slice * 256, 32, 0);
    rig.run_to(1000);
    EXPECT_EQ(rig.read(1, 0, 32, 1000).done, 1000 + kL2Hit);
    EXPECT_EQ(rig.read(1, 256, 32, 1000).done, 1000 + kL2Hit + 1);
    EXPECT_EQ(rig.read(1, 512, 32, 1000).done, 1000 + kL2Hit + 2);
}

TEST(MemoryTiming, ALaterRequestDoesNotHoldUpAnEarlierOne) {
    MemoryRig rig;
    rig.read(0, 0, 32, 0);
    rig.run_to(1000);
    EXPECT_EQ(rig.read(1, 0, 32, 1300).done, 1300 + kL2Hit);
    MemoryRig* const same = &rig;  // the call order is not the order of time
    EXPECT_EQ(same->read(0, 256, 32, 1000).done, 1000 + kRowEmpty);
}

TEST(MemoryTiming, InvalidateForgetsEverything) {
    MemoryRig rig;
    rig.read(0, 0, 32, 0);
    rig.run_to(1000);
    rig.l1[0]->invalidate();
    EXPECT_EQ(rig.l1[0]->outstanding(), 0U);
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1000 + kL2Hit);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

}  // namespace

// Tests of the stalls of lookups in an approximately-timed cache: begin, end, and independence of
// the absolute time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/memory_at_rig.h"
#include "tests/timing/pulse_sums.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::counted;

namespace {

TEST(CrossbarWaves, ShowBothPortsOfEverySm) {
    PulseSums wave;
    RigConfig config;
    config.sms = 3;
    config.observers.wave = &wave;
    MemoryAtRig rig(config);
    for (std::uint32_t sm = 0; sm < 3; ++sm) {
        for (std::uint32_t i = 0; i <= sm; ++i) rig.read(sm, 4096 * sm + 256 * i, 32, 5000 * sm);
    }
    for (std::uint32_t sm = 0; sm < 3; ++sm) {
        const std::string port = "sm_" + std::to_string(sm);
        EXPECT_EQ(wave.cycles[port + "_request"], sm + 1);
        EXPECT_EQ(wave.cycles[port + "_response"], sm + 1);
    }
}

/// One slice and one channel, between two SMs whose requests are looked up a cycle apart.
class L2Stalls : public testing::Test {
protected:
    static RigConfig one_slice() {
        RigConfig config;
        config.l2.slices = config.dram.channels = 1;
        return config;
    }
    /// Reads of SM 0 and SM 1 at once; when each is done, counted from `at`.
    static std::array<Cycle, 2> read_both(MemoryAtRig& rig, Address first, Address second,
                                          Cycle at) {
        const std::size_t one = rig.plan_read(0, first, 32, at);
        const std::size_t other = rig.plan_read(1, second, 32, at);
        MemoryAtRig::run();
        return {rig.result(0, one).result.done - at, rig.result(1, other).result.done - at};
    }
    static constexpr Cycle kSecondLookup = kToL2 + 1;
    static constexpr Cycle kBack = 14 + 6;  // crossbar, half an L1
};

TEST_F(L2Stalls, AMissRegisterIsAwaited) {
    RigConfig config = one_slice();
    config.l2.mshr_entries = 1;
    MemoryAtRig rig(config);
    rig.read(0, 0, 32, 0);  // the row is open
    for (const Address sector : {1U, 3U}) {
        const std::uint64_t before = rig.sum("memory.l2.mshr_stall_cycles");
        const auto done = read_both(rig, 32 * sector, 32 * (sector + 1), 1000 * sector);
        EXPECT_THAT(done, testing::ElementsAre(kRowHit - kBack + kRowHit - kToL2, kRowHit))
            << "SM 0 was served last";
        EXPECT_EQ(rig.sum("memory.l2.mshr_stall_cycles") - before, kRowHit - kBack - kSecondLookup);
    }
    EXPECT_EQ(rig.sum("memory.l2.queue_stall_cycles"), 0U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST_F(L2Stalls, RoomAmongTheRequestsToDramIsAwaited) {
    RigConfig config = one_slice();
    config.l2.miss_queue_entries = 1;
    MemoryAtRig rig(config);
    rig.read(0, 0, 32, 0);
    for (const Address sector : {1U, 3U}) {
        const std::uint64_t before = rig.sum("memory.l2.queue_stall_cycles");
        const auto done = read_both(rig, 32 * sector, 32 * (sector + 1), 1000 * sector);
        // The first leaves for DRAM half an L2 hit's time after its lookup.
        EXPECT_THAT(done, testing::ElementsAre(kRowHit + 40, kRowHit)) << "SM 0 was served last";
        EXPECT_EQ(rig.sum("memory.l2.queue_stall_cycles") - before, 40U - 1U);
    }
    EXPECT_EQ(rig.sum("memory.l2.mshr_stall_cycles"), 0U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST_F(L2Stalls, TheAnswerOfAnotherReadIsAwaited) {
    RigConfig config = one_slice();
    config.sms = 3;
    config.l2.response_queue_entries = 1;
    MemoryAtRig rig(config);
    for (Address sector = 0; sector < 4; ++sector) rig.read(2, 32 * sector, 32, 500 * sector);
    for (const Address sector : {0U, 2U}) {
        const std::uint64_t before = rig.sum("memory.l2.queue_stall_cycles");
        const Cycle at = 3000 + 1000 * sector;
        EXPECT_THAT(read_both(rig, 32 * sector, 32 * (sector + 1), at),
                    testing::ElementsAre(kL2Hit, kL2Hit + 80));
        EXPECT_EQ(rig.sum("memory.l2.queue_stall_cycles") - before, 80U - 1U);
    }
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST_F(L2Stalls, AnL1AwaitsRoomAmongItsRequestsLikewise) {
    RigConfig config = one_slice();
    config.l1.miss_queue_entries = 1;
    MemoryAtRig rig(config);
    for (const Cycle at : {1000U, 5000U}) {
        const std::uint64_t before = rig.sum("l1.queue_stall_cycles");
        const Address base = at * 32;
        for (const Address line : {base, base + 128}) rig.read(1, line, 32, at - 900);
        const std::size_t first = rig.plan_read(0, base, 32, at);
        const std::size_t second = rig.plan_read(0, base + 128, 32, at);
        MemoryAtRig::run();
        // The first leaves half an L1 miss's time after its lookup.
        EXPECT_EQ(rig.result(0, first).result.done, at + kL2Hit);
        EXPECT_EQ(rig.result(0, second).result.done, at + kL2Hit + 6);
        EXPECT_EQ(rig.sum("l1.queue_stall_cycles") - before, 6U);
    }
    EXPECT_EQ(rig.sum("l1.mshr_stall_cycles") + rig.sum("l1.target_stall_cycles"), 0U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

}  // namespace

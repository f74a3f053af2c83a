// Does a channel keep its banks' timing, cycle by cycle?
#include "sc_models/memory/core/dram_core.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sc_models/common/error.h"

using namespace tessera;

namespace {

// tRCD 12, tRP 12, tCL 12, tRAS 28, tCCD 1; 2 KiB rows, 16 banks; a sector takes 1 cycle of the
// bus.
class DramCoreTest : public testing::Test {
protected:
    DramConfig config;
    DramCoreTest() {
        config.bytes_per_clock = 32;
        config.row_bytes = 2048;
    }
    /// Channel-local address of a row of a bank: undoes the bank hash.
    static Address at(std::uint64_t row, std::uint64_t bank, Address column = 0) {
        std::uint64_t folded = row;
        folded = (folded ^ folded >> 4U ^ folded >> 8U) & 15U;
        return (row * 16 + (bank ^ folded)) * 2048 + column;
    }
};

TEST_F(DramCoreTest, RowEmptyHitAndConflict) {
    DramCore core(config, 32);
    const auto empty = core.access(at(0, 0), 100);
    EXPECT_EQ(empty.row, RowOutcome::kEmpty);
    EXPECT_EQ(empty.data_end, 100U + 12 + 12 + 1);  // tRCD + tCL + burst
    const auto hit = core.access(at(0, 0, 32), 200);
    EXPECT_EQ(hit.row, RowOutcome::kHit);
    EXPECT_EQ(hit.data_end, 200U + 12 + 1);
    const auto conflict = core.access(at(1, 0), 300);
    EXPECT_EQ(conflict.row, RowOutcome::kConflict);
    EXPECT_EQ(conflict.data_end, 300U + 12 + 12 + 12 + 1);  // tRP + tRCD + tCL + burst
}

TEST_F(DramCoreTest, RowStaysOpenForTras) {
    DramCore core(config, 32);
    (void)core.access(at(0, 0), 100);
    // Activated at 100: not to be precharged before 128.
    EXPECT_EQ(core.access(at(1, 0), 101).data_end, 128U + 12 + 12 + 12 + 1);
}

TEST_F(DramCoreTest, PrechargeWaitsForTheLastAccess) {
    DramCore core(config, 32);
    (void)core.access(at(0, 0), 100);
    (void)core.access(at(0, 0, 32), 150);  // column access at 150
    EXPECT_EQ(core.access(at(1, 0), 150).data_end, 151U + 12 + 12 + 12 + 1);
}

TEST_F(DramCoreTest, BanksOverlapButShareTheBus) {
    DramCore core(config, 32);
    EXPECT_EQ(core.access(at(0, 0), 0).data_end, 25U);
    EXPECT_EQ(core.access(at(0, 1), 0).data_end, 26U);
    EXPECT_EQ(core.access(at(0, 2), 0).data_end, 27U);
}

TEST_F(DramCoreTest, ColumnCommandsAreTccdApart) {
    config.t_ccd_cycles = 4;
    DramCore core(config, 32);
    EXPECT_EQ(core.burst_cycles(), 4U);
    EXPECT_EQ(core.access(at(0, 0), 0).data_end, 28U);
    EXPECT_EQ(core.access(at(0, 0, 32), 0).data_end, 32U);
}

TEST_F(DramCoreTest, NarrowBusTakesLonger) {
    config.bytes_per_clock = 16;
    DramCore core(config, 32);
    EXPECT_EQ(core.access(at(0, 0), 0).data_end, 26U);
    EXPECT_EQ(core.access(at(0, 0, 32), 0).data_end, 28U);
}

TEST_F(DramCoreTest, WaitingRequestsOfAnOpenRowGoFirst) {
    DramCore core(config, 32);
    (void)core.access(at(0, 0), 0);  // column access at 12
    EXPECT_EQ(core.access(at(1, 0), 5).row, RowOutcome::kConflict);
    const auto joined = core.access(at(0, 0, 64), 6);  // the scheduler sees it before 12
    EXPECT_EQ(joined.row, RowOutcome::kHit);
    EXPECT_EQ(joined.data_end, 26U);
    // The row may be precharged for row 1 at 28 (tRAS); after that it must be opened again.
    EXPECT_EQ(core.access(at(0, 0, 96), 28).row, RowOutcome::kHit);
    EXPECT_EQ(core.access(at(0, 0, 128), 30).row, RowOutcome::kConflict);
}

TEST_F(DramCoreTest, TheSchedulerSeesOnlyItsQueue) {
    config.queue_entries = 1;
    DramCore core(config, 32);
    (void)core.access(at(0, 0), 0);  // column command at 12 makes room
    EXPECT_EQ(core.access(at(1, 1), 1).data_end, 12U + 12 + 12 + 1);
    (void)core.access(at(1, 0), 2);  // enters at 24, activated at 40, column command at 52
    // Row 0 could be joined until 28, but the request is still outside.
    EXPECT_EQ(core.access(at(0, 0, 64), 3).row, RowOutcome::kConflict);
    config.queue_entries = 4;
    DramCore seeing(config, 32);
    (void)seeing.access(at(0, 0), 0);
    (void)seeing.access(at(1, 1), 1);
    (void)seeing.access(at(1, 0), 2);
    EXPECT_EQ(seeing.access(at(0, 0, 64), 3).row, RowOutcome::kHit);
}

TEST_F(DramCoreTest, AnEarlierRequestThatComesLaterIsNotDelayed) {
    DramCore core(config, 32);
    (void)core.access(at(0, 0), 1000);
    EXPECT_EQ(core.access(at(1, 0), 100).data_end, 100U + 12 + 12 + 1);
    // And one in between, when both are placed: precharge, activate and tRAS fit.
    EXPECT_EQ(core.access(at(2, 0), 500).data_end, 500U + 12 + 12 + 12 + 1);
    // But not where its row could not be closed in time for the one at 1000.
    EXPECT_EQ(core.access(at(3, 0), 970).data_end, 1028U + 12 + 12 + 12 + 1);
}

/// A bank remembers 16 rows, and of the last one that it forgot when that could be closed.
TEST_F(DramCoreTest, ARowFitsBehindTheOneThatIsForgotten) {
    DramCore core(config, 32);
    for (std::uint64_t row = 0; row <= 16; ++row) (void)core.access(at(row, 0), row * 1000);
    EXPECT_EQ(core.access(at(20, 0), 500).data_end, 500U + 12 + 12 + 12 + 1);
}

TEST_F(DramCoreTest, AnEarlierRequestOfTheSameRowOpensIt) {
    DramCore core(config, 32);
    (void)core.access(at(0, 0), 1000);
    const auto earlier = core.access(at(0, 0, 32), 100);
    EXPECT_EQ(earlier.row, RowOutcome::kHit) << "one activation serves both";
    EXPECT_EQ(earlier.data_end, 100U + 12 + 12 + 1);
}

TEST_F(DramCoreTest, NoBusCycleIsGrantedTwiceAndNoDataIsEarly) {
    constexpr std::uint32_t kSeed = 31;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    DramCore core(config, 32);
    std::set<Cycle> granted;
    Cycle now = 0;
    for (int i = 0; i < 100'000; ++i) {
        now += random() % 3;
        core.advance(now);
        const Cycle arrival = now + random() % 300;
        const auto service = core.access(at(random() % 64, random() % 16), arrival);
        ASSERT_TRUE(granted.insert(service.data_end).second) << "request " << i;
        const Cycle activate = service.row == RowOutcome::kHit ? 0 : 12;
        ASSERT_GE(service.data_end, arrival + activate + 12 + 1);
    }
}

TEST_F(DramCoreTest, AStreamReachesTheFullBusRate) {
    DramCore core(config, 32);
    Cycle last = 0;
    for (Address a = 0; a < 32 * 20'000; a += 32) last = core.access(a, 0).data_end;
    EXPECT_LE(last, 20'000U * 11 / 10);
}

TEST_F(DramCoreTest, ImpossibleShapesAreRefused) {
    config.banks = 12;
    EXPECT_THROW(DramCore(config, 32), ConfigError);
    config.banks = 16;
    config.row_bytes = 3000;
    EXPECT_THROW(DramCore(config, 32), ConfigError);
    config.row_bytes = 64;
    EXPECT_THROW(DramCore(config, 128), ConfigError);
}

}  // namespace

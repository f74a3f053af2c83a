// Which lookups of an L1 share a cycle, also behind one that had to wait, and what a cache of
// another size holds; at either level of timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_at_rig.h"
#include "tests/support/memory_rig.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::counted;

namespace {

TEST(L1Lookups, OneThatWaitedIsTheFirstOfItsCycle) {
    RigConfig config;
    config.l1.banks = 2;
    config.l1.mshr_entries = 1;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    rig.run_to(1000);
    const Cycle filled = rig.read(0, 4096, 32, 1000).done;
    EXPECT_EQ(rig.read(0, 0, 32, 1001).done, 1001 + kL1Hit);
    // The second lookup of 1001 waits for the register, and takes one of two in the fill's cycle.
    EXPECT_EQ(rig.read(0, 8192, 32, 1001).done, filled + kRowEmpty);
    EXPECT_EQ(rig.sum("l1.mshr_stall_cycles"), filled - 1001);
    EXPECT_EQ(rig.read(0, 0, 32, 1001).done, filled + kL1Hit);
    EXPECT_EQ(rig.read(0, 0, 32, 1001).done, filled + 1 + kL1Hit);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(L1Lookups, AMissTakesItsTurnAsAHitDoes) {
    RigConfig config;
    config.l1.banks = 1;
    MemoryRig rig(config);
    rig.read(0, 0, 32, 0);
    rig.run_to(1000);
    rig.read(0, 4096, 32, 1000);
    EXPECT_EQ(rig.read(0, 0, 32, 1000).done, 1001 + kL1Hit);
    rig.run_to(2000);
    rig.write(0, 8192, 32, 2000);
    EXPECT_EQ(rig.read(0, 0, 32, 2000).done, 2001 + kL1Hit);
    rig.run_to(3000);
    EXPECT_EQ(rig.read(0, 4096, 32, 3000).done, 3000 + kL1Hit);
    EXPECT_EQ(rig.read(0, 0, 32, 3000).done, 3001 + kL1Hit);
    EXPECT_EQ(rig.read(0, 0, 32, 3000).done, 3002 + kL1Hit);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(L1Lookups, EverySectorIsOne) {
    RigConfig config;
    config.l1.banks = 4;
    MemoryRig rig(config);
    rig.read(0, 0, 128, 0);
    const auto hits = [&rig](Cycle at) {
        std::vector<Cycle> done;
        for (int i = 0; i < 3; ++i) done.push_back(rig.read(0, 0, 32, at).done - at - kL1Hit);
        return done;
    };
    rig.run_to(1000);
    rig.read(0, 4096, 64, 1000);
    EXPECT_THAT(hits(1000), testing::ElementsAre(0U, 0U, 1U)) << "two sectors missed together";
    rig.run_to(2000);
    rig.read(0, 64, 64, 2000);
    EXPECT_THAT(hits(2000), testing::ElementsAre(0U, 0U, 1U)) << "two sectors that are here";
    rig.run_to(3000);
    rig.read(0, 8192, 128, 3000);
    EXPECT_THAT(hits(3000), testing::ElementsAre(1U, 1U, 1U)) << "a line";
    rig.run_to(4000);
    rig.write(0, 0, 96, 4000);
    EXPECT_THAT(hits(4000), testing::ElementsAre(0U, 1U, 1U)) << "three sectors written";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(L1Lookups, ApproximatelyTimedAsManyACycleAsThereAreBanks) {
    RigConfig config;
    config.l1.banks = 2;
    config.l1.mshr_entries = 1;
    MemoryAtRig rig(config);
    rig.read(0, 0, 32, 0);
    const auto finish = [&rig](const std::vector<std::size_t>& planned) {
        std::vector<Cycle> done;
        for (const std::size_t index : planned) done.push_back(rig.result(0, index).result.done);
        return done;
    };
    std::vector<std::size_t> hits;
    for (int i = 0; i < 5; ++i) hits.push_back(rig.plan_read(0, 0, 32, 1000));
    MemoryAtRig::run();
    EXPECT_THAT(finish(hits), testing::ElementsAre(1000 + kL1Hit, 1000 + kL1Hit, 1001 + kL1Hit,
                                                   1001 + kL1Hit, 1002 + kL1Hit));
    // Behind a miss that waits for the register of another.
    constexpr Cycle kFilled = 2000 + kRowEmpty;
    rig.plan_read(0, 4096, 32, 2000);
    hits = {rig.plan_read(0, 0, 32, 2001)};
    const std::size_t miss = rig.plan_read(0, 8192, 32, 2001);
    for (int i = 0; i < 2; ++i) hits.push_back(rig.plan_read(0, 0, 32, 2001));
    MemoryAtRig::run();
    EXPECT_EQ(rig.result(0, miss).result.done, kFilled + kRowEmpty);
    EXPECT_THAT(finish(hits),
                testing::ElementsAre(2001 + kL1Hit, kFilled + kL1Hit, kFilled + 1 + kL1Hit));
    EXPECT_EQ(rig.sum("l1.mshr_stall_cycles"), kFilled - 2001);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(L1Presence, ReportsWhenASectorIsPresent) {
    MemoryRig rig;
    const L1Cache& cache = *rig.l1[0];
    EXPECT_EQ(cache.sector_ready(0), kNever);
    const Cycle ready = rig.read(0, 0, 32, 0).done;
    EXPECT_EQ(cache.sector_ready(31), ready);
    EXPECT_EQ(cache.sector_ready(32), kNever) << "its neighbour was not asked for";
    rig.run_to(ready - 1);
    EXPECT_EQ(cache.sector_ready(0), ready);
    rig.run_to(ready);
    rig.read(0, 4096, 32, ready);
    EXPECT_EQ(cache.sector_ready(0), 0U);
}

TEST(L1Presence, ApproximatelyTimedItIsOnItsWayOrHere) {
    MemoryAtRig rig;
    const L1CacheAt& cache = *rig.l1[0];
    EXPECT_EQ(cache.sector_ready(0), kNever);
    rig.plan_read(0, 0, 32, 10);
    rig.run_through(10 + kRowEmpty - 1);
    EXPECT_EQ(cache.sector_ready(31), BlockPresence::kOnItsWay);
    EXPECT_EQ(cache.sector_ready(32), kNever);
    rig.run_through(10 + kRowEmpty);
    EXPECT_EQ(cache.sector_ready(0), 0U);
}

/// Hits of a second pass over eight lines, in a cache of one set of four and in one of two.
template <class Rig, class RunTo>
void expect_lines_kept(Rig& rig, RunTo&& run_to) {
    Cycle at = 0;
    const auto hits_of_second_pass = [&] {
        std::uint64_t before = 0;
        for (int pass = 0; pass < 2; ++pass) {
            before = rig.sum("l1.read_hits");
            for (Address line = 0; line < 8; ++line) {
                run_to(at += 1000);
                rig.read(0, line * 128, 32, at);
            }
            run_to(at += 1000);
        }
        return rig.sum("l1.read_hits") - before;
    };
    EXPECT_EQ(hits_of_second_pass(), 0U) << "the oldest of four goes, each time";
    rig.l1[0]->resize(8 * 128);
    EXPECT_EQ(hits_of_second_pass(), 8U);
    rig.l1[0]->resize(4 * 128);
    EXPECT_EQ(hits_of_second_pass(), 0U);
}

RigConfig four_lines() {
    RigConfig config;
    config.l1_bytes = 4 * 128;
    return config;
}

TEST(L1Size, CountsFromTheNextKernelOn) {
    MemoryRig rig(four_lines());
    expect_lines_kept(rig, [&rig](Cycle at) { rig.run_to(at); });
}

TEST(L1Size, CountsFromTheNextKernelOnApproximatelyTimed) {
    MemoryAtRig rig(four_lines());
    expect_lines_kept(rig, [](Cycle /*at*/) {});
}

}  // namespace

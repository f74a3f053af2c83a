// When is a sector fetched before its first read, and when is it not? At both levels of timing;
// numbers as in memory_timing_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_at_rig.h"
#include "tests/support/memory_rig.h"
#include "tests/support/prefetch_by.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::counted;

namespace {

RigConfig one_sm() {
    RigConfig config;
    config.sms = 1;
    return config;
}

/// Each read of the only SM has the sector fetched that lies 8192 bytes behind it.
template <class Rig>
struct Prefetching : Rig {
    explicit Prefetching(const RigConfig& config) : Rig(config) {
        this->l1[0]->attach(PrefetchBy::distance(8192), this->stats.instance("l1", 0));
    }
    [[nodiscard]] std::uint64_t prefetches(const std::string& fate) {
        return this->sum("l1.prefetch." + fate);
    }
};
using PrefetchingLt = Prefetching<MemoryRig>;
using PrefetchingAt = Prefetching<MemoryAtRig>;

/// Reads at 0 in cycle 100, at 8192 in 150, at 16384 in 1000: a cycle later on the SM's port than
/// the read before it, a prefetched sector comes a cycle after it.
template <class Rig>
void expect_fetched_ahead(Prefetching<Rig>& rig, const Access& miss, const Access& late,
                          const Access& useful) {
    EXPECT_EQ(miss.done, 100 + kRowEmpty);
    EXPECT_EQ(late.done, 100 + kRowEmpty + 1);
    EXPECT_EQ(late.served_by, ServedBy::kL1Pending);
    EXPECT_EQ(useful.done, 1000 + kL1Hit);
    EXPECT_EQ(useful.served_by, ServedBy::kL1);
    EXPECT_EQ(rig.prefetches("issued"), 3U);
    EXPECT_EQ(rig.prefetches("late"), 1U);
    EXPECT_EQ(rig.prefetches("useful"), 1U);
    // A line's sectors share a request.
    rig.read(0, 65536, 128, 2000);
    EXPECT_EQ(rig.sum("l1.read_requests_below"), 1 + 3 + 2U);
    EXPECT_EQ(rig.sum("l1.read_sectors_below"), 1 + 3 + 8U);
}

TEST(PrefetchTiming, FollowsItsReadToTheCrossbar) {
    PrefetchingLt rig(one_sm());
    const Access miss = rig.read(0, 0, 32, 100);
    const Access late = rig.read(0, 8192, 32, 150);
    const Access useful = rig.read(0, 16384, 32, 1000);
    expect_fetched_ahead(rig, miss, late, useful);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(PrefetchAtTiming, FollowsItsReadToTheCrossbar) {
    PrefetchingAt rig(one_sm());
    const std::size_t miss = rig.plan_read(0, 0, 32, 100);
    const std::size_t late = rig.plan_read(0, 8192, 32, 150);
    const std::size_t useful = rig.plan_read(0, 16384, 32, 1000);
    MemoryAtRig::run();
    expect_fetched_ahead(rig, rig.result(0, miss).result, rig.result(0, late).result,
                         rig.result(0, useful).result);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

RigConfig one_register() {
    RigConfig config = one_sm();
    config.l1.mshr_entries = 1;
    return config;
}

TEST(PrefetchTiming, WaitsForNoRegister) {
    PrefetchingLt rig(one_register());
    EXPECT_EQ(rig.read(0, 0, 32, 100).done, 100 + kRowEmpty);
    rig.run_to(1000);
    rig.read(0, 0, 32, 1000);
    EXPECT_EQ(rig.prefetches("dropped"), 1U);
    EXPECT_EQ(rig.prefetches("issued"), 1U) << "the hit leaves the register free";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(PrefetchAtTiming, WaitsForNoRegister) {
    PrefetchingAt rig(one_register());
    EXPECT_EQ(rig.read(0, 0, 32, 100).done, 100 + kRowEmpty);
    rig.read(0, 0, 32, 1000);
    EXPECT_EQ(rig.prefetches("dropped"), 1U);
    EXPECT_EQ(rig.prefetches("issued"), 1U) << "the hit leaves the register free";
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

RigConfig one_request_below() {
    RigConfig config = one_sm();
    config.l1.miss_queue_entries = 1;
    return config;
}

TEST(PrefetchTiming, WaitsForNoRoomBelow) {
    PrefetchingLt rig(one_request_below());
    EXPECT_EQ(rig.read(0, 0, 32, 100).done, 100 + kRowEmpty);
    EXPECT_EQ(rig.prefetches("dropped"), 1U);
    EXPECT_EQ(rig.read(0, 4096, 32, 106).done, 106 + kRowEmpty) << "nothing is in its way";
    EXPECT_EQ(rig.sum("l1.queue_stall_cycles"), 0U);
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(PrefetchAtTiming, WaitsForNoRoomBelow) {
    PrefetchingAt rig(one_request_below());
    rig.plan_read(0, 0, 32, 100);
    const std::size_t next = rig.plan_read(0, 4096, 32, 106);
    MemoryAtRig::run();
    EXPECT_EQ(rig.prefetches("dropped"), 2U);
    EXPECT_EQ(rig.result(0, next).result.done, 106 + kRowEmpty) << "nothing is in its way";
    EXPECT_EQ(rig.sum("l1.queue_stall_cycles"), 0U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

}  // namespace

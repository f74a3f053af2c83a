// When does a phase of an arrival barrier end, and which products does a wait need?
#include "sc_models/sm/arrival_barrier.h"

#include <gtest/gtest.h>

#include "sc_models/sm/product_groups.h"

namespace tessera {
namespace {

TEST(ArrivalBarrier, APhaseNeedsAllArrivals) {
    ArrivalBarrier barrier(2);
    EXPECT_FALSE(barrier.arrive(0, 10));
    EXPECT_EQ(barrier.phase_end(0), kNever);
    EXPECT_TRUE(barrier.arrive(0, 30));
    EXPECT_EQ(barrier.phase_end(0), 30U);
    EXPECT_EQ(barrier.phase_end(1), kNever);
}

TEST(ArrivalBarrier, APhaseEndsWithItsLastBytes) {
    ArrivalBarrier barrier(1);
    EXPECT_FALSE(barrier.arrive(96, 10));
    EXPECT_FALSE(barrier.complete(64, 200));
    EXPECT_EQ(barrier.phase_end(0), kNever);
    EXPECT_TRUE(barrier.complete(32, 150)) << "in another order than they come";
    EXPECT_EQ(barrier.phase_end(0), 200U);
}

TEST(ArrivalBarrier, PhasesFollowOneAnother) {
    ArrivalBarrier barrier(1);
    EXPECT_TRUE(barrier.arrive(0, 10));
    EXPECT_FALSE(barrier.arrive(32, 20));
    EXPECT_EQ(barrier.phase_end(0), 10U);
    EXPECT_EQ(barrier.phase_end(1), kNever);
    EXPECT_TRUE(barrier.complete(32, 40));
    EXPECT_EQ(barrier.phase_end(1), 40U);
    EXPECT_EQ(barrier.phase_end(0), 0U) << "long past";
}

TEST(ArrivalBarrier, OneWithoutArrivalsIsRefused) {
    ArrivalBarrier barrier;
    EXPECT_THROW((void)barrier.arrive(0, 1), std::logic_error);
}

TEST(ProductGroups, AWaitLeavesTheLastGroups) {
    ProductGroups groups;
    EXPECT_EQ(groups.needed(0), 0U);
    groups.add(100);
    groups.commit();
    groups.add(200);
    groups.add(300);
    groups.commit();
    groups.add(400);
    EXPECT_EQ(groups.needed(2), 0U);
    EXPECT_EQ(groups.needed(1), 100U);
    EXPECT_EQ(groups.needed(0), 300U) << "the open group is not needed";
    groups.waited(1);
    EXPECT_EQ(groups.needed(1), 0U);
    EXPECT_EQ(groups.needed(0), 300U);
    groups.reset();
    EXPECT_EQ(groups.needed(0), 0U);
}

}  // namespace
}  // namespace tessera

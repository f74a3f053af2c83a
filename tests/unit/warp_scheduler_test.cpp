// Tests of the warp scheduler: which warp issues next, from when on, and why none does.
#include "sc_models/sm/warp_scheduler.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint32_t kSlots = 8;

/// Scheduler whose warps in slots 0..n-1 are as old as their order in `slots`, oldest first.
WarpScheduler with_warps(SchedulerPolicy policy, const std::vector<std::uint32_t>& slots) {
    WarpScheduler scheduler(policy, kSlots);
    std::uint64_t age = 100;
    for (const std::uint32_t slot : slots) scheduler.add(slot, age++);
    return scheduler;
}

void set_ready(WarpScheduler& scheduler, std::uint32_t slot, Cycle ready,
               ExecutionUnit unit = ExecutionUnit::kAlu) {
    scheduler.set_readiness(slot, {ready, StallReason::kAluResult, unit});
}

TEST(WarpScheduler, GreedyKeepsTheWarpThatIssuedLastThenTakesTheOldest) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kGreedyThenOldest, {5, 0, 3});
    for (const std::uint32_t slot : {0U, 3U, 5U}) set_ready(scheduler, slot, 10);
    EXPECT_EQ(scheduler.select(10), 5) << "the oldest: none has issued";
    scheduler.set_last_issued(3);
    EXPECT_EQ(scheduler.select(10), 3);
    set_ready(scheduler, 3, 11);
    EXPECT_EQ(scheduler.select(10), 5) << "the last one has no operands: the oldest";
    EXPECT_EQ(scheduler.select(11), 3);
    scheduler.remove(3);
    EXPECT_EQ(scheduler.select(11), 5) << "it has exited";
}

TEST(WarpScheduler, ANewWarpInASlotHasNotIssuedLast) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kGreedyThenOldest, {5, 0, 3});
    scheduler.set_last_issued(5);
    scheduler.set_last_memory(5);
    scheduler.remove(5);
    scheduler.add(5, 200);
    for (const std::uint32_t slot : {0U, 3U, 5U}) set_ready(scheduler, slot, 10);
    EXPECT_EQ(scheduler.select(10), 0) << "the oldest";
    for (const std::uint32_t slot : {0U, 3U, 5U}) {
        set_ready(scheduler, slot, 10, ExecutionUnit::kLdst);
    }
    const auto candidate = scheduler.memory_candidate(10);
    ASSERT_TRUE(candidate);
    EXPECT_EQ(candidate->slot, 0U);
    EXPECT_TRUE(candidate->new_warp);
}

TEST(WarpScheduler, RoundRobinStartsBehindTheWarpThatIssuedLast) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kLooseRoundRobin, {5, 0, 3});
    for (const std::uint32_t slot : {0U, 3U, 5U}) set_ready(scheduler, slot, 10);
    EXPECT_EQ(scheduler.select(10), 0) << "the first slot: none has issued";
    scheduler.set_last_issued(0);
    EXPECT_EQ(scheduler.select(10), 3);
    scheduler.set_last_issued(3);
    EXPECT_EQ(scheduler.select(10), 5);
    scheduler.set_last_issued(5);
    EXPECT_EQ(scheduler.select(10), 0);
    set_ready(scheduler, 0, 11);
    set_ready(scheduler, 3, 11);
    EXPECT_EQ(scheduler.select(10), 5) << "the last one again, if no other can";
}

TEST(WarpScheduler, PoliciesDifferOnTheSameWarps) {
    // Slot 2 has issued last; slot 1 is older than slot 3.
    const auto selected = [](SchedulerPolicy policy) {
        WarpScheduler scheduler = with_warps(policy, {1, 2, 3});
        for (const std::uint32_t slot : {1U, 2U, 3U}) set_ready(scheduler, slot, 10);
        scheduler.set_last_issued(2);
        return scheduler.select(10);
    };
    EXPECT_EQ(selected(SchedulerPolicy::kGreedyThenOldest), 2);
    EXPECT_EQ(selected(SchedulerPolicy::kLooseRoundRobin), 3);
}

TEST(WarpScheduler, NoWarpIssuesWithoutItsUnit) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kGreedyThenOldest, {0, 1});
    set_ready(scheduler, 0, 5, ExecutionUnit::kTensor);
    set_ready(scheduler, 1, 5, ExecutionUnit::kAlu);
    scheduler.set_free_at(ExecutionUnit::kTensor, 30);
    EXPECT_EQ(scheduler.select(4), WarpScheduler::kNoSlot);
    EXPECT_EQ(scheduler.select(5), 1);
    scheduler.set_free_at(ExecutionUnit::kAlu, 31);
    EXPECT_EQ(scheduler.select(29), WarpScheduler::kNoSlot);
    EXPECT_EQ(scheduler.select(30), 0);
}

TEST(WarpScheduler, MemoryCandidateIsTheWarpServedLastThenTheOldest) {
    for (const SchedulerPolicy policy :
         {SchedulerPolicy::kGreedyThenOldest, SchedulerPolicy::kLooseRoundRobin}) {
        WarpScheduler scheduler = with_warps(policy, {4, 1, 2, 3});
        EXPECT_FALSE(scheduler.memory_candidate(9));
        set_ready(scheduler, 1, 10, ExecutionUnit::kLdst);
        set_ready(scheduler, 2, 10, ExecutionUnit::kLdst);
        set_ready(scheduler, 3, 10, ExecutionUnit::kAlu);
        set_ready(scheduler, 4, 11, ExecutionUnit::kLdst);
        EXPECT_FALSE(scheduler.memory_candidate(9));
        auto candidate = scheduler.memory_candidate(10);
        ASSERT_TRUE(candidate);
        EXPECT_EQ(candidate->slot, 1U) << "the oldest with its operands";
        EXPECT_EQ(candidate->age, 101U);
        EXPECT_TRUE(candidate->new_warp);
        scheduler.set_last_memory(2);
        scheduler.set_last_issued(1);
        candidate = scheduler.memory_candidate(11);
        ASSERT_TRUE(candidate);
        EXPECT_EQ(candidate->slot, 2U);
        EXPECT_FALSE(candidate->new_warp);
        scheduler.remove(2);
        candidate = scheduler.memory_candidate(11);
        ASSERT_TRUE(candidate);
        EXPECT_EQ(candidate->slot, 4U);
        EXPECT_TRUE(candidate->new_warp);
    }
}

TEST(WarpScheduler, ScheduleReportsMemoryInstructionsApart) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kGreedyThenOldest, {0, 1});
    set_ready(scheduler, 0, 10, ExecutionUnit::kLdst);
    set_ready(scheduler, 1, 20);
    scheduler.set_free_at(ExecutionUnit::kLdst, 15);
    const WarpScheduler::Schedule& next = scheduler.schedule(5);
    EXPECT_EQ(next.memory, 10U);
    EXPECT_EQ(next.issue, 20U);
    EXPECT_EQ(next.slot, 1);
    EXPECT_EQ(next.earliest, 15U);
    EXPECT_EQ(next.reason, StallReason::kLdstBusy);
    set_ready(scheduler, 1, 7);
    EXPECT_EQ(scheduler.schedule(5).issue, 7U);
    EXPECT_EQ(scheduler.schedule(5).memory, 10U) << "the other instruction is none of memory";
    scheduler.block(1, StallReason::kBarrier);
    EXPECT_EQ(scheduler.schedule(5).issue, kNever);
}

TEST(WarpScheduler, StallReasonIsThatOfTheWarpThatCouldIssueFirst) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kGreedyThenOldest, {});
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kNoWarp);
    scheduler.add(0, 0);
    scheduler.add(1, 1);
    scheduler.set_readiness(0, {20, StallReason::kMemory, ExecutionUnit::kNone});
    scheduler.set_readiness(1, {18, StallReason::kAluResult, ExecutionUnit::kTensor});
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kAluResult);
    scheduler.set_free_at(ExecutionUnit::kTensor, 19);
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kTensorBusy);
    scheduler.set_free_at(ExecutionUnit::kTensor, 21);
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kMemory);
}

TEST(WarpScheduler, StallReasonWithoutAKnownCycleIsThatOfTheYoungestWarpNotAtABarrier) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kGreedyThenOldest, {0, 1, 2});
    for (std::uint32_t slot = 0; slot < 3; ++slot) scheduler.block(slot, StallReason::kBarrier);
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kBarrier);
    EXPECT_TRUE(scheduler.at_barrier(1));
    scheduler.block(0, StallReason::kTensorResult);
    scheduler.block(1, StallReason::kMemory);
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kMemory);
    EXPECT_TRUE(scheduler.awaits_result(1));
    EXPECT_FALSE(scheduler.awaits_result(2));
    set_ready(scheduler, 0, 0, ExecutionUnit::kLdst);
    scheduler.set_free_at(ExecutionUnit::kLdst, kNever);
    EXPECT_EQ(scheduler.schedule(0).reason, StallReason::kLdstBusy);
}

TEST(WarpScheduler, BackgroundSlotIsNeverSelected) {
    WarpScheduler scheduler = with_warps(SchedulerPolicy::kLooseRoundRobin, {0});
    const std::uint32_t background = scheduler.add_background_slot();
    EXPECT_EQ(background, kSlots);
    set_ready(scheduler, background, 0);
    EXPECT_TRUE(scheduler.can_issue(background, 0));
    EXPECT_EQ(scheduler.select(0), WarpScheduler::kNoSlot);
    EXPECT_EQ(scheduler.schedule(0).issue, kNever);
}

TEST(WarpScheduler, ScheduleFindsTheCycleAndSlotThatSelectFinds) {
    std::mt19937 random(1);
    for (const SchedulerPolicy policy :
         {SchedulerPolicy::kGreedyThenOldest, SchedulerPolicy::kLooseRoundRobin}) {
        for (int trial = 0; trial < 500; ++trial) {
            std::vector<std::uint32_t> slots = {0, 1, 2, 3, 4, 5, 6, 7};
            std::shuffle(slots.begin(), slots.end(), random);
            slots.resize(1 + random() % kSlots);
            WarpScheduler scheduler = with_warps(policy, slots);
            for (const std::uint32_t slot : slots) {
                set_ready(scheduler, slot, random() % 4,
                          static_cast<ExecutionUnit>(random() % kExecutionUnits));
            }
            scheduler.set_free_at(ExecutionUnit::kAlu, random() % 4);
            scheduler.set_last_issued(slots[random() % slots.size()]);
            const Cycle from = random() % 4;
            const WarpScheduler::Schedule next = scheduler.schedule(from);
            // A search cycle by cycle, without grants.
            scheduler.set_free_at(ExecutionUnit::kLdst, kNever);
            Cycle cycle = from;
            while (cycle < 8 && scheduler.select(cycle) < 0) ++cycle;
            ASSERT_EQ(next.issue, cycle == 8 ? kNever : cycle);
            if (cycle < 8) {
                ASSERT_EQ(next.slot, scheduler.select(cycle));
            }
        }
    }
}

}  // namespace
}  // namespace tessera

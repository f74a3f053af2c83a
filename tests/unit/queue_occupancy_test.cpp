// May a request enter a queue exactly when another has left it?
#include "sc_models/tlm/lt/queue_occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace tessera;

namespace {

/// The first cycle from `at` on in which fewer than `entries` of those that leave at `leaves` are
/// there, looked for one by one.
Cycle naive_entry(const std::vector<Cycle>& leaves, std::size_t entries, Cycle at) {
    const auto there = [&] {
        return std::count_if(leaves.begin(), leaves.end(), [&](Cycle c) { return c > at; });
    };
    while (static_cast<std::size_t>(there()) >= entries) ++at;
    return at;
}

template <class Occupancy>
void expect_entries_as_in_naive(bool overtaking) {
    for (const std::uint32_t entries : {1U, 2U, 3U, 7U, 32U}) {
        std::mt19937_64 random(entries);
        Occupancy occupancy(entries);
        std::vector<Cycle> leaves;
        Cycle at = 0;
        for (int i = 0; i < 500; ++i) {
            at = naive_entry(leaves, entries, at + random() % 3);
            ASSERT_EQ(occupancy.enter(at), at) << entries << " entries, request " << i;
            const Cycle before = at == 0 ? 0 : at - 1;
            ASSERT_EQ(occupancy.enter(before), naive_entry(leaves, entries, before));
            Cycle leave = at + random() % 100;
            if (!overtaking && !leaves.empty()) leave = std::max(leave, leaves.back());
            occupancy.leave(leave);
            leaves.push_back(leave);
        }
    }
}

TEST(QueueOccupancy, InOrder) {
    expect_entries_as_in_naive<FifoOccupancy>(false);
    expect_entries_as_in_naive<UnorderedOccupancy>(false);
}

TEST(QueueOccupancy, OvertakingEachOther) {
    expect_entries_as_in_naive<UnorderedOccupancy>(true);
}

TEST(QueueOccupancy, ARequestTakesThePlaceOfTheFirstToLeave) {
    UnorderedOccupancy occupancy(2);
    occupancy.leave(50);
    EXPECT_EQ(occupancy.enter(1), 1U);
    occupancy.leave(20);
    EXPECT_EQ(occupancy.enter(19), 20U);
    occupancy.leave(30);
    EXPECT_EQ(occupancy.enter(20), 30U);
    FifoOccupancy ordered(2);
    ordered.leave(20);
    ordered.leave(50);
    EXPECT_EQ(ordered.enter(1), 20U);
    ordered.leave(60);
    EXPECT_EQ(ordered.enter(20), 50U);
}

TEST(FifoOccupancy, EntriesBehindOthersAreThoseOfTheirPredecessors) {
    FifoOccupancy queue(3);
    for (const Cycle leaves : {5U, 20U, 30U}) queue.leave(leaves);
    EXPECT_EQ(queue.entries(), 3U);
    EXPECT_EQ(queue.enter_behind(0, 1), queue.enter(1));
    EXPECT_EQ(queue.enter_behind(1, 1), 20U);
    EXPECT_EQ(queue.enter_behind(2, 1), 30U);
    EXPECT_EQ(queue.enter_behind(2, 31), 31U);
    queue.leave(40);
    EXPECT_EQ(queue.enter_behind(0, 1), 20U);
    EXPECT_EQ(queue.enter_behind(2, 1), 40U) << "around the end of the ring";
}

}  // namespace

// Is there room again exactly when a request has left?
#include "sc_models/tlm/queue_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace tessera;

namespace {

/// The first cycle from `at` on in which fewer than `entries` of those that leave at `leaves` are
/// there, looked for one by one.
Cycle naive_room(const std::vector<Cycle>& leaves, std::size_t entries, Cycle at) {
    const auto there = [&] {
        return std::count_if(leaves.begin(), leaves.end(), [&](Cycle c) { return c > at; });
    };
    while (static_cast<std::size_t>(there()) >= entries) ++at;
    return at;
}

template <class Room>
void expect_room_as_in_naive(bool overtaking) {
    for (const std::uint32_t entries : {1U, 2U, 3U, 7U, 32U}) {
        std::mt19937_64 random(entries);
        Room room(entries);
        std::vector<Cycle> leaves;
        Cycle at = 0;
        for (int i = 0; i < 500; ++i) {
            at = naive_room(leaves, entries, at + random() % 3);
            ASSERT_EQ(room.enter(at), at) << entries << " entries, request " << i;
            const Cycle before = at == 0 ? 0 : at - 1;
            ASSERT_EQ(room.enter(before), naive_room(leaves, entries, before));
            Cycle leave = at + random() % 100;
            if (!overtaking && !leaves.empty()) leave = std::max(leave, leaves.back());
            room.leave(leave);
            leaves.push_back(leave);
        }
    }
}

TEST(QueueRoom, InOrder) {
    expect_room_as_in_naive<OrderedRoom>(false);
    expect_room_as_in_naive<UnorderedRoom>(false);
}

TEST(QueueRoom, OvertakingEachOther) {
    expect_room_as_in_naive<UnorderedRoom>(true);
}

TEST(QueueRoom, ARequestTakesThePlaceOfTheFirstToLeave) {
    UnorderedRoom room(2);
    room.leave(50);
    EXPECT_EQ(room.enter(1), 1U);
    room.leave(20);
    EXPECT_EQ(room.enter(19), 20U);
    room.leave(30);
    EXPECT_EQ(room.enter(20), 30U);
    OrderedRoom ordered(2);
    ordered.leave(20);
    ordered.leave(50);
    EXPECT_EQ(ordered.enter(1), 20U);
    ordered.leave(60);
    EXPECT_EQ(ordered.enter(20), 50U);
}

}  // namespace

// Do the queues of the approximately-timed blocks keep order, cycles and bandwidth?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/link_rate.h"
#include "sc_models/common/number_lists.h"
#include "sc_models/common/timing_wheel.h"
#include "sc_models/tlm/lt/reservation_table.h"

using namespace tessera;

namespace {

TEST(RingQueue, AgreesWithADeque) {
    std::mt19937 random(3);
    RingQueue<int> queue;
    std::deque<int> naive;
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 100 < (i / 2000 % 2 == 0 ? 60U : 40U)) {
            queue.push(i);
            naive.push_back(i);
        } else if (!naive.empty()) {
            ASSERT_EQ(queue.front(), naive.front());
            ASSERT_EQ(queue.pop(), naive.front());
            naive.pop_front();
        }
        ASSERT_EQ(queue.size(), naive.size());
        if (!naive.empty()) {
            const std::size_t any = random() % naive.size();
            ASSERT_EQ(queue[any], naive[any]);
        }
    }
}

TEST(NumberLists, AgreeWithDeques) {
    std::mt19937 random(4);
    NumberLists lists;
    std::vector<std::deque<std::uint32_t>> naive;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        if (i % 500 == 0) {
            naive.resize(naive.size() + 1);
            lists.grow(naive.size());
        }
        const std::size_t list = random() % naive.size();
        if (random() % 4 != 0) {
            lists.push(list, i);
            naive[list].push_back(i);
            continue;
        }
        std::deque<std::uint32_t> taken;
        lists.drain(list, [&](std::uint32_t number) { taken.push_back(number); });
        ASSERT_EQ(taken, naive[list]);
        naive[list].clear();
    }
}

/// Random pushes and drains of a queue against a map, some pushes from within a drain.
template <class Queue, class Push>
void agrees_with_a_map(Queue& queue, const Push& push, std::uint32_t far) {
    std::mt19937 random(far);
    std::multimap<Cycle, int> naive;
    Cycle now = 5;
    int number = 0;
    const auto add = [&](Cycle at) {
        push(now, at, number);
        naive.emplace(at, number++);
    };
    for (int i = 0; i < 20'000; ++i) {
        for (std::uint32_t k = random() % 3; k > 0; --k) {
            add(now + (random() % 50 == 0 ? random() % far : random() % 40));
        }
        ASSERT_EQ(queue.next(), naive.empty() ? kNever : naive.begin()->first);
        ASSERT_EQ(queue.size(), naive.size());
        now += random() % 200 == 0 ? Cycle{far} * 3 : random() % 4;
        queue.drain(now, [&](int value) {
            ASSERT_EQ(value, naive.begin()->second);
            naive.erase(naive.begin());
            if (random() % 10 == 0) add(now + random() % 3);
        });
        ASSERT_TRUE(naive.empty() || naive.begin()->first > now);
    }
}

TEST(TimingWheel, AgreesWithAMap) {
    for (const std::uint32_t far : {60U, 1000U, 100'000U}) {
        TimingWheel<int> wheel(10);
        agrees_with_a_map(
            wheel, [&](Cycle now, Cycle at, int value) { wheel.push(now, at, value); }, far);
    }
}

TEST(DueQueue, AgreesWithAMap) {
    DueQueue<int> queue;
    agrees_with_a_map(
        queue, [&](Cycle, Cycle at, int value) { queue.push(at, value); }, 1000);
}

TEST(LinkRate, InOrderItIsAReservationTable) {
    std::mt19937 random(8);
    for (const std::uint32_t bytes_per_cycle : {1U, 8U, 24U, 32U, 48U, 64U, 100U}) {
        LinkRate link(bytes_per_cycle, 32);
        ReservationTable table = ReservationTable::for_link(bytes_per_cycle, 32);
        Cycle at = 0;
        for (int i = 0; i < 5000; ++i) {
            at += random() % 4;
            const Cycle free = link.free_at(at);
            const std::uint32_t slots = 1 + random() % 3;
            Cycle expected = table.reserve(at);
            EXPECT_EQ(free, expected);
            for (std::uint32_t s = 1; s < slots; ++s) expected = table.reserve(expected);
            ASSERT_EQ(link.take(at, slots), expected) << bytes_per_cycle << " bytes a cycle, " << i;
            at = std::max(at, expected);
        }
    }
}

}  // namespace

// Is every turn taken once, by whomever, and does one that waits go on when its time has come?
#include "sc_models/sm/turn_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace tessera;

namespace {

class TestTurn : public TurnPool::Turn {
public:
    std::function<void()> what;
    std::atomic<bool> begun{false};

private:
    void take_ahead() override {
        begun = true;
        what();
    }
};

void wait_until_begun(const TestTurn& turn) {
    while (!turn.begun) std::this_thread::yield();
}

TEST(TurnPool, EveryTurnIsTakenOnceByAThreadOrWithdrawn) {
    constexpr int kTurns = 20;
    for (const std::uint32_t workers : {1U, 3U}) {
        std::deque<TestTurn> turns(kTurns);
        std::vector<int> taken(kTurns);  // written by whoever takes it
        TurnPool pool(workers);
        EXPECT_EQ(pool.workers(), workers);
        for (std::size_t i = 0; i < turns.size(); ++i) {
            turns[i].what = [&taken, i] { ++taken[i]; };
            pool.add(turns[i]);
        }
        std::uint64_t withdrawn = 0;
        for (int round = 0; round < 2000; ++round) {
            const bool leaves_time = round % 20 == 0;
            if (leaves_time) turns.front().begun = false;
            for (TestTurn& turn : turns) pool.post(turn);
            if (leaves_time) wait_until_begun(turns.front());
            for (int i = 0; i < kTurns; ++i) {
                TestTurn& turn = turns[static_cast<std::size_t>(i)];
                EXPECT_TRUE(pool.posted(turn));
                if (pool.meet(turn) == TurnPool::Met::kWithdrawn) {
                    ++withdrawn;
                    turn.what();
                }
                EXPECT_FALSE(pool.posted(turn));
                ASSERT_EQ(taken[static_cast<std::size_t>(i)], round + 1);
            }
        }
        EXPECT_LE(withdrawn, 2000U * kTurns - 100) << "threads take what they have time for";
    }
}

TEST(TurnPool, ATurnThatWaitsGoesOnWhenItsTimeHasCome) {
    TestTurn waiting, other;
    TurnPool pool(1);
    pool.add(waiting);
    pool.add(other);
    int step = 0;
    waiting.what = [&] {
        step = 1;
        pool.wait_for_time(waiting);
        EXPECT_EQ(step, 2);
        step = 3;
    };
    other.what = [] {};
    for (int round = 0; round < 100; ++round) {
        waiting.begun = other.begun = false;
        pool.post(waiting);
        wait_until_begun(waiting);
        // The only worker waits: another thread takes its place.
        pool.post(other);
        wait_until_begun(other);
        EXPECT_EQ(pool.meet(other), TurnPool::Met::kOver);
        ASSERT_EQ(pool.meet(waiting), TurnPool::Met::kWaiting);
        ASSERT_EQ(step, 1);
        step = 2;
        pool.let_finish(waiting);
        ASSERT_EQ(step, 3);
        EXPECT_FALSE(pool.posted(waiting));
    }
}

TEST(TurnPool, WhatATurnThrowsIsThrownWhereItIsMet) {
    TestTurn turn;
    TurnPool pool(1);
    pool.add(turn);
    turn.what = [] { throw std::runtime_error("at once"); };
    pool.post(turn);
    wait_until_begun(turn);
    EXPECT_THROW(static_cast<void>(pool.meet(turn)), std::runtime_error);
    EXPECT_FALSE(pool.posted(turn));

    turn.begun = false;
    turn.what = [&] {
        pool.wait_for_time(turn);
        throw std::runtime_error("later");
    };
    pool.post(turn);
    wait_until_begun(turn);
    ASSERT_EQ(pool.meet(turn), TurnPool::Met::kWaiting);
    EXPECT_THROW(pool.let_finish(turn), std::runtime_error);
}

TEST(TurnPool, EveryWorkerIsReplacedWhoseTurnWaits) {
    TestTurn first, second, third, fourth;
    TurnPool pool(2);
    for (TestTurn* turn : {&first, &second, &third, &fourth}) {
        pool.add(*turn);
        turn->what = [&pool, turn] { pool.wait_for_time(*turn); };
    }
    for (int round = 0; round < 50; ++round) {
        // Two at a time, whose threads wait: there have to be two others.
        for (TestTurn* turn : {&first, &second, &third, &fourth}) {
            turn->begun = false;
            pool.post(*turn);
            wait_until_begun(*turn);
        }
        for (TestTurn* turn : {&first, &second, &third, &fourth}) {
            ASSERT_EQ(pool.meet(*turn), TurnPool::Met::kWaiting);
            pool.let_finish(*turn);
        }
    }
}

TEST(TurnPool, NoTurnIsWithdrawnWhereThreadsTakeAll) {
    TestTurn turn;
    TurnPool pool(1, true);
    pool.add(turn);
    int taken = 0;
    turn.what = [&taken] { ++taken; };
    for (int round = 0; round < 200; ++round) {
        pool.post(turn);
        ASSERT_EQ(pool.meet(turn), TurnPool::Met::kOver);
        ASSERT_EQ(taken, round + 1);
    }
}

TEST(TurnPool, EndsWithTurnsPostedAndWaiting) {
    TestTurn waiting, posted;
    auto pool = std::make_unique<TurnPool>(1);
    pool->add(waiting);
    pool->add(posted);
    TurnPool& its_pool = *pool;
    bool went_on = false;
    waiting.what = [&] {
        its_pool.wait_for_time(waiting);
        went_on = true;
    };
    posted.what = [] {};
    pool->post(waiting);
    wait_until_begun(waiting);
    pool->post(posted);
    pool.reset();
    EXPECT_FALSE(went_on);
}

TEST(TurnPool, EndsWithoutAnyTurn) {
    const TurnPool pool(4);
    EXPECT_EQ(pool.workers(), 4U);
}

}  // namespace

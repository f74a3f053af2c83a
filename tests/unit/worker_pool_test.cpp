// Does every quantum run once, on any thread, and does a waiting one continue when its time has
// come?
#include "sc_models/sm/worker_pool.h"

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

class TestQuantum : public WorkerPool::Quantum {
public:
    std::function<void()> what;
    std::atomic<bool> begun{false};

private:
    void run() override {
        begun = true;
        what();
    }
};

void wait_until_begun(const TestQuantum& quantum) {
    while (!quantum.begun) std::this_thread::yield();
}

TEST(WorkerPool, EveryQuantumRunsOnceOnAThreadOrIsWithdrawn) {
    constexpr int kQuanta = 20;
    for (const std::uint32_t workers : {1U, 3U}) {
        std::deque<TestQuantum> quanta(kQuanta);
        std::vector<int> taken(kQuanta);  // written by the thread that runs it
        WorkerPool pool(workers);
        EXPECT_EQ(pool.workers(), workers);
        for (std::size_t i = 0; i < quanta.size(); ++i) {
            quanta[i].what = [&taken, i] { ++taken[i]; };
            pool.add(quanta[i]);
        }
        std::uint64_t withdrawn = 0;
        for (int round = 0; round < 2000; ++round) {
            const bool leaves_time = round % 20 == 0;
            if (leaves_time) quanta.front().begun = false;
            for (TestQuantum& quantum : quanta) pool.post(quantum);
            if (leaves_time) wait_until_begun(quanta.front());
            for (int i = 0; i < kQuanta; ++i) {
                TestQuantum& quantum = quanta[static_cast<std::size_t>(i)];
                EXPECT_TRUE(pool.posted(quantum));
                if (pool.collect(quantum) == WorkerPool::Progress::kNotBegun) {
                    ++withdrawn;
                    quantum.what();
                }
                EXPECT_FALSE(pool.posted(quantum));
                ASSERT_EQ(taken[static_cast<std::size_t>(i)], round + 1);
            }
        }
        EXPECT_LE(withdrawn, 2000U * kQuanta - 100) << "threads run the quanta they have time for";
    }
}

TEST(WorkerPool, AWaitingQuantumContinuesWhenItsTimeHasCome) {
    TestQuantum waiting, other;
    WorkerPool pool(1);
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
        EXPECT_EQ(pool.collect(other), WorkerPool::Progress::kOver);
        ASSERT_EQ(pool.collect(waiting), WorkerPool::Progress::kWaiting);
        ASSERT_EQ(step, 1);
        step = 2;
        pool.resume(waiting);
        ASSERT_EQ(step, 3);
        EXPECT_FALSE(pool.posted(waiting));
    }
}

TEST(WorkerPool, AnExceptionOfAQuantumIsThrownWhereItIsCollected) {
    TestQuantum quantum;
    WorkerPool pool(1);
    pool.add(quantum);
    quantum.what = [] { throw std::runtime_error("at once"); };
    pool.post(quantum);
    wait_until_begun(quantum);
    EXPECT_THROW(static_cast<void>(pool.collect(quantum)), std::runtime_error);
    EXPECT_FALSE(pool.posted(quantum));

    quantum.begun = false;
    quantum.what = [&] {
        pool.wait_for_time(quantum);
        throw std::runtime_error("later");
    };
    pool.post(quantum);
    wait_until_begun(quantum);
    ASSERT_EQ(pool.collect(quantum), WorkerPool::Progress::kWaiting);
    EXPECT_THROW(pool.resume(quantum), std::runtime_error);
}

TEST(WorkerPool, AWorkerWithAWaitingQuantumIsReplaced) {
    TestQuantum first, second, third, fourth;
    WorkerPool pool(2);
    for (TestQuantum* quantum : {&first, &second, &third, &fourth}) {
        pool.add(*quantum);
        quantum->what = [&pool, quantum] { pool.wait_for_time(*quantum); };
    }
    for (int round = 0; round < 50; ++round) {
        // Two at a time wait with their threads, so two other threads must exist.
        for (TestQuantum* quantum : {&first, &second, &third, &fourth}) {
            quantum->begun = false;
            pool.post(*quantum);
            wait_until_begun(*quantum);
        }
        for (TestQuantum* quantum : {&first, &second, &third, &fourth}) {
            ASSERT_EQ(pool.collect(*quantum), WorkerPool::Progress::kWaiting);
            pool.resume(*quantum);
        }
    }
}

TEST(WorkerPool, NoQuantumIsWithdrawnIfThreadsRunAll) {
    TestQuantum quantum;
    WorkerPool pool(1, true);
    pool.add(quantum);
    int taken = 0;
    quantum.what = [&taken] { ++taken; };
    for (int round = 0; round < 200; ++round) {
        pool.post(quantum);
        ASSERT_EQ(pool.collect(quantum), WorkerPool::Progress::kOver);
        ASSERT_EQ(taken, round + 1);
    }
}

TEST(WorkerPool, EndsWithQuantaPostedAndWaiting) {
    TestQuantum waiting, posted;
    auto pool = std::make_unique<WorkerPool>(1);
    pool->add(waiting);
    pool->add(posted);
    WorkerPool& its_pool = *pool;
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

TEST(WorkerPool, EndsWithoutAnyQuantum) {
    const WorkerPool pool(4);
    EXPECT_EQ(pool.workers(), 4U);
}

}  // namespace

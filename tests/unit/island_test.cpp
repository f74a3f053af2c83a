// Do islands run side by side with the outcome of one after the other?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/island_crew.h"
#include "tests/support/in_child.h"

using namespace tessera;

namespace {

class Block : public Clocked {
public:
    explicit Block(const ClockPlace& place) : alarm(place, *this) {}
    void evaluate() override {
        if (on_evaluate) on_evaluate();
    }
    void exchange() override {
        if (on_exchange) on_exchange();
    }
    CycleAlarm alarm;
    std::function<void()> on_evaluate, on_exchange;
};

/// A block on an island of its own.
struct Lone {
    explicit Lone(CycleTicker& ticker) : island(ticker), block({ticker, &island}) {}
    Island island;
    Block block;
};

TEST(Island, RunsAfterBlocksOfNoneAndBeforeAnythingIsExchanged) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    std::vector<std::string> log;
    Lone first(ticker), second(ticker);
    Block outside(ticker);
    outside.on_evaluate = [&] { log.push_back("outside"); };
    first.block.on_evaluate = [&] {
        log.push_back("first");
        first.block.alarm.leave();
    };
    first.block.on_exchange = [&] {
        log.push_back("first leaves");
        outside.alarm.at(4);  // the present cycle: another round
    };
    second.block.on_evaluate = [&] {
        log.push_back("second");
        if (log.size() < 4) second.block.alarm.at(4);
    };
    second.block.alarm.at(4);
    first.block.alarm.at(4);
    outside.alarm.at(4);
    sc_core::sc_start();
    EXPECT_THAT(log, testing::ElementsAre("outside", "first", "second", "second", "first leaves",
                                          "outside"));
}

TEST(Island, RunsItsBlocksInTheOrderInWhichTheyJoined) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    Island island(ticker);
    Block a({ticker, &island}), b({ticker, &island});
    std::string log;
    a.on_evaluate = [&] { log += 'a'; };
    b.on_evaluate = [&] {
        log += 'b';
        if (log == "ab") {
            a.alarm.at(ticker.now());
            b.alarm.at(ticker.now() + 3);
        }
    };
    b.alarm.at(9);
    a.alarm.at(12);
    a.alarm.at(9);
    sc_core::sc_start();
    EXPECT_EQ(log, "abab");
    EXPECT_EQ(ticker.now(), 12U);
}

/// What many islands do which count, ask, exchange and write a log in their order, on so many
/// threads.
std::string work_on(std::uint32_t threads) {
    constexpr std::uint32_t kIslands = 70;
    constexpr Cycle kCycles = 3000;
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    std::unique_ptr<IslandCrew> crew;
    if (threads > 1) crew = std::make_unique<IslandCrew>(threads - 1);
    ticker.employ(crew.get());
    std::string log;
    std::vector<std::unique_ptr<Lone>> islands;
    std::vector<std::uint64_t> state(kIslands, 1);
    std::uint64_t exchanged = 0;
    const Cycle start = ticker.now();
    for (std::uint32_t i = 0; i < kIslands; ++i) {
        islands.push_back(std::make_unique<Lone>(ticker));
        Lone& lone = *islands.back();
        lone.block.on_evaluate = [&, i] {
            state[i] = state[i] * 6364136223846793005U + i;
            const Cycle now = lone.block.alarm.now();
            if (now - start >= kCycles) return;
            lone.block.alarm.at(now + 1 + (state[i] >> 62U));
            if ((state[i] >> 60U) == 0) lone.block.alarm.leave();
            if ((state[i] >> 40U) % 512 == 7) {
                lone.island.in_order();
                log += std::to_string(i) + ' ';
            }
        };
        lone.block.on_exchange = [&, i] { exchanged = exchanged * 31 + state[i]; };
        lone.block.alarm.at(start + 1);
    }
    sc_core::sc_start();
    std::string text = log + std::to_string(exchanged);
    for (const std::uint64_t each : state) text += ' ' + std::to_string(each);
    return text;
}

TEST(IslandCrew, HasTheOutcomeOfOneThread) {
    const std::string alone = test::in_child([] { return work_on(1); });
    EXPECT_GT(alone.size(), 1900U);
    for (const std::uint32_t threads : {2U, 3U, 8U}) {
        EXPECT_EQ(test::in_child([threads] { return work_on(threads); }), alone) << threads;
    }
}

TEST(IslandCrew, ThrowsWhatTheFirstIslandThrows) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    IslandCrew crew(2);
    ticker.employ(&crew);
    std::vector<std::unique_ptr<Lone>> islands;
    std::atomic<int> ran = 0;
    for (std::uint32_t i = 0; i < 20; ++i) {
        islands.push_back(std::make_unique<Lone>(ticker));
        islands.back()->block.on_evaluate = [&, i] {
            ++ran;
            if (i == 5 || i == 12) throw std::runtime_error("island " + std::to_string(i));
            if (i == 19) islands[i]->island.in_order();  // those that throw have run, too
        };
        islands.back()->block.alarm.at(3);
    }
    try {
        sc_core::sc_start();
        FAIL();
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("island 5"));
    }
    EXPECT_EQ(ran, 20);
}

}  // namespace

// Do blocks run in the cycles they ask for, in order, and no oftener?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sc_models/tlm/at/cycle_ticker.h"

using namespace tessera;

namespace {

class Block : public Clocked {
public:
    explicit Block(CycleTicker& ticker) : alarm(ticker, *this) {}
    void evaluate() override {
        runs.push_back(alarm.now());
        if (then) then(alarm.now());
    }
    CycleAlarm alarm;
    std::vector<Cycle> runs;
    std::function<void(Cycle)> then;
};

TEST(CycleTicker, BlocksRunWhenTheyAskTo) {
    const ClockDomain clock(1200);
    CycleTicker ticker("ticker", clock);
    Block a(ticker), b(ticker);
    a.alarm.at(7);
    a.alarm.at(9);  // later than what it asked for: it asks again when it has run
    b.alarm.at(1'000'000);
    b.alarm.at(3);  // the earliest counts
    a.then = [&](Cycle now) {
        if (a.runs.size() == 1) a.alarm.at(7);  // once more in this cycle
        if (now == 7) b.alarm.at(8);
    };
    sc_core::sc_start();
    EXPECT_THAT(a.runs, testing::ElementsAre(7U, 7U));
    EXPECT_THAT(b.runs, testing::ElementsAre(3U, 8U));
}

TEST(CycleTicker, TimesBetweenCyclesCountAsTheNext) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    Block block(ticker);
    sc_core::sc_start(sc_core::sc_time(10'400, sc_core::SC_PS));
    EXPECT_EQ(ticker.now(), 11U);
    EXPECT_EQ(ticker.cycle_after(sc_core::sc_time(1, sc_core::SC_NS)), 12U);
    EXPECT_EQ(ticker.delay_to(13), sc_core::sc_time(2'600, sc_core::SC_PS));
    EXPECT_EQ(ticker.delay_to(5), sc_core::sc_time(600, sc_core::SC_PS));
    block.alarm.at(2);  // has passed
    sc_core::sc_start();
    EXPECT_THAT(block.runs, testing::ElementsAre(11U));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(11, sc_core::SC_NS));
}

}  // namespace

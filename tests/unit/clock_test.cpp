// Are cycles those of a division?
#include "sc_models/common/clock.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tessera {
namespace {

TEST(Period, CycleIsTheQuotientRoundedUp) {
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> periods = {1, 2, 3, 5, 7, 1024, 833333, 1000000, 714286};
    for (int i = 0; i < 100; ++i) periods.push_back(random() % 10000000 + 1);
    for (const std::uint64_t units : periods) {
        const Period period(units);
        ASSERT_EQ(period.cycle_at(0), 0U);
        const auto expect = [&](std::uint64_t time) {
            const std::uint64_t cycle = time / units + (time % units != 0 ? 1 : 0);
            ASSERT_EQ(period.cycle_at(time), cycle) << time << " by " << units;
        };
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t time = random() >> (1 + random() % 62);
            expect(time);
            const std::uint64_t edge = time / units * units;  // where an estimate may be one off
            expect(edge);
            expect(edge + 1);
            if (edge > 0) expect(edge - 1);
        }
        expect((std::uint64_t{1} << 63U) - 1);
    }
}

TEST(ClockDomain, ACycleBeginsWhereItsSpanEnds) {
    const ClockDomain clock(1200);
    for (const Cycle cycle : {Cycle{0}, Cycle{1}, Cycle{12345678}}) {
        EXPECT_EQ(clock.cycle_at(clock.span(cycle)), cycle);
        EXPECT_EQ(clock.cycle_at(time_of(clock.span(cycle).value() + 1)), cycle + 1);
    }
}

}  // namespace
}  // namespace tessera

// Are cycles those of a division?
#include "sc_models/common/clock.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(ClockDomain, ACycleBeginsWhereItsSpanEnds) {
    const ClockDomain clock(1200);
    for (const Cycle cycle : {Cycle{0}, Cycle{1}, Cycle{12345678}}) {
        EXPECT_EQ(clock.cycle_at(clock.span(cycle)), cycle);
        EXPECT_EQ(clock.cycle_at(time_of(clock.span(cycle).value() + 1)), cycle + 1);
    }
}

}  // namespace
}  // namespace tessera

// Does a ring write the last cycles with the values that signals had before?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "sc_models/observe/wave_ring.h"

namespace tessera {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRingFile = "wave_ring_test.vcd";

std::string written(const WaveRing& ring, std::string_view scope, Cycle until,
                    const std::vector<RingSignal>& others = {}) {
    ring.write(kRingFile, ClockDomain(1000), scope, until, others);
    std::ifstream in(kRingFile);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    std::remove(kRingFile);
    return text;
}

TEST(WaveRingTest, TheLastCyclesOfOneSmAreWritten) {
    WaveRing ring(10, nullptr);
    const auto warp = ring.add("sm1.ldst", "warp", 8);
    const auto busy = ring.add("sm1.ldst", "busy", 1);
    const auto other = ring.add("sm10.ldst", "other", 8);
    ring.set(warp, 5, 3);
    ring.pulse(busy, 93, 4);
    ring.set(other, 95, 1);
    ring.set(warp, 120, 9);  // behind the end
    ring.set(warp, 96, 7);
    const std::string text = written(ring, "sm1", 100, {{"sm1.rtl", "pin", 8, {{80, 1}, {99, 2}}}});
    EXPECT_THAT(text, HasSubstr(" warp "));
    EXPECT_THAT(text, Not(HasSubstr("other")));
    EXPECT_THAT(text, HasSubstr("#90000000"));  // the value before is that of cycle 90
    EXPECT_THAT(text, HasSubstr("b11 "));
    EXPECT_THAT(text, HasSubstr("#93000000"));
    EXPECT_THAT(text, HasSubstr("#97000000"));
    EXPECT_THAT(text, HasSubstr("b111 "));
    EXPECT_THAT(text, HasSubstr("#99000000"));
    EXPECT_THAT(text, Not(HasSubstr("#80000000")));
    EXPECT_THAT(text, Not(HasSubstr("b1001 ")));
}

TEST(WaveRingTest, OldChangesAreForgottenButNotTheirValues) {
    WaveRing ring(10, nullptr);
    const auto kept = ring.add("sm0", "kept", 16);
    const auto counted = ring.add("sm0", "counted", 20);
    ring.set(kept, 1, 0x155);
    constexpr Cycle kEnd = 500'000;
    for (Cycle at = 2; at < kEnd; ++at) ring.set(counted, at, at);
    const std::string text = written(ring, "sm0", kEnd);
    EXPECT_THAT(text, HasSubstr("b101010101 "));
    EXPECT_LT(text.size(), 2000U);
}

}  // namespace
}  // namespace tessera

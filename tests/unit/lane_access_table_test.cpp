// Is each pattern of lanes worked out once for an alignment?
#include <gtest/gtest.h>

#include "sc_models/trace/trace_kernel.h"

namespace tessera {
namespace {

LanePattern pattern_of(std::uint32_t index, std::uint32_t bytes) {
    LaneAddresses addresses{};
    for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
        addresses[lane] = 0x1000 + Address{lane} * bytes;
    }
    LanePattern pattern = LanePattern::make(0xffffffff, bytes, addresses);
    pattern.index = index;
    return pattern;
}

TEST(LaneAccessTable, WorksOutEachPatternOnceForAnAlignment) {
    LaneAccessTable table{AccessGranularity{}};
    const auto find = [&table](const LanePattern& lanes, Address base,
                               bool shared) -> const LaneAccess& {
        return table.find({lanes, base, shared, 0, {}});
    };
    const LanePattern words = pattern_of(0, 4);
    const LaneAccess& first = find(words, 0x1000, false);
    EXPECT_EQ(&find(words, 0x1080, false), &first) << "128 bytes on";
    EXPECT_NE(&find(words, 0x1004, false), &first) << "another alignment";
    EXPECT_NE(&find(words, 0x1000, true), &first) << "shared memory";
    EXPECT_NE(&find(pattern_of(1, 4), 0x1000, false), &first) << "another pattern";
    EXPECT_EQ(first.pieces.size(), 1U);
    EXPECT_EQ(find(words, 0x1004, false).pieces.size(), 2U);
    EXPECT_EQ(find(words, 0x1000, true).wavefronts, 1U);
    for (std::uint32_t i = 2; i < 2000; ++i) (void)find(pattern_of(i, 8), 0x1000, false);
    EXPECT_EQ(&find(words, 0x2000, false), &first) << "it stays where it is";
}

}  // namespace
}  // namespace tessera

// Which line of a full set does each replacement policy replace?
#include "sc_models/memory/core/replacement_policy.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "sc_models/memory/core/sector_tags.h"

namespace tessera {
namespace {

/// Fills one set of four ways with lines 0 to 3, uses line 0, and returns the lines that the next
/// four fills replace.
std::vector<LineNumber> replaced(Replacement policy) {
    SectorTags tags(1, 4, IndexHash::kNone, policy);
    for (LineNumber line = 0; line < 4; ++line) EXPECT_EQ(tags.fill(line, 1, 0).valid, 0U);
    EXPECT_EQ(tags.probe(0), 1U);
    std::vector<LineNumber> lines;
    for (LineNumber line = 4; line < 8; ++line) {
        const auto victim = tags.fill(line, 1, 0);
        EXPECT_EQ(victim.valid, 1U);
        lines.push_back(victim.line);
    }
    return lines;
}

TEST(ReplacementPolicy, LruReplacesTheLeastRecentlyUsed) {
    EXPECT_EQ(replaced(Replacement::kLru), (std::vector<LineNumber>{1, 2, 3, 0}));
}

TEST(ReplacementPolicy, FifoReplacesTheFirstFilled) {
    EXPECT_EQ(replaced(Replacement::kFifo), (std::vector<LineNumber>{0, 1, 2, 3}));
}

TEST(ReplacementPolicy, FifoIgnoresEveryKindOfUse) {
    SectorTags tags(1, 2, IndexHash::kNone, Replacement::kFifo);
    tags.fill(0, 3, 0);
    tags.fill(1, 1, 0);
    tags.fill(0, 4, 0);
    tags.mark_dirty(0, 1);
    EXPECT_EQ(tags.fill(2, 1, 0).line, 0U);
}

TEST(ReplacementPolicy, RandomTakesUnusedWaysFirstAndThenEachWayAboutAsOften) {
    SectorTags tags(1, 8, IndexHash::kNone, Replacement::kRandom);
    for (LineNumber line = 0; line < 8; ++line) EXPECT_EQ(tags.fill(line, 1, 0).valid, 0U);
    std::map<LineNumber, int> age;  // fills between a line's own and its replacement
    for (LineNumber line = 8; line < 8'008; ++line) {
        const auto victim = tags.fill(line, 1, 0);
        ASSERT_EQ(victim.valid, 1U);
        ASSERT_LT(victim.line, line);
        if (victim.line >= 8) ++age[line - victim.line];
    }
    EXPECT_NEAR(age[1], 1000, 100) << "each way with 1 in 8";
    EXPECT_NEAR(age[2], 875, 100);
    EXPECT_GT(age.rbegin()->first, 16U) << "some lines stay long";
}

TEST(ReplacementPolicy, RandomIsTheSameInEachRun) {
    ReplacementPolicy first(Replacement::kRandom), second(Replacement::kRandom);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(first.victim(7), second.victim(7));
}

}  // namespace
}  // namespace tessera

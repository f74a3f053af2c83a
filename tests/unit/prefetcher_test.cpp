// Is it known of each sector that was fetched ahead what became of it?
#include "sc_models/memory/core/prefetcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/prefetch_by.h"

using namespace tessera;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(PrefetchTracker, CountsEachSectorOnce) {
    PrefetchStatistics stats;
    PrefetchTracker tracker(test::PrefetchBy::distance(32), stats);
    const auto violations = [&tracker] {
        std::vector<std::string> found;
        tracker.check("l1", found);
        return found;
    };
    for (const std::uint64_t sector : {4, 5, 6, 7, 8}) tracker.on_issued(sector);
    EXPECT_THAT(violations(), IsEmpty());

    tracker.on_read(4, true);
    tracker.on_read(4, true);
    tracker.on_read(5, false);
    tracker.on_read(5, true);
    tracker.on_read(9, true);  // it has not been prefetched
    EXPECT_EQ(stats.useful, 1U);
    EXPECT_EQ(stats.late, 1U);
    EXPECT_THAT(violations(), IsEmpty());

    tracker.on_lost(4, 0b0000);
    EXPECT_EQ(stats.useless, 0U);
    tracker.on_lost(4, 0b0111);  // of sectors 4 to 6 only the last was not read
    EXPECT_EQ(stats.useless, 1U);
    tracker.on_read(6, true);  // fetched again, by a miss
    tracker.on_invalidated();
    EXPECT_EQ(stats.useless, 3U);
    EXPECT_EQ(stats.useful, 1U);
    EXPECT_EQ(stats.issued, 5U);
    EXPECT_THAT(violations(), IsEmpty());

    ++stats.useful;
    EXPECT_THAT(violations(), ElementsAre("l1: prefetches (5) is not useful + late + useless + "
                                          "unread (6)"));
}

TEST(PrefetchTracker, LeavesOutWhatNoTagCanName) {
    PrefetchStatistics stats;
    constexpr Address kEnd = SectorTags::kMaxLine * 32;
    PrefetchTracker tracker(
        std::make_unique<test::PrefetchBy>(
            [](std::uint32_t stream, Address address, std::vector<Address>& expected) {
                expected = {address - 64, stream, kEnd, kEnd - 128, address + 64};
            }),
        stats);
    EXPECT_THAT(tracker.expected_after(7, 32), ElementsAre(7U, kEnd - 128, 96U));
    EXPECT_THAT(tracker.expected_after(8, 64), ElementsAre(0U, 8U, kEnd - 128, 128U));
}

}  // namespace

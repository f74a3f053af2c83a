// Does each order of CTAs reach every tile once, and do groups stay within strips?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "sc_models/workload/tile_order.h"

namespace tessera::test {
namespace {

constexpr std::array<RasterOrder, 4> kOrders = {RasterOrder::kNFastest, RasterOrder::kMFastest,
                                                RasterOrder::kNGroups, RasterOrder::kMGroups};

TEST(TileOrder, ReachesEveryTileOnce) {
    for (const RasterOrder raster : kOrders) {
        for (std::uint64_t m = 1; m <= 19; ++m) {
            for (std::uint64_t n = 1; n <= 19; ++n) {
                const TileOrder order(raster, m, n);
                std::set<std::pair<std::uint64_t, std::uint64_t>> reached;
                std::uint64_t rows = 0;
                for (std::uint64_t i = 0; i < m * n; ++i) {
                    const TileOrder::Tile at = order.tile(i);
                    ASSERT_LT(at.m, m);
                    ASSERT_LT(at.n, n);
                    ASSERT_TRUE(reached.emplace(at.m, at.n).second);
                    ASSERT_EQ(order.index(at.m, at.n), i);
                    rows = std::max(rows, at.m + 1);
                    ASSERT_EQ(order.rows_of_first(i + 1), rows) << i << " of " << m << "x" << n;
                }
            }
        }
    }
}

TEST(TileOrder, GroupsAreAsWideAsCutlassMakesThem) {
    // Tiles along the grouped side, and the strip's width.
    for (const auto& [tiles, width] : {std::pair{1U, 1U},
                                       {2U, 2U},
                                       {3U, 3U},
                                       {4U, 4U},
                                       {5U, 4U},
                                       {6U, 6U},
                                       {8U, 8U},
                                       {9U, 8U},
                                       {40U, 8U}}) {
        const TileOrder order(RasterOrder::kMGroups, tiles, 10);
        std::set<std::uint64_t> rows;
        std::uint64_t i = 0;
        while (order.tile(i).n == 0) rows.insert(order.tile(i++).m);
        EXPECT_EQ(rows.size(), width) << tiles;
        EXPECT_EQ(order.tile(i).n, 1U);
        EXPECT_EQ(order.tile(i).m, 0U);
    }
}

TEST(TileOrder, SwappedSidesSwapTheTiles) {
    for (const RasterOrder raster : kOrders) {
        const TileOrder order(raster, 11, 7);
        const TileOrder swapped(with_sides_swapped(raster), 7, 11);
        for (std::uint64_t i = 0; i < 77; ++i) {
            EXPECT_EQ(order.tile(i).m, swapped.tile(i).n);
            EXPECT_EQ(order.tile(i).n, swapped.tile(i).m);
        }
    }
}

}  // namespace
}  // namespace tessera::test

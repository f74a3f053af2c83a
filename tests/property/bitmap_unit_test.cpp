// Does the bitmap unit issue what a naive loop over the bitmaps says?
#include "sc_models/tensor_core/bitmap_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace tessera {
namespace {

using Bitmaps = std::array<std::uint32_t, kTileDepth>;

std::uint32_t with_bits(std::uint32_t count, std::mt19937& random) {
    std::vector<std::uint32_t> positions;
    for (std::uint32_t n = 0; n < kTileSize; ++n) positions.push_back(n);
    std::shuffle(positions.begin(), positions.end(), random);
    std::uint32_t bitmap = 0;
    for (std::uint32_t n = 0; n < count; ++n) bitmap |= 1U << positions[n];
    return bitmap;
}

std::vector<std::uint32_t> positions_of(std::uint32_t bitmap) {
    std::vector<std::uint32_t> positions;
    for (std::uint32_t n = 0; n < kTileSize; ++n) {
        if ((bitmap >> n & 1U) != 0) positions.push_back(n);
    }
    return positions;
}

/// The OHMMAs of a tile, from lists of positions.
std::deque<BitmapUnit::Ohmma> naive_ohmmas(const Bitmaps& a, const Bitmaps& b) {
    std::deque<BitmapUnit::Ohmma> all;
    std::uint32_t a_before = 0;
    std::uint32_t b_before = 0;
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        const auto rows = positions_of(a[k]);
        const auto columns = positions_of(b[k]);
        for (std::uint32_t r = 0; r < rows.size(); r += kOhmmaRows) {
            for (std::uint32_t c = 0; c < columns.size(); c += kOhmmaColumns) {
                BitmapUnit::Ohmma ohmma;
                ohmma.k = k;
                ohmma.i = r / kOhmmaRows;
                ohmma.j = c / kOhmmaColumns;
                for (std::uint32_t n = 0; n < kOhmmaRows && r + n < rows.size(); ++n) {
                    ohmma.row[n] = rows[r + n];
                    ohmma.row_valid |= 1U << n;
                }
                for (std::uint32_t n = 0; n < kOhmmaColumns && c + n < columns.size(); ++n) {
                    ohmma.column[n] = columns[c + n];
                    ohmma.column_valid |= 1U << n;
                }
                ohmma.a_offset = a_before + r;
                ohmma.b_offset = b_before + c;
                all.push_back(ohmma);
            }
        }
        a_before += static_cast<std::uint32_t>(rows.size());
        b_before += static_cast<std::uint32_t>(columns.size());
    }
    if (!all.empty()) {
        all.front().first = 1;
        all.back().last = 1;
    }
    return all;
}

void expect_equal(const BitmapUnit::Ohmma& expected, const BitmapUnit::Ohmma& got) {
    ASSERT_EQ(expected.k, got.k);
    ASSERT_EQ(expected.i, got.i);
    ASSERT_EQ(expected.j, got.j);
    ASSERT_EQ(expected.row, got.row);
    ASSERT_EQ(expected.row_valid, got.row_valid);
    ASSERT_EQ(expected.column, got.column);
    ASSERT_EQ(expected.column_valid, got.column_valid);
    ASSERT_EQ(expected.a_offset, got.a_offset);
    ASSERT_EQ(expected.b_offset, got.b_offset);
    ASSERT_EQ(expected.first, got.first);
    ASSERT_EQ(expected.last, got.last);
}

TEST(BitmapUnit, IssuesTheSameAsANaiveLoop) {
    std::mt19937 random(5);
    BitmapUnit unit;
    std::deque<BitmapUnit::Ohmma> expected;
    std::uint64_t checked = 0;
    BitmapUnit::Inputs in;
    std::uint32_t tiles = 0;
    while (tiles < 3000 || !expected.empty()) {
        if (in.tile_valid == 0 && tiles < 3000 && random() % 4 != 0) {
            in.tile_valid = 1;
            const std::uint32_t most = random() % (kTileSize + 1);
            for (std::uint32_t k = 0; k < kTileDepth; ++k) {
                in.a_bitmap[k] = with_bits(random() % (most + 1), random);
                in.b_bitmap[k] = with_bits(random() % (most + 1), random);
            }
        }
        in.ohmma_ready = static_cast<std::uint32_t>(random() % 4 != 0);
        const BitmapUnit::Outputs& out = unit.step(in);
        if (out.ohmma_valid != 0) {
            ASSERT_FALSE(expected.empty());
            expect_equal(expected.front(), out.ohmma);
            if (HasFatalFailure()) return;
            if (in.ohmma_ready != 0) {
                expected.pop_front();
                ++checked;
            }
        }
        if (in.tile_valid != 0 && out.tile_ready != 0) {
            for (const auto& ohmma : naive_ohmmas(in.a_bitmap, in.b_bitmap)) {
                expected.push_back(ohmma);
            }
            in.tile_valid = 0;
            ++tiles;
        }
    }
    for (std::uint32_t cycle = 0; cycle < 20; ++cycle) EXPECT_EQ(unit.step({}).ohmma_valid, 0U);
    EXPECT_GT(checked, 50000U);
}

TEST(BitmapUnit, CountsAndOffsets) {
    std::mt19937 random(6);
    Bitmaps a{};
    Bitmaps b{};
    for (std::uint32_t round = 0; round < 200; ++round) {
        std::vector<std::uint32_t> na;
        std::vector<std::uint32_t> nb;
        for (std::uint32_t k = 0; k < kTileDepth; ++k) {
            na.push_back(random() % 33);
            nb.push_back(random() % 33);
            a[k] = with_bits(na[k], random);
            b[k] = with_bits(nb[k], random);
        }
        const BitmapUnit::Summary summary = BitmapUnit::summarise(a, b);
        std::uint32_t a_sum = 0;
        std::uint32_t b_sum = 0;
        for (std::uint32_t k = 0; k < kTileDepth; ++k) {
            ASSERT_EQ(summary.a_count[k], na[k]);
            ASSERT_EQ(summary.b_count[k], nb[k]);
            ASSERT_EQ(summary.a_offset[k], a_sum);
            ASSERT_EQ(summary.b_offset[k], b_sum);
            ASSERT_EQ(summary.row_groups[k], (na[k] + 7) / 8);
            ASSERT_EQ(summary.column_groups[k], (nb[k] + 15) / 16);
            for (std::uint32_t i = 0; i < kMaxRowGroups; ++i) {
                for (std::uint32_t j = 0; j < kMaxColumnGroups; ++j) {
                    ASSERT_EQ(summary.predicates[k] >> (2 * i + j) & 1U,
                              static_cast<std::uint32_t>(na[k] > 8 * i && nb[k] > 16 * j));
                }
            }
            a_sum += na[k];
            b_sum += nb[k];
        }
    }
}

/// The paper's examples: 20 and 11 non-zeros leave 3 of 8 OHMMAs (Figure 5), 20 and 12 leave
/// OHMMAs 0, 2 and 4 (Figure 15).
TEST(BitmapUnit, FiguresOfThePaper) {
    std::mt19937 random(7);
    Bitmaps a{};
    Bitmaps b{};
    a[0] = with_bits(20, random);
    b[0] = with_bits(11, random);
    a[4] = with_bits(20, random);
    b[4] = with_bits(12, random);
    const BitmapUnit::Summary summary = BitmapUnit::summarise(a, b);
    EXPECT_EQ(__builtin_popcount(summary.predicates[0]), 3);
    EXPECT_EQ(summary.predicates[4], 1U << 0 | 1U << 2 | 1U << 4);
    EXPECT_EQ(naive_ohmmas(a, b).size(), 6U);
}

}  // namespace
}  // namespace tessera

// Does an implicit im2col copy what a lowered operand is made of?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sc_models/sparse/sparsity.h"
#include "sc_models/workload/sparse/feature_map_operand.h"

namespace tessera {
namespace {

const std::vector<LoweringShape>& shapes() {
    static const std::vector<LoweringShape> kShapes = {
        {2, 9, 9, 32, 3, 3, 1, 1},   {1, 12, 13, 16, 3, 3, 1, 2}, {1, 40, 7, 48, 1, 1, 0, 1},
        {1, 14, 14, 16, 5, 5, 2, 3}, {3, 5, 70, 16, 3, 3, 0, 1},
    };
    return kShapes;
}

/// The shapes above, and some whose number of channels is no multiple of 16.
std::vector<LoweringShape> all_shapes() {
    std::vector<LoweringShape> all = shapes();
    all.insert(all.end(),
               {{2, 9, 11, 3, 3, 3, 1, 1}, {1, 8, 8, 3, 7, 7, 3, 2}, {1, 5, 9, 20, 3, 3, 2, 1}});
    return all;
}

/// Pixel of the map a line meets under a tap, one by one.
std::optional<std::int64_t> pixel_of(const LoweringShape& s, std::uint64_t line, std::uint32_t row,
                                     std::uint32_t column) {
    const std::int64_t outputs = std::int64_t{s.output_height()} * s.output_width();
    const auto output = static_cast<std::int64_t>(line) % outputs;
    const std::int64_t y = output / s.output_width() * s.stride + row - s.pad;
    const std::int64_t x = output % s.output_width() * s.stride + column - s.pad;
    if (y < 0 || x < 0 || y >= s.height || x >= s.width) return std::nullopt;
    return (static_cast<std::int64_t>(line) / outputs * s.height + y) * s.width + x;
}

TEST(FeatureMapOperand, RunsAreThePixelsOfTheLines) {
    for (const LoweringShape& s : all_shapes()) {
        const MapWindow window(s);
        for (std::uint32_t tile = 0; tile * kLineTile < s.lines(); ++tile) {
            for (std::uint32_t tap = 0; tap < s.filter_height * s.filter_width; ++tap) {
                const std::uint32_t row = tap / s.filter_width;
                const std::uint32_t column = tap % s.filter_width;
                std::vector<std::optional<std::int64_t>> found(kLineTile);
                std::vector<MapWindow::LineRun> runs;
                window.runs(tile, row, column, runs);
                for (const MapWindow::LineRun& run : runs) {
                    for (std::uint32_t i = 0; i < run.lines; ++i) {
                        found.at(run.line + i) = run.pixel + std::int64_t{i} * s.stride;
                    }
                }
                for (std::uint32_t i = 0; i < kLineTile; ++i) {
                    const std::uint64_t line = std::uint64_t{tile} * kLineTile + i;
                    const auto expected =
                        line < s.lines() ? pixel_of(s, line, row, column) : std::nullopt;
                    EXPECT_EQ(found[i], expected) << line << " tap " << tap;
                }
            }
        }
    }
}

/// Every half of the lowered operand comes from its place in the map, padding and what fills up the
/// last tile from none, and each is written once.
TEST(FeatureMapOperand, DenseCopiesAreTheLoweredLines) {
    constexpr Address kBase = 1U << 20U;
    constexpr Address kZero = 0;
    for (const LoweringShape& s : all_shapes()) {
        const MapLines lines(s, kBase);
        for (const std::uint32_t depth : {1U, 2U, 4U}) {
            const std::uint32_t pitch = DenseLines::shared_pitch(depth);
            const StagedOperand::Needs needs = lines.needs(depth);
            for (std::uint32_t tile = 0; tile * kLineTile < s.lines(); ++tile) {
                for (std::uint32_t first = 0; first * kDepthTile < s.k(); first += depth) {
                    std::vector<StagedCopy> copies;
                    lines.copies(tile, first, depth, 0, copies);
                    EXPECT_LE(copies.size(), needs.copies);
                    std::map<std::uint32_t, Address> found;  // source of a half in shared memory
                    for (const StagedCopy& copy : copies) {
                        EXPECT_LE(copy.stored_rows() * copy.stored_row_bytes(), 512U);
                        for (std::uint32_t r = 0; r < copy.stored_rows(); ++r) {
                            for (std::uint32_t b = 0; b < copy.stored_row_bytes(); b += 2) {
                                const std::uint32_t at = copy.shared + r * copy.shared_pitch + b;
                                EXPECT_LT(at, needs.slot_bytes);
                                const std::uint32_t row = r - copy.zero_rows_before;
                                const std::uint32_t byte = b - copy.zero_bytes_before;
                                const bool loaded = row < copy.rows && byte < copy.row_bytes;
                                const Address from = copy.global + row * copy.global_pitch + byte;
                                EXPECT_TRUE(found.emplace(at, loaded ? from : kZero).second);
                            }
                        }
                    }
                    std::map<std::uint32_t, Address> expected;
                    const std::uint64_t k_end = std::min<std::uint64_t>(
                        (first + depth) * kDepthTile, round_up<std::uint64_t>(s.k(), kDepthTile));
                    for (std::uint32_t i = 0; i < kLineTile; ++i) {
                        const std::uint64_t line = std::uint64_t{tile} * kLineTile + i;
                        if (line >= s.lines()) break;
                        for (std::uint64_t k = std::uint64_t{first} * kDepthTile; k < k_end; ++k) {
                            const auto at = static_cast<std::uint32_t>(
                                i * pitch + (k - std::uint64_t{first} * kDepthTile) * 2);
                            const auto tap = static_cast<std::uint32_t>(k / s.channels);
                            const auto pixel = k < s.k() ? pixel_of(s, line, tap / s.filter_width,
                                                                    tap % s.filter_width)
                                                         : std::nullopt;
                            expected[at] =
                                pixel ? kBase + (static_cast<std::uint64_t>(*pixel) * s.channels +
                                                 k % s.channels) *
                                                    2
                                      : kZero;
                        }
                    }
                    EXPECT_EQ(found, expected);
                }
            }
        }
    }
}

TEST(FeatureMapOperand, TapsOfAFilterRowFollowEachOther) {
    const LoweringShape shape{1, 8, 8, 32, 2, 3, 0, 1};
    EXPECT_EQ(taps_together(shape),
              (std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
    EXPECT_EQ(taps_in_a_row(shape), 3U);
    const LoweringShape ragged{1, 8, 8, 3, 3, 3, 0, 1};
    EXPECT_EQ(taps_together(ragged), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(taps_in_a_row(ragged), 1U);
}

/// The map's tiles that are copied are those a lowered tile's elements lie in, with all their
/// values.
TEST(FeatureMapOperand, BitmapCopiesCoverTheLoweredTiles) {
    for (const LoweringShape& s : shapes()) {
        SparsityConfig half;
        half.sparsity = 0.5;
        const BitmapMatrix map =
            SparsityGenerator(half, 7, SparseOperand::kA).make(s.pixels(), s.channels, false);
        const BitmapMatrix lowered = lower_feature_map(map, s, false);
        const std::vector<std::uint32_t> order = taps_together(s);
        const MapTiles tiles(lowered, map, {}, s, order);
        for (std::uint32_t tile = 0; tile < lowered.line_tiles(); ++tile) {
            for (std::uint32_t at = 0; at < order.size(); at += 2) {
                std::set<std::uint64_t> expected;
                const std::uint32_t end =
                    std::min(at + 2, static_cast<std::uint32_t>(order.size()));
                for (std::uint32_t p = at; p < end; ++p) {
                    const std::uint64_t k = std::uint64_t{order[p]} * kDepthTile;
                    const auto tap = static_cast<std::uint32_t>(k / s.channels);
                    for (std::uint32_t i = 0; i < kLineTile; ++i) {
                        const std::uint64_t line = std::uint64_t{tile} * kLineTile + i;
                        if (line >= s.lines()) break;
                        const auto pixel =
                            pixel_of(s, line, tap / s.filter_width, tap % s.filter_width);
                        if (!pixel) continue;
                        expected.insert(
                            map.tile(static_cast<std::uint32_t>(*pixel / kLineTile),
                                     static_cast<std::uint32_t>(k % s.channels) / kDepthTile));
                    }
                }
                const std::vector<std::uint64_t> covered = tiles.covered(tile, at, 2);
                EXPECT_EQ(std::set<std::uint64_t>(covered.begin(), covered.end()), expected);
                std::vector<StagedCopy> copies;
                tiles.copies(tile, at, 2, 0, copies);
                std::uint64_t values = 0;
                for (const StagedCopy& copy : copies) values += copy.rows * copy.row_bytes;
                std::uint64_t least = 0;
                for (const std::uint64_t id : covered) least += 64 + map.tile_nnz(id) * 2;
                EXPECT_GE(values, least);
            }
        }
    }
}

}  // namespace
}  // namespace tessera

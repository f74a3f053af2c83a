// Is of a step's operands read what meets something, and nothing else?
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "sc_models/sparse/sparsity.h"
#include "sc_models/workload/staged/sparse_step.h"
#include "sc_models/workload/staged/staged_product_kernel.h"

namespace tessera {
namespace {

constexpr std::uint32_t kTiles = 4;  // along k

BitmapMatrix random_matrix(double sparsity, std::uint64_t seed, SparseOperand operand) {
    SparsityConfig config;
    config.sparsity = sparsity;
    return SparsityGenerator(config, seed, operand).make(96, kTiles * kSparseTileK, false);
}

/// k of a tile at which it has elements, one by one.
bool occupied(const BitmapMatrix& matrix, std::uint64_t tile, std::uint32_t k) {
    return matrix.masks(tile)[k] != 0;
}

TEST(SparseStep, WantsWhatMeetsSomething) {
    for (const auto& [sparsity_a, sparsity_b] :
         {std::pair{0.0, 0.99}, {0.9, 0.99}, {0.999, 0.99}, {0.0, 0.0}, {0.995, 0.0}}) {
        const BitmapMatrix a = random_matrix(sparsity_a, 3, SparseOperand::kA);
        const BitmapMatrix b = random_matrix(sparsity_b, 3, SparseOperand::kB);
        const BitmapTiles a_side(a, {});
        const BitmapTiles b_side(b, {});
        SparseStep step;
        step.plan(a_side, 0, 2, b_side, 1, 2, 1, 3);
        for (std::uint32_t i = 0; i < 2; ++i) {
            for (std::uint32_t t = 0; t < 3; ++t) {
                std::uint16_t wanted = 0;
                for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                    const bool meets =
                        occupied(b, b.tile(1, 1 + t), k) || occupied(b, b.tile(2, 1 + t), k);
                    if (occupied(a, a.tile(i, 1 + t), k) && meets) wanted |= 1U << k;
                }
                EXPECT_EQ(step.a()[i].wanted[t], wanted) << i << ", " << t;
            }
            for (std::uint32_t j = 0; j < 2; ++j) {
                bool any = false;
                for (std::uint32_t t = 0; t < 3; ++t) {
                    for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                        const bool both = occupied(a, a.tile(i, 1 + t), k) &&
                                          occupied(b, b.tile(1 + j, 1 + t), k);
                        EXPECT_EQ((step.common(i, j, t) >> k & 1U) != 0, both);
                        any = any || both;
                    }
                }
                EXPECT_EQ(step.multiplies(i, j), any);
            }
        }
    }
}

/// A full tile yields the pieces at the wanted k only; other tiles yield all their pieces.
TEST(SparseStep, PiecesHoldTheWantedValues) {
    const BitmapMatrix a = random_matrix(0, 5, SparseOperand::kA);
    const BitmapMatrix b = random_matrix(0.995, 5, SparseOperand::kB);
    const BitmapTiles a_side(a, {});
    const BitmapTiles b_side(b, {});
    SparseStep step;
    step.plan(a_side, 0, 1, b_side, 0, 1, 0, kTiles);
    const SparseLine& full = step.a()[0];
    const SparseLine& few = step.b()[0];
    EXPECT_EQ(full.bitmaps_read(), 0U) << "the descriptors say that all elements are there";
    EXPECT_EQ(few.bitmaps_read(), kTiles);
    std::vector<std::uint32_t> pieces;
    full.pieces(pieces);
    ASSERT_EQ(pieces.size(), kTiles * 2U);
    for (std::uint32_t k = 0; k < kTiles * kSparseTileK; ++k) {
        const bool wanted = occupied(b, b.tile(0, k / kSparseTileK), k % kSparseTileK);
        EXPECT_EQ(pieces[k / 8] >> k % 8 * 4 & 0xfU, wanted ? 0xfU : 0U) << k;
    }
    few.pieces(pieces);
    std::uint32_t held = 0;
    for (const std::uint32_t word : pieces) {
        held += static_cast<std::uint32_t>(__builtin_popcount(word));
    }
    EXPECT_EQ(held * kPieceBytes, few.side->step_bytes(0, kTiles));
}

TEST(SparseStep, NothingOppositeNothingRead) {
    const BitmapMatrix a = random_matrix(0, 5, SparseOperand::kA);
    const BitmapMatrix b = random_matrix(1, 5, SparseOperand::kB);
    const BitmapTiles a_side(a, {});
    const BitmapTiles b_side(b, {});
    SparseStep step;
    step.plan(a_side, 0, 2, b_side, 0, 2, 0, kTiles);
    EXPECT_FALSE(step.has_work());
    std::vector<std::uint32_t> pieces;
    step.a()[1].pieces(pieces);
    for (const std::uint32_t word : pieces) EXPECT_EQ(word, 0U);
}

/// One line tile, of whose tiles those in `full` have all elements, those in `some` one.
BitmapMatrix chosen_tiles(std::uint32_t tiles, std::uint32_t full, std::uint32_t some) {
    std::vector<HalfBits> dense(std::size_t{kSparseTileLines} * tiles * kSparseTileK);
    for (std::size_t i = 0; i < dense.size(); ++i) {
        const std::size_t k = i % (tiles * kSparseTileK);
        const std::size_t tile = k / kSparseTileK;
        const bool first = i < tiles * kSparseTileK && k % kSparseTileK == 0;
        if ((full >> tile & 1U) != 0 || (first && (some >> tile & 1U) != 0)) dense[i] = 0x3c00;
    }
    return BitmapMatrix::encode(kSparseTileLines, std::uint64_t{tiles} * kSparseTileK,
                                dense.data());
}

/// Tiles 0 and 4 are empty, 3 is full: its bitmaps are in global memory, but not copied.
TEST(SparseStep, BitmapsLieOneBehindTheOther) {
    constexpr Address kBitmaps = 0x1000;
    constexpr std::uint32_t kBitmapBytes = BitmapTiles::kBitmapBytes;
    const BitmapMatrix a = chosen_tiles(7, 0b0001000, 0b1100110);
    const BitmapMatrix b = chosen_tiles(7, 0, 0b1010100);
    const BitmapTiles a_side(a, {0x10, kBitmaps, 0x4000, true});
    const BitmapTiles b_side(b, {});

    std::vector<StagedCopy> copies;
    a_side.copies(0, 0, 7, 0, copies);
    ASSERT_GE(copies.size(), 3U);
    EXPECT_EQ(copies[1].global, kBitmaps);
    EXPECT_EQ(copies[1].row_bytes, 2 * kBitmapBytes) << "tiles 1 and 2";
    EXPECT_EQ(copies[1].shared, BitmapTiles::bitmap_offset(0));
    EXPECT_EQ(copies[2].global, kBitmaps + 3 * kBitmapBytes) << "behind those of the full tile";
    EXPECT_EQ(copies[2].row_bytes, 2 * kBitmapBytes) << "tiles 5 and 6";
    EXPECT_EQ(copies[2].shared, BitmapTiles::bitmap_offset(2));

    SparseStep step;
    step.plan(a_side, 0, 1, b_side, 0, 1, 0, 7);
    const SparseLine& line = step.a()[0];
    EXPECT_FALSE(line.stores_bitmaps(0));
    EXPECT_TRUE(line.stores_bitmaps(1));
    EXPECT_FALSE(line.reads_bitmaps(1)) << "nothing opposite";
    EXPECT_TRUE(line.reads_bitmaps(2));
    EXPECT_FALSE(line.reads_bitmaps(4)) << "empty";
    EXPECT_TRUE(line.reads_bitmaps(6));
    EXPECT_EQ(line.bitmaps_read(6), 1U) << "those of tile 2";
    EXPECT_EQ(line.bitmaps_read(), 2U);
}

/// Tiles 0 and 2 of eight meet: two bitmaps of each side are loaded and counted, 32 k an
/// instruction.
TEST(SparseStep, OnlyNeededBitmapsAreCounted) {
    const BitmapMatrix a = chosen_tiles(8, 0, 0b00000101);
    const BitmapMatrix b = chosen_tiles(8, 0, 0b11100111);
    StagedProduct product;
    product.m = product.n = kSparseTileLines;
    product.k = 8 * kSparseTileK;
    product.depth_tiles = 8;
    product.tiling.cta_m = product.tiling.cta_n = kSparseTileLines;
    product.tiling.warp_m = product.tiling.warp_n = kSparseTileLines;
    const BitmapTiles::TilePlace place{0x1000, 0x2000, 0x3000, true};
    const StagedProductKernel kernel("product", product, std::make_unique<BitmapTiles>(a, place),
                                     std::make_unique<BitmapTiles>(b, place));
    const auto program = kernel.program(CtaId(0), 0);
    std::uint32_t counts = 0, spwmmas = 0, packed = 0, whole = 0;
    for (bool exited = false; !exited;) {
        WarpInstruction w;
        ASSERT_EQ(program->fill(&w, 1), 1U);
        exited = w.opcode() == Opcode::kExit;
        spwmmas += w.opcode() == Opcode::kSparseMma ? 1 : 0;
        if (w.opcode() == Opcode::kOperation) {
            counts += w.operation() == Operation::kSpecialFunction ? 1 : 0;
        } else if (w.opcode() == Opcode::kLoadShared) {
            whole += w.address() == BitmapTiles::bitmap_offset(0) ? 1 : 0;
        } else if (w.opcode() == Opcode::kLoadPieces) {
            packed += w.registers().pitch_bytes > 0 ? 1 : 0;
        }
    }
    EXPECT_EQ(spwmmas, 2U);
    EXPECT_EQ(counts, 2U) << "one for each side";
    EXPECT_EQ(whole, 1U) << "A needs all that it stores";
    EXPECT_EQ(packed, 1U) << "B two of six";
}

/// A product of two line tiles of A by two of B whose warps are 32 lines high, a CTA, at steps of
/// four tiles; `a_place.bitmaps` and so on say which copies are whose.
struct TwoByTwo {
    static constexpr std::uint32_t kTilesAlongK = 40;  // two windows of descriptors
    static constexpr std::uint32_t kDepth = 4;
    static constexpr Address kA = 0x100000, kB = 0x200000, kBitmaps = 0x10000, kValues = 0x20000;

    /// Tiles along k of A and B that have elements: in A all lines, in B line tile 0 those in
    /// `b_first` and line tile 1 those in `b_second`.
    TwoByTwo(bool full_a, const std::vector<std::uint32_t>& b_first,
             const std::vector<std::uint32_t>& b_second, bool skip)
        : a(tiles_of(full_a, {}, {})), b(tiles_of(false, b_first, b_second)) {
        product.m = product.n = 2 * kSparseTileLines;
        product.k = kTilesAlongK * kSparseTileK;
        product.depth_tiles = kDepth;
        product.tiling.cta_m = product.tiling.cta_n = product.tiling.warp_n = 2 * kSparseTileLines;
        product.tiling.warp_m = kSparseTileLines;
        product.skip_unmet_tiles = skip;
        kernel = std::make_unique<StagedProductKernel>(
            "product", product,
            std::make_unique<BitmapTiles>(
                a, BitmapTiles::TilePlace{kA, kA + kBitmaps, kA + kValues, true, false}),
            std::make_unique<BitmapTiles>(
                b, BitmapTiles::TilePlace{kB, kB + kBitmaps, kB + kValues, true, skip}));
    }

    static BitmapMatrix tiles_of(bool full, const std::vector<std::uint32_t>& first,
                                 const std::vector<std::uint32_t>& second) {
        const bool a_side = first.empty() && second.empty();
        return BitmapMatrix::pattern(
            2 * kSparseTileLines, std::uint64_t{kTilesAlongK} * kSparseTileK,
            [&](std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* masks) {
                const std::vector<std::uint32_t>& of = line_tile == 0 ? first : second;
                const bool any = std::find(of.begin(), of.end(), k_tile) != of.end();
                const std::uint32_t mask = a_side ? (full ? ~0U : 0xffU) : (any ? 1U : 0U);
                std::fill_n(masks, kSparseTileK, mask);
            });
    }

    struct Seen {
        std::vector<std::pair<Address, std::uint32_t>> loads;  ///< from global memory, in order
        std::uint32_t barriers = 0, spwmmas = 0;
        std::uint32_t loads_before_first_barrier = 0;
    };
    [[nodiscard]] Seen run(std::uint32_t warp) const {
        Seen seen;
        const auto program = kernel->program(CtaId(0), warp);
        for (bool exited = false; !exited;) {
            WarpInstruction w;
            EXPECT_EQ(program->fill(&w, 1), 1U);
            exited = w.opcode() == Opcode::kExit;
            seen.spwmmas += w.opcode() == Opcode::kSparseMma ? 1 : 0;
            if (w.opcode() == Opcode::kBarrier && ++seen.barriers == 1) {
                seen.loads_before_first_barrier = static_cast<std::uint32_t>(seen.loads.size());
            }
            const bool operand = w.opcode() == Opcode::kLoadGlobal && w.address() >= kA;
            if (operand) seen.loads.emplace_back(w.address(), bytes_of(w));
        }
        return seen;
    }
    /// Bytes of [begin, begin + bytes) that all warps load.
    [[nodiscard]] std::uint64_t loaded(Address begin, std::uint64_t bytes) const {
        std::uint64_t all = 0;
        for (std::uint32_t warp = 0; warp < kernel->info().warps_per_cta; ++warp) {
            for (const auto& [address, size] : run(warp).loads) {
                const Address from = std::max(address, begin);
                const Address to = std::min<Address>(address + size, begin + bytes);
                all += from < to ? to - from : 0;
            }
        }
        return all;
    }
    [[nodiscard]] std::uint64_t values_of_a(std::uint32_t line_tile, std::uint32_t tile) const {
        const std::uint64_t id = a.tile(line_tile, tile);
        return loaded(kA + kValues + a.value_offset_bytes(id), a.tile_nnz(id) * sizeof(HalfBits));
    }
    [[nodiscard]] std::uint64_t bitmaps_of_a(std::uint32_t line_tile, std::uint32_t tile) const {
        return loaded(kA + kBitmaps + a.bitmap_offset_bytes(a.tile(line_tile, tile)),
                      BitmapTiles::kBitmapBytes);
    }

    BitmapMatrix a, b;
    StagedProduct product;
    std::unique_ptr<StagedProductKernel> kernel;
};

/// Tiles 1 and 34 meet column tile 0, tiles 3 and 34 column tile 1. A full tile is two copies.
TEST(SkipUnmetTiles, OfFullTilesThoseThatMeetAreCopied) {
    const TwoByTwo all(true, {1, 34}, {3, 34}, false);
    const TwoByTwo some(true, {1, 34}, {3, 34}, true);
    constexpr std::uint64_t kFullTile = kSparseTileElements * sizeof(HalfBits);
    for (std::uint32_t line_tile = 0; line_tile < 2; ++line_tile) {
        for (std::uint32_t tile = 0; tile < TwoByTwo::kTilesAlongK; ++tile) {
            const bool meets = tile == 1 || tile == 3 || tile == 34;
            EXPECT_EQ(all.values_of_a(line_tile, tile), kFullTile) << tile;
            EXPECT_EQ(some.values_of_a(line_tile, tile), meets ? kFullTile : 0) << tile;
        }
    }
    EXPECT_EQ(some.run(0).spwmmas, all.run(0).spwmmas) << "empty tiles were never multiplied";
    EXPECT_EQ(some.run(0).spwmmas, 4U);
}

/// A step's bitmaps are one copy, and so are its 4 x 256 B of values two: what lies between two
/// tiles that meet is copied, what lies before and behind is not.
TEST(SkipUnmetTiles, ACopyOfSeveralTilesIsCut) {
    const TwoByTwo some(false, {1, 3, 6}, {}, true);
    EXPECT_EQ(some.bitmaps_of_a(0, 0), 0U) << "before";
    EXPECT_EQ(some.bitmaps_of_a(0, 1), std::uint64_t{BitmapTiles::kBitmapBytes});
    EXPECT_EQ(some.bitmaps_of_a(0, 2), std::uint64_t{BitmapTiles::kBitmapBytes}) << "between";
    EXPECT_EQ(some.bitmaps_of_a(0, 3), std::uint64_t{BitmapTiles::kBitmapBytes});
    EXPECT_EQ(some.bitmaps_of_a(1, 4), 0U);
    EXPECT_EQ(some.bitmaps_of_a(1, 6), std::uint64_t{BitmapTiles::kBitmapBytes});
    EXPECT_EQ(some.bitmaps_of_a(1, 7), 0U) << "behind";
    constexpr std::uint64_t kValues = 8 * kSparseTileK * sizeof(HalfBits);
    for (const auto& [tile, bytes] : {std::pair<std::uint32_t, std::uint64_t>{0, 0},
                                      {1, kValues},
                                      {2, 0},  // the second copy begins with it
                                      {3, kValues},
                                      {5, 0},
                                      {6, kValues},
                                      {7, 0}}) {
        EXPECT_EQ(some.values_of_a(0, tile), bytes) << tile;
    }
    for (std::uint32_t tile = 8; tile < TwoByTwo::kTilesAlongK; ++tile) {
        EXPECT_EQ(some.values_of_a(1, tile) + some.bitmaps_of_a(1, tile), 0U) << tile;
    }
}

/// They are read before anything of A or of B, and stand a barrier before it; as much is read of
/// them as without.
TEST(SkipUnmetTiles, DescriptorsOfBComeFirst) {
    const TwoByTwo all(true, {1, 34}, {3, 34}, false);
    const TwoByTwo some(true, {1, 34}, {3, 34}, true);
    const std::uint64_t bytes = some.b.tile_desc_bytes();
    EXPECT_EQ(some.loaded(TwoByTwo::kB, bytes), bytes);
    EXPECT_EQ(all.loaded(TwoByTwo::kB, bytes), bytes);
    EXPECT_EQ(some.run(0).barriers, all.run(0).barriers + 1);
    std::uint32_t first = 0;
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
        const TwoByTwo::Seen seen = some.run(warp);
        for (std::uint32_t i = 0; i < seen.loads_before_first_barrier; ++i, ++first) {
            EXPECT_GE(seen.loads[i].first, TwoByTwo::kB);
            EXPECT_LT(seen.loads[i].first, TwoByTwo::kB + bytes);
        }
    }
    EXPECT_EQ(first, 2U) << "one of each line tile";
}

TEST(SkipUnmetTiles, EverythingMetIsAllCopied) {
    std::vector<std::uint32_t> every(TwoByTwo::kTilesAlongK);
    std::iota(every.begin(), every.end(), 0U);
    const TwoByTwo all(false, every, every, false);
    const TwoByTwo some(false, every, every, true);
    EXPECT_EQ(some.loaded(0, ~std::uint64_t{0}), all.loaded(0, ~std::uint64_t{0}));
}

/// Rows stay where they are; a row of which nothing is needed is left out at the ends only.
TEST(StagedCopy, IsCutToRowsThatAreNeeded) {
    StagedCopy copy{0x1000, 0x80, 5, 64, 256, 64};
    EXPECT_FALSE(StagedCopy(copy).cut_to({{0x1040, 0x1100}, {0x1540, 0x1600}})) << "between rows";
    StagedCopy last = copy;
    ASSERT_TRUE(last.cut_to({{0x1040, 0x1100}, {0x1300, 0x1301}})) << "between rows, and a row";
    EXPECT_EQ(last.global, 0x1300U);
    EXPECT_EQ(last.rows, 1U);
    ASSERT_TRUE(copy.cut_to({{0x1100, 0x1101}, {0x133f, 0x1380}}));
    EXPECT_EQ(copy.global, 0x1100U);
    EXPECT_EQ(copy.shared, 0xc0U);
    EXPECT_EQ(copy.rows, 3U);
    EXPECT_EQ(copy.row_bytes, 64U);
}

}  // namespace
}  // namespace tessera

// Is of a step's operands read what meets something, and nothing else?
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sc_models/sparse/sparsity.h"
#include "sc_models/workload/sparse_step.h"
#include "sc_models/workload/staged_product_kernel.h"

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

/// Of a full tile the pieces of the wanted k, of others all or none.
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
    EXPECT_FALSE(step.worth_a_look());
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
        exited = w.opcode == Opcode::kExit;
        spwmmas += w.opcode == Opcode::kSparseMma ? 1 : 0;
        const bool sfu = w.operation == Operation::kSpecialFunction;
        counts += w.opcode == Opcode::kOperation && sfu ? 1 : 0;
        const bool bitmaps = w.address == BitmapTiles::bitmap_offset(0);
        whole += w.opcode == Opcode::kLoadShared && bitmaps ? 1 : 0;
        packed += w.opcode == Opcode::kLoadPieces && w.register_pitch_bytes > 0 ? 1 : 0;
    }
    EXPECT_EQ(spwmmas, 2U);
    EXPECT_EQ(counts, 2U) << "one for each side";
    EXPECT_EQ(whole, 1U) << "A needs all that it stores";
    EXPECT_EQ(packed, 1U) << "B two of six";
}

}  // namespace
}  // namespace tessera

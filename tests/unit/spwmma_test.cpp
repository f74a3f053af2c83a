// Does the SpWMMA sequencer count, time and multiply as the dual-side sparse tensor core paper
// says?
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/spwmma.h"
#include "tests/unit/spwmma_tile.h"

namespace tessera {
namespace {

using test::low_bits;
using test::random_tile;
using Tile = test::SpwmmaTileData;

constexpr std::uint64_t kSeed = 17;

SpwmmaConfig with(AccumulationDetail detail) {
    SpwmmaConfig config;
    config.accumulation = detail;
    return config;
}

SpwmmaWork run_set(const SpwmmaConfig& config, std::uint32_t na, std::uint32_t nb) {
    Tile a;
    Tile b;
    a.set(0, low_bits(na));
    b.set(0, low_bits(nb));
    SpwmmaSequencer sequencer(config, false);
    SpwmmaWork work;
    static_cast<void>(sequencer.run(a.view(), b.view(), work));
    return work;
}

TEST(Spwmma, FigureFiveNeedsThreeOfEightOhmmas) {
    EXPECT_EQ(run_set(with(AccumulationDetail::kCount), 20, 11).ohmmas, 3U);
}

TEST(Spwmma, FigureFifteenEnablesZeroTwoAndFour) {
    // OHMMA i * 2 + j is on where na > 8 i and nb > 16 j.
    EXPECT_EQ(run_set(with(AccumulationDetail::kCount), 20, 12).ohmmas, 3U);
    EXPECT_EQ(run_set(with(AccumulationDetail::kCount), 16, 12).ohmmas, 2U);
    EXPECT_EQ(run_set(with(AccumulationDetail::kCount), 20, 17).ohmmas, 6U);
}

TEST(Spwmma, FigureSixGainsAThirdFromZerosSpreadUnevenly) {
    // A row of B over four warp tiles, 80 of 128 elements: too few zeros for any gain, were they
    // spread evenly.
    std::uint64_t even = 0;
    std::uint64_t uneven = 0;
    for (const std::uint32_t columns : {32U, 8U, 32U, 8U}) {
        even += run_set(with(AccumulationDetail::kCount), 32, 20).ohmmas;
        uneven += run_set(with(AccumulationDetail::kCount), 32, columns).ohmmas;
    }
    EXPECT_EQ(even, 32U);
    EXPECT_EQ(uneven, 24U) << "1.33 times as fast; the paper: about 1.3";
}

TEST(Spwmma, OhmmasAreTheClosedFormForAllPopcounts) {
    for (std::uint32_t na = 0; na <= 32; ++na) {
        for (std::uint32_t nb = 0; nb <= 32; ++nb) {
            const SpwmmaWork work = run_set(with(AccumulationDetail::kCount), na, nb);
            EXPECT_EQ(work.ohmmas, (na + 7) / 8 * ((nb + 15) / 16)) << na << " x " << nb;
            EXPECT_EQ(work.ohmmas + work.skipped, 128U);
            EXPECT_EQ(work.additions, na * nb);
            EXPECT_EQ(work.k_sets, na > 0 && nb > 0 ? 1U : 0U);
        }
    }
}

TEST(Spwmma, WhatIsSkippedAddsUpOverAllOfAWorksSpwmmas) {
    // 128 OHMMAs each: one k issues 3 of 8; two k issue 6 of 8 each; an empty side issues none.
    const auto tile = [](std::uint32_t sets, std::uint32_t lines) {
        Tile made;
        for (std::uint32_t k = 0; k < sets; ++k) made.set(k, low_bits(lines));
        return made;
    };
    SpwmmaSequencer sequencer(with(AccumulationDetail::kCount), false);
    SpwmmaWork work;
    static_cast<void>(sequencer.run(tile(1, 20).view(), tile(1, 11).view(), work));
    EXPECT_EQ(work.skipped, 128U - 3);
    static_cast<void>(sequencer.run(tile(2, 20).view(), tile(2, 17).view(), work));
    EXPECT_EQ(work.skipped, 128U - 3 + 128 - 12);
    static_cast<void>(sequencer.run(tile(0, 0).view(), tile(16, 32).view(), work));
    EXPECT_EQ(work.skipped, 128U - 3 + 128 - 12 + 128);
    EXPECT_EQ(work.ohmmas, 3U + 12);
}

TEST(Spwmma, CondensingEachCoreAloneHalvesNarrowSets) {
    SpwmmaConfig config = with(AccumulationDetail::kCount);
    config.granularity = OhmmaGranularity::k8x8;
    Tile a;
    Tile b;
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        a.set(k, low_bits(16));
        b.set(k, low_bits(8));
    }
    SpwmmaSequencer sequencer(config, false);
    SpwmmaWork work;
    EXPECT_EQ(sequencer.run(a.view(), b.view(), work), kSpwmmaDepth);
    EXPECT_EQ(work.ohmmas, kSpwmmaDepth);
}

TEST(Spwmma, PredicatedIssuePaysForWhatIsOff) {
    SpwmmaConfig config = with(AccumulationDetail::kCount);
    config.issue = SpwmmaIssue::kPredicated;
    Tile a;
    Tile b;
    a.set(3, low_bits(8));
    b.set(3, low_bits(16));
    SpwmmaSequencer sequencer(config, false);
    SpwmmaWork work;
    EXPECT_EQ(sequencer.run(a.view(), b.view(), work), 128U);
}

TEST(Spwmma, FractionsOfACycleAreCarriedOn) {
    SpwmmaConfig config = with(AccumulationDetail::kCount);
    config.bohmma_cycles = 0.25;
    Tile tile;
    tile.set(0, 1);
    SpwmmaSequencer sequencer(config, false);
    SpwmmaWork work;
    Cycle cycles = 0;
    for (int i = 0; i < 4; ++i) cycles += sequencer.run(tile.view(), tile.view(), work);
    EXPECT_EQ(cycles, 5U);
}

/// Cycles of a long stream of random tiles.
double cycles_of(const SpwmmaConfig& config, double density_a, double density_b) {
    std::mt19937 random(kSeed);
    SpwmmaSequencer sequencer(config, false);
    SpwmmaWork work;
    Cycle cycles = 0;
    for (int i = 0; i < 60; ++i) {
        const Tile a = random_tile(random, density_a, false);
        const Tile b = random_tile(random, density_b, false);
        cycles += sequencer.run(a.view(), b.view(), work);
    }
    return static_cast<double>(cycles);
}

TEST(Spwmma, MemoIsWithinThreePercentOfTheCollector) {
    for (const double density_a : {1.0, 0.75, 0.5, 0.3, 0.1, 0.01}) {
        for (const double density_b : {1.0, 0.5, 0.4, 0.1, 0.01}) {
            const double memo = cycles_of(with(AccumulationDetail::kMemo), density_a, density_b);
            const double collector =
                cycles_of(with(AccumulationDetail::kCollector), density_a, density_b);
            EXPECT_NEAR(memo, collector, 0.03 * collector + 1) << density_a << ", " << density_b;
        }
    }
}

TEST(Spwmma, FewBanksAreTheLimitAtEveryLevel) {
    for (const AccumulationDetail detail :
         {AccumulationDetail::kMemo, AccumulationDetail::kExact, AccumulationDetail::kCollector}) {
        SpwmmaConfig config = with(detail);
        config.buffer.banks = 32;
        // 128 products for 32 adders.
        EXPECT_GE(cycles_of(config, 1, 1), 60 * 128 * 4) << static_cast<int>(detail);
    }
}

/// D by the definition: k ascending, one rounded addition each.
void reference(const Tile& a, const Tile& b, std::vector<float>& d) {
    const HalfBits* va = a.values.data();
    const HalfBits* vb = b.values.data();
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        const HalfBits* row_value = va;
        for (std::uint32_t row = 0; row < kTileSize; ++row) {
            if ((a.masks[k] >> row & 1U) == 0) continue;
            const HalfBits* column_value = vb;
            for (std::uint32_t column = 0; column < kTileSize; ++column) {
                if ((b.masks[k] >> column & 1U) == 0) continue;
                float& sum = d[row * kTileSize + column];
                sum = float_from_bits(
                    fp32_add(float_bits(sum), fp16_product(*row_value, *column_value)));
                ++column_value;
            }
            ++row_value;
        }
        va += a.counts[k];
        vb += b.counts[k];
    }
}

/// Sums of one SpWMMA, from zero.
std::vector<float> product(const Tile& a, const Tile& b) {
    SpwmmaSequencer sequencer(with(AccumulationDetail::kCount), true);
    std::vector<float> sums(kTileElements);
    sequencer.load(sums.data());
    SpwmmaWork work;
    static_cast<void>(sequencer.run(a.view(), b.view(), work));
    sequencer.store(sums.data());
    return sums;
}

/// The comparison with the definition finds a sequencer that leaves out one OHMMA that is needed:
/// the first 8 rows of one k.
TEST(Spwmma, OneOhmmaLessIsSeen) {
    std::mt19937 random(kSeed);
    const Tile a = random_tile(random, 0.6, true);
    const Tile b = random_tile(random, 0.3, true);
    std::vector<float> expected(kTileElements);
    reference(a, b, expected);
    ASSERT_EQ(product(a, b), expected);
    Tile less;
    const HalfBits* values = a.values.data();
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        std::uint32_t mask = a.masks[k];
        const std::uint32_t dropped = k == 7 ? 8 : 0;
        for (std::uint32_t i = 0; i < dropped; ++i) mask &= mask - 1;
        less.set(k, mask);
        less.values.insert(less.values.end(), values + dropped, values + a.counts[k]);
        values += a.counts[k];
    }
    less.values.push_back(0);
    EXPECT_NE(product(less, b), expected);
}

/// And one that adds the products of an element in another order than k ascending.
TEST(Spwmma, AnotherOrderOfKIsSeen) {
    std::mt19937 random(kSeed);
    const auto reversed = [](const Tile& tile) {
        Tile result;
        const HalfBits* end = tile.values.data() + tile.values.size() - 1;
        for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
            const std::uint32_t from = kSpwmmaDepth - 1 - k;
            result.set(k, tile.masks[from]);
            end -= tile.counts[from];
            result.values.insert(result.values.end(), end, end + tile.counts[from]);
        }
        result.values.push_back(0);
        return result;
    };
    const Tile a = random_tile(random, 0.9, true);
    const Tile b = random_tile(random, 0.9, true);
    std::vector<float> expected(kTileElements);
    reference(a, b, expected);
    ASSERT_EQ(product(a, b), expected);
    EXPECT_NE(product(reversed(a), reversed(b)), expected);
}

class SpwmmaValues : public testing::TestWithParam<AccumulationDetail> {};

TEST_P(SpwmmaValues, AreBitEqualToTheDefinition) {
    std::mt19937 random(kSeed);
    for (const double density : {1.0, 0.4, 0.05}) {
        SpwmmaSequencer sequencer(with(GetParam()), true);
        std::vector<float> expected(kTileElements);
        for (float& value : expected) value = static_cast<float>(random() % 1000) * 0.37F;
        expected[5] = -0.0F;
        sequencer.load(expected.data());
        expected[5] = 0.0F;
        SpwmmaWork work;
        for (int step = 0; step < 6; ++step) {
            const Tile a = random_tile(random, density, true);
            const Tile b = random_tile(random, density, true);
            static_cast<void>(sequencer.run(a.view(), b.view(), work));
            reference(a, b, expected);
        }
        static_cast<void>(sequencer.drain());
        std::vector<float> got(kTileElements);
        sequencer.store(got.data());
        for (std::uint32_t i = 0; i < kTileElements; ++i) {
            ASSERT_EQ(float_bits(got[i]), float_bits(expected[i])) << "seed " << kSeed << ", " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, SpwmmaValues,
                         testing::Values(AccumulationDetail::kCount, AccumulationDetail::kMemo,
                                         AccumulationDetail::kExact,
                                         AccumulationDetail::kCollector));

TEST(Spwmma, InfinitiesAndNansFollowTheContract) {
    Tile a;
    Tile b;
    a.set(0, 3);
    b.set(0, 3);
    a.values = {0x7c00, 0x3c00};  // infinity, 1
    b.values = {0x3c00, 0xfc00};  // 1, -infinity
    SpwmmaTile view = a.view();
    view.nonfinite = true;
    SpwmmaSequencer sequencer(with(AccumulationDetail::kCount), true);
    SpwmmaWork work;
    const std::vector<float> zeros(kTileElements);
    sequencer.load(zeros.data());
    static_cast<void>(sequencer.run(view, b.view(), work));
    b.values = {0xbc00, 0x3c00};
    static_cast<void>(sequencer.run(view, b.view(), work));  // inf - inf at (0, 0), as at (0, 1)
    std::vector<float> got(kTileElements);
    sequencer.store(got.data());
    EXPECT_EQ(float_bits(got[0]), kFeopNan);
    EXPECT_EQ(float_bits(got[1]), kFeopNan);
    EXPECT_EQ(got[kTileSize], 0.0F);
    EXPECT_EQ(work.nonfinite_tiles, 2U);
}

/// No value of this k is finite; what is not stored is skipped all the same.
TEST(Spwmma, InfinitiesAloneTouchNoOtherSum) {
    Tile a;
    Tile b;
    a.set(0, 1U << 3U);
    b.set(0, 1U << 5U);
    a.values = {0x7c00, 0};
    b.values = {0xfc00, 0};
    SpwmmaSequencer sequencer(with(AccumulationDetail::kCount), true);
    SpwmmaWork work;
    const std::vector<float> zeros(kTileElements);
    sequencer.load(zeros.data());
    static_cast<void>(sequencer.run(a.view(), b.view(), work));
    std::vector<float> got(kTileElements);
    sequencer.store(got.data());
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const bool here = i == 3 * kTileSize + 5;
        EXPECT_EQ(got[i], here ? -std::numeric_limits<float>::infinity() : 0.0F) << i;
    }
}

}  // namespace
}  // namespace tessera

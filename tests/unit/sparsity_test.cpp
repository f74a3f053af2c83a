// Have generated operands the sparsity and the distribution asked for, tile by tile in any order?
#include "sc_models/sparse/sparsity.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kLines = 1024;
constexpr std::uint64_t kDepth = 1024;

SparsityConfig config_of(double sparsity, SparsityPattern pattern = SparsityPattern::kUniform,
                         double concentration = 1) {
    SparsityConfig config;
    config.sparsity = sparsity;
    config.pattern = pattern;
    config.concentration = concentration;
    return config;
}

BitmapMatrix pattern_of(const SparsityConfig& config, std::uint64_t seed = 1,
                        SparseOperand operand = SparseOperand::kA) {
    return SparsityGenerator(config, seed, operand).make(kLines, kDepth, false);
}

/// How many vectors of 32 lines have 0, 1, ... 32 elements.
std::array<std::uint64_t, 33> histogram(const BitmapMatrix& matrix) {
    std::array<std::uint64_t, 33> vectors{};
    for (std::uint64_t id = 0; id < matrix.tiles(); ++id) {
        for (std::uint32_t k = 0; k < kSparseTileK; ++k) ++vectors[matrix.counts(id)[k]];
    }
    return vectors;
}

/// P(n of 32) of the beta-binomial distribution; of the binomial one for concentration 0.
double probability(std::uint32_t n, double density, double concentration) {
    const double choose = std::lgamma(33) - std::lgamma(n + 1) - std::lgamma(33 - n);
    if (concentration == 0) {
        return std::exp(choose + n * std::log(density) + (32 - n) * std::log1p(-density));
    }
    const double a = density * concentration;
    const double b = concentration - a;
    const auto beta = [](double x, double y) {
        return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y);
    };
    return std::exp(choose + beta(n + a, 32 - n + b) - beta(a, b));
}

TEST(Sparsity, KeepsTheFractionAskedFor) {
    for (const double sparsity : {0.0, 0.001, 0.25, 0.5, 0.9, 0.999, 1.0}) {
        const double density = 1 - sparsity;
        const auto nnz = static_cast<double>(pattern_of(config_of(sparsity)).nnz());
        const double expected = density * kLines * kDepth;
        EXPECT_NEAR(nnz, expected, 4 * std::sqrt(expected * sparsity)) << sparsity;
    }
}

TEST(Sparsity, UniformVectorsAreBinomial) {
    const auto vectors = histogram(pattern_of(config_of(0.7)));
    constexpr double kVectors = 1.0 * kLines / 32 * kDepth;
    for (std::uint32_t n = 0; n <= 32; ++n) {
        const double expected = kVectors * probability(n, 0.3, 0);
        EXPECT_NEAR(static_cast<double>(vectors[n]), expected, 4 * std::sqrt(expected) + 1) << n;
    }
}

TEST(Sparsity, ClusteredVectorsAreBetaBinomial) {
    for (const double concentration : {0.5, 2.0, 20.0}) {
        const auto vectors =
            histogram(pattern_of(config_of(0.6, SparsityPattern::kClustered, concentration)));
        constexpr double kVectors = 1.0 * kLines / 32 * kDepth;
        for (std::uint32_t n = 0; n <= 32; ++n) {
            const double expected = kVectors * probability(n, 0.4, concentration);
            EXPECT_NEAR(static_cast<double>(vectors[n]), expected, 4 * std::sqrt(expected) + 1)
                << n << " at concentration " << concentration;
        }
    }
}

TEST(Sparsity, ClusteredExtremesAreEmptyAndFull) {
    EXPECT_EQ(pattern_of(config_of(1, SparsityPattern::kClustered)).nnz(), 0U);
    EXPECT_EQ(pattern_of(config_of(0, SparsityPattern::kClustered)).nnz(), kLines * kDepth);
}

TEST(Sparsity, VectorWiseKeepsTheSameNumberInEverySixteenK) {
    const BitmapMatrix matrix = pattern_of(config_of(0.75, SparsityPattern::kVectorWise));
    std::array<std::uint64_t, kSparseTileK> at_k{};
    for (std::uint64_t id = 0; id < matrix.tiles(); ++id) {
        for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
            std::uint32_t kept = 0;
            for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                const std::uint32_t bit = matrix.masks(id)[k] >> r & 1U;
                kept += bit;
                at_k[k] += bit;
            }
            ASSERT_EQ(kept, 4U);
        }
    }
    // Every k as often as the others.
    const double expected = static_cast<double>(kLines * kDepth) / 16 / 4;
    for (const std::uint64_t count : at_k) {
        EXPECT_NEAR(static_cast<double>(count), expected, 4 * std::sqrt(expected));
    }
}

TEST(Sparsity, VectorWiseTakesSixteenthsOnly) {
    try {
        (void)pattern_of(config_of(0.7, SparsityPattern::kVectorWise), 1, SparseOperand::kB);
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(),
                     "workload.sparse.b.sparsity: got 0.7, expected sixteenths (0.75, ...) with "
                     "pattern vector_wise");
    }
    EXPECT_EQ(pattern_of(config_of(0.9375, SparsityPattern::kVectorWise)).nnz(),
              kLines * kDepth / 16);
}

TEST(Sparsity, RefusesWhatIsNoFraction) {
    for (const double sparsity : {-0.1, 1.1, std::nan("")}) {
        EXPECT_THROW(pattern_of(config_of(sparsity)), ConfigError);
    }
}

TEST(Sparsity, ATileIsTheSameAloneAndInAnySize) {
    for (const SparsityPattern pattern :
         {SparsityPattern::kUniform, SparsityPattern::kClustered, SparsityPattern::kVectorWise}) {
        const SparsityGenerator generator(config_of(0.5, pattern), 3, SparseOperand::kB);
        const BitmapMatrix large = generator.make(100, 200, false);
        const BitmapMatrix small = generator.make(64, 32, false);
        for (std::uint32_t i = 0; i < small.line_tiles(); ++i) {
            for (std::uint32_t l = 0; l < small.k_tiles(); ++l) {
                std::uint32_t alone[kSparseTileK];
                generator.masks(i, l, alone);
                for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                    EXPECT_EQ(small.masks(small.tile(i, l))[k], alone[k]);
                    EXPECT_EQ(large.masks(large.tile(i, l))[k], alone[k]);
                }
            }
        }
    }
}

/// Mean and variance of ceil(Bin(32, density) / group).
struct Groups {
    double mean = 0;
    double variance = 0;
};

Groups groups_of(double density, std::uint32_t group) {
    Groups groups;
    for (std::uint32_t n = 1; n <= 32; ++n) {
        const double p = density == 1 ? (n == 32 ? 1 : 0) : probability(n, density, 0);
        const std::uint32_t whole = (n + group - 1) / group;
        const double count = whole;
        groups.mean += p * count;
        groups.variance += p * count * count;
    }
    groups.variance -= groups.mean * groups.mean;
    return groups;
}

TEST(Sparsity, UniformOperandsNeedTheOhmmasOfTheClosedForm) {
    // Per k of a 32 x 32 tile: ceil(nA / 8) of 4 row groups, ceil(nB / 16) of 2 column groups.
    for (const double a : {0.0, 0.25, 0.5, 0.9, 0.99}) {
        for (const double b : {0.0, 0.6, 0.75, 0.95, 0.99}) {
            const auto rows = pattern_of(config_of(a));
            const auto columns = pattern_of(config_of(b), 1, SparseOperand::kB);
            double ohmmas = 0;
            for (std::uint64_t k = 0; k < kDepth; ++k) {
                std::uint64_t row_groups = 0;
                std::uint64_t column_groups = 0;
                for (std::uint32_t t = 0; t < rows.line_tiles(); ++t) {
                    const std::uint64_t id = rows.tile(t, static_cast<std::uint32_t>(k / 16));
                    row_groups += (rows.counts(id)[k % 16] + 7U) / 8;
                    column_groups += (columns.counts(id)[k % 16] + 15U) / 16;
                }
                ohmmas += static_cast<double>(row_groups * column_groups);
            }
            const double pairs = kLines / 32.0 * kLines / 32.0 * kDepth;
            const Groups of_rows = groups_of(1 - a, 8);
            const Groups of_columns = groups_of(1 - b, 16);
            const double expected = of_rows.mean * of_columns.mean;
            // Every vector of A meets every one of B, so errors of the two means add up.
            const double error =
                std::sqrt((of_rows.variance / of_rows.mean / of_rows.mean +
                           of_columns.variance / of_columns.mean / of_columns.mean) /
                          (kLines / 32.0 * kDepth));
            EXPECT_NEAR(ohmmas / pairs / expected, 1, 4 * error + 1e-9) << a << " " << b;
        }
    }
    // The closed form itself, as a share of the 8 OHMMAs.
    const auto fraction = [](double a, double b) {
        return groups_of(a, 8).mean * groups_of(b, 16).mean / 8;
    };
    EXPECT_NEAR(fraction(1, 0.5), 0.715, 0.0005);
    EXPECT_NEAR(fraction(1, 0.01), 0.1375, 0.00005);
    EXPECT_NEAR(fraction(0.5, 0.4), 0.331, 0.0005);
}

TEST(Sparsity, SeedsAndOperandsDiffer) {
    const BitmapMatrix base = pattern_of(config_of(0.5));
    EXPECT_EQ(base.arrays().elem_bitmap, pattern_of(config_of(0.5)).arrays().elem_bitmap);
    EXPECT_NE(base.arrays().elem_bitmap, pattern_of(config_of(0.5), 2).arrays().elem_bitmap);
    EXPECT_NE(base.arrays().elem_bitmap,
              pattern_of(config_of(0.5), 1, SparseOperand::kB).arrays().elem_bitmap);
}

TEST(Sparsity, ValuesAreUniformAndNeverZero) {
    const BitmapMatrix matrix =
        SparsityGenerator(config_of(0.5), 1, SparseOperand::kA).make(kLines, kDepth, true);
    EXPECT_EQ(matrix.nnz(), pattern_of(config_of(0.5)).nnz());
    double sum = 0;
    double squares = 0;
    for (std::uint64_t id = 0; id < matrix.tiles(); ++id) {
        for (std::uint32_t i = 0; i < matrix.tile_nnz(id); ++i) {
            const auto value = static_cast<double>(half_to_float(matrix.values(id)[i]));
            ASSERT_NE(value, 0);
            ASSERT_LE(std::fabs(value), 1);
            sum += value;
            squares += value * value;
        }
    }
    const auto count = static_cast<double>(matrix.nnz());
    EXPECT_NEAR(sum / count, 0, 0.005);
    EXPECT_NEAR(squares / count, 1.0 / 3, 0.005);
}

/// 32 lines x 32 k, two tiles each, all there or none, as many of them as the sparsity says.
TEST(Sparsity, BlocksAreWhole) {
    const SparsityGenerator generator(config_of(0.75, SparsityPattern::kBlocks), 3,
                                      SparseOperand::kB);
    std::uint32_t kept = 0;
    constexpr std::uint32_t kBlocks = 64;
    for (std::uint32_t line_tile = 0; line_tile < kBlocks; ++line_tile) {
        for (std::uint32_t k_tile = 0; k_tile < 2 * kBlocks; k_tile += 2) {
            std::uint32_t first[kSparseTileK], second[kSparseTileK];
            generator.masks(line_tile, k_tile, first);
            generator.masks(line_tile, k_tile + 1, second);
            for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                ASSERT_EQ(first[k], first[0] == 0 ? 0 : ~0U);
                ASSERT_EQ(second[k], first[0]);
            }
            kept += first[0] != 0 ? 1 : 0;
        }
    }
    EXPECT_NEAR(kept, 0.25 * kBlocks * kBlocks, 100);
}

// Frozen: results of earlier versions stay comparable only while these hold.
TEST(Sparsity, KnownMasksAndValues) {
    const SparsityGenerator uniform(config_of(0.5), 1, SparseOperand::kA);
    const SparsityGenerator clustered(config_of(0.5, SparsityPattern::kClustered), 1,
                                      SparseOperand::kB);
    std::uint32_t masks[kSparseTileK];
    uniform.masks(2, 3, masks);
    EXPECT_EQ(masks[5], 0x08810547U);
    clustered.masks(2, 3, masks);
    EXPECT_EQ(masks[5], 0x00821091U);
    EXPECT_EQ(uniform.value(10, 20), 0x3b4eU);
}

// --- operands from files ---

class SparseFile : public test::TempFolder {
protected:
    SparseFile() {
        config_.file = write("sparse_file.mtx",
                             "%%MatrixMarket matrix coordinate real general\n"
                             "2 3 2\n1 3 0.5\n2 1 -2\n");
    }

    SparsityConfig config_;
};

TEST_F(SparseFile, IsAByRowsAndBByColumns) {
    const BitmapMatrix a = make_sparse_operand(config_, 1, SparseOperand::kA, 2, 3, true);
    EXPECT_THAT(a.decode(), ::testing::ElementsAre(0, 0, 0x3800, 0xc000, 0, 0));
    const BitmapMatrix b = make_sparse_operand(config_, 1, SparseOperand::kB, 3, 2, true);
    EXPECT_THAT(b.decode(), ::testing::ElementsAre(0, 0xc000, 0, 0, 0x3800, 0));
    EXPECT_FALSE(make_sparse_operand(config_, 1, SparseOperand::kB, 3, 2, false).has_values());
}

TEST_F(SparseFile, MustHaveTheShapeOfTheProduct) {
    try {
        (void)make_sparse_operand(config_, 1, SparseOperand::kB, 2, 3, true);
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_EQ(std::string(error.what()),
                  config_.file + ":2: rows, columns: got 2 x 3, expected 3 x 2, the shape of B");
    }
}

}  // namespace
}  // namespace tessera

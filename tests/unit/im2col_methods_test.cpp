// Do all ways of lowering a sparse feature map give the same matrix, and count what they do?
#include "sc_models/study/im2col_methods.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// Reference lowering: computes every element from the definition of im2col.
std::vector<float> definition(const FeatureMap& map) {
    const Im2colShape& s = map.shape();
    std::vector<float> lowered;
    for (std::uint32_t k = 0; k < s.columns(); ++k) {
        for (std::uint32_t o = 0; o < s.outputs(); ++o) {
            const auto h = static_cast<int>(o / s.output_width() + k / s.filter % s.filter) -
                           static_cast<int>(s.pad);
            const auto w =
                static_cast<int>(o % s.output_width() + k % s.filter) - static_cast<int>(s.pad);
            const bool inside =
                h >= 0 && w >= 0 && h < static_cast<int>(s.height) && w < static_cast<int>(s.width);
            const std::uint32_t row = k / s.filter / s.filter * s.height;
            lowered.push_back(inside ? map.dense()[(row + static_cast<std::uint32_t>(h)) * s.width +
                                                   static_cast<std::uint32_t>(w)]
                                     : 0.0F);
        }
    }
    return lowered;
}

TEST(Im2colMethods, AllGiveTheSameMatrix) {
    const Im2colShape shapes[] = {{6, 3, 2, 3, 0},   {7, 9, 3, 3, 1},   {5, 64, 2, 3, 1},
                                  {4, 65, 2, 5, 2},  {3, 200, 2, 7, 3}, {8, 8, 4, 1, 0},
                                  {2, 130, 1, 3, 2}, {70, 2, 1, 2, 1}};
    std::uint64_t seed = 1;
    for (const Im2colShape& shape : shapes) {
        for (const double sparsity : {0.0, 0.3, 0.9, 1.0}) {
            const FeatureMap map(shape, sparsity, seed++);
            const std::vector<float> expected = definition(map);
            Lowered lowered;
            for (const Im2colMethodInfo& info : kIm2colMethods) {
                lower(info.method, map, lowered);
                ASSERT_EQ(expand(info.method, map, lowered), expected)
                    << info.name << " " << shape.height << "x" << shape.width << " filter "
                    << shape.filter << " pad " << shape.pad << " sparsity " << sparsity;
                (void)lower_counted(info.method, map, lowered);
                ASSERT_EQ(expand(info.method, map, lowered), expected) << info.name;
            }
        }
    }
}

TEST(Im2colMethods, AColumnOfARowHasTheLengthOfThePaper) {
    // B = (R - K + S) / S (IV-A) with R = 6, K = 3, S = 1: four data from a row.
    const Im2colShape shape{3, 6, 1, 3, 0};
    EXPECT_EQ(shape.output_width(), 4U);
    EXPECT_EQ(shape.outputs(), 4U);
    EXPECT_EQ(shape.columns(), 9U);
}

/// The operations of a method for 56 x 56 x 4 and a 3 x 3 filter without padding (no borders).
Im2colOperations operations(Im2colMethod method, const FeatureMap& map) {
    Lowered lowered;
    return lower_counted(method, map, lowered);
}

TEST(Im2colMethods, CountWhatTheirDefinitionsSay) {
    const FeatureMap map({56, 56, 4, 3, 0}, 0.5, 1);
    const std::uint64_t elements = std::uint64_t{54} * 54 * 36;
    std::uint64_t nonzeros = 0;
    for (const float value : definition(map)) nonzeros += value != 0 ? 1U : 0U;

    const Im2colOperations dense = operations(Im2colMethod::kDense, map);
    EXPECT_EQ(dense.value_reads, elements);
    EXPECT_EQ(dense.shifts + dense.masks + dense.popcounts + dense.adds + dense.index_reads, 0U);

    const Im2colOperations bitmap = operations(Im2colMethod::kBitmapElement, map);
    EXPECT_EQ(bitmap.shifts, elements);
    EXPECT_EQ(bitmap.masks, elements + nonzeros);
    EXPECT_EQ(bitmap.popcounts, nonzeros);
    EXPECT_EQ(bitmap.value_reads, nonzeros);
    EXPECT_EQ(bitmap.adds, nonzeros);
    EXPECT_EQ(bitmap.index_reads, nonzeros);

    // One shift, one mask and one count for 54 outputs; two of three columns also add the bit that
    // was shifted out.
    const std::uint64_t pieces = std::uint64_t{54} * 36;
    const Im2colOperations rows = operations(Im2colMethod::kBitmapRow, map);
    EXPECT_EQ(rows.shifts, pieces);
    EXPECT_EQ(rows.popcounts, pieces);
    EXPECT_EQ(rows.masks, pieces + pieces * 2 / 3);
    EXPECT_EQ(rows.adds, pieces + pieces * 2 / 3);
    EXPECT_EQ(rows.index_reads, pieces / 3);
    EXPECT_EQ(rows.value_reads, nonzeros);

    const Im2colOperations addresses = operations(Im2colMethod::kBitmapAddress, map);
    EXPECT_EQ(addresses.shifts, pieces);
    EXPECT_EQ(addresses.value_reads, 0U);

    const Im2colOperations csr_rows = operations(Im2colMethod::kCsrRow, map);
    EXPECT_EQ(csr_rows.value_reads, nonzeros);
    EXPECT_GE(csr_rows.index_reads, nonzeros + 2 * pieces);
    const Im2colOperations csr = operations(Im2colMethod::kCsrElement, map);
    EXPECT_EQ(csr.value_reads, nonzeros);
    EXPECT_GT(csr.index_reads, 2 * elements + nonzeros);
    EXPECT_GT(csr.index_reads, operations(Im2colMethod::kCsrWindow, map).index_reads);
}

TEST(Im2colMethods, IndexReadsOfCsrByHand) {
    // 3 rows of 4 under 1 x 1: every element is an output. A look at a row reads its begin and end.
    const FeatureMap full({3, 4, 1, 1, 0}, 0, 1);
    // Element w of a full row is found at the w + 1-th column number: 2 + (1, 2, 3, 4).
    EXPECT_EQ(operations(Im2colMethod::kCsrElement, full).index_reads, 3U * (4 * 2 + 10));
    // Halving four places takes 3, 3, 2, 2 reads; then the element, and the one behind that ends
    // the window, which the last does not have.
    EXPECT_EQ(operations(Im2colMethod::kCsrWindow, full).index_reads,
              3U * (4 * 2 + (3 + 3 + 2 + 2) + (2 + 2 + 2 + 1)));
    // A row once, each of its columns once.
    const Im2colOperations rows = operations(Im2colMethod::kCsrRow, full);
    EXPECT_EQ(rows.index_reads, 3U * (2 + 4));
    EXPECT_EQ(rows.adds, 3U * 4);
    // Empty rows: nothing but begins and ends.
    const FeatureMap empty({3, 4, 1, 1, 0}, 1, 1);
    EXPECT_EQ(operations(Im2colMethod::kCsrElement, empty).index_reads, 12U * 2);
    EXPECT_EQ(operations(Im2colMethod::kCsrWindow, empty).index_reads, 12U * 2);
    EXPECT_EQ(operations(Im2colMethod::kCsrRow, empty).index_reads, 3U * 2);
}

TEST(Im2colMethods, RowsOutsideTheImageAreNotRead) {
    // 3 x 3 of 5 x 5 with padding: of three filter rows times five output rows 4 + 5 + 4 lie
    // inside.
    const FeatureMap full({5, 5, 2, 3, 1}, 0, 1);
    const Im2colOperations rows = operations(Im2colMethod::kCsrRow, full);
    EXPECT_EQ(rows.index_reads, 2U * 3 * 13 * (2 + 5)) << "channels, filter columns, rows";
    EXPECT_EQ(rows.adds, 2U * 3 * 13 * 5);
    EXPECT_EQ(rows.value_reads, 2U * 13 * 13);
}

TEST(Im2colMethods, SparserMapsTakeFewerReads) {
    for (const Im2colMethodInfo& info : kIm2colMethods) {
        if (info.method == Im2colMethod::kDense) continue;
        const Im2colOperations full = operations(info.method, {{20, 20, 4, 3, 1}, 0.1, 1});
        const Im2colOperations few = operations(info.method, {{20, 20, 4, 3, 1}, 0.9, 1});
        if (info.method != Im2colMethod::kBitmapAddress) {
            EXPECT_LT(few.value_reads, full.value_reads / 4) << info.name;
        }
        EXPECT_LE(few.index_reads, full.index_reads) << info.name;
    }
}

TEST(Im2colMethods, RefuseImpossibleShapes) {
    for (const Im2colShape& shape :
         {Im2colShape{0, 5, 1, 3, 1}, Im2colShape{5, 0, 1, 3, 1}, Im2colShape{5, 5, 0, 3, 1},
          Im2colShape{5, 5, 1, 0, 0}, Im2colShape{2, 2, 1, 5, 1}, Im2colShape{5, 5, 1, 3, 3},
          Im2colShape{5, 5, 1, 65, 32}, Im2colShape{16384, 16384, 1024, 3, 1}}) {
        EXPECT_THROW(FeatureMap(shape, 0.5, 1), ConfigError);
    }
    EXPECT_THROW(FeatureMap({5, 5, 1, 3, 1}, 1.5, 1), ConfigError);
}

}  // namespace
}  // namespace tessera

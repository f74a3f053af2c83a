// Is the golden sparse product that of one product and one addition after the other?
#include "tests/support/golden_spgemm.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/sparse/sparsity.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

constexpr HalfBits kOne = 0x3c00;
constexpr HalfBits kInfinity = 0x7c00;
constexpr HalfBits kNan = 0x7e01;

struct Case {
    std::uint64_t m = 0;
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    std::vector<HalfBits> a, b;
    std::vector<float> c;
};

/// Random operands: subnormals, both zeros, large numbers; with `nonfinite` also infinities and
/// NaNs.
Case random_case(std::mt19937& random, bool nonfinite) {
    Case made;
    made.m = random() % 150 + 1;
    made.n = random() % 150 + 1;
    made.k = random() % 60 + 1;
    const double density = std::uniform_real_distribution<>(0, 1.2)(random);
    const auto half = [&]() -> HalfBits {
        if (std::uniform_real_distribution<>(0, 1)(random) >= density) {
            return static_cast<HalfBits>(random() % 2 << 15U);
        }
        if (nonfinite && random() % 100 == 0) {
            const HalfBits special[3] = {kInfinity, kInfinity | 0x8000U, kNan};
            return special[random() % 3];
        }
        return static_cast<HalfBits>((random() & 0x83ffU) | random() % 31U << 10U);
    };
    for (std::uint64_t i = 0; i < made.m * made.k; ++i) made.a.push_back(half());
    for (std::uint64_t i = 0; i < made.n * made.k; ++i) made.b.push_back(half());
    for (std::uint64_t i = 0; i < made.m * made.n; ++i) {
        const std::uint32_t kind = random() % 4;
        const auto bits = static_cast<std::uint32_t>(random());
        made.c.push_back(kind == 0   ? -0.0F
                         : kind == 1 ? float_from_bits(bits & 0x807fffffU)
                                     : half_to_float(half()));
    }
    return made;
}

bool zero(HalfBits value) {
    return (value & 0x7fffU) == 0;
}

bool nonfinite(HalfBits value) {
    return (value & 0x7c00U) == 0x7c00U;
}

/// One element by the definition.
float element(const Case& given, std::uint64_t i, std::uint64_t j, bool strict,
              std::uint64_t& hidden) {
    const std::uint32_t start = float_bits(given.c[i * given.n + j]);
    std::uint32_t sum = start == 0x80000000U ? 0 : start;
    for (std::uint64_t k = 0; k < given.k; ++k) {
        const HalfBits a = given.a[i * given.k + k];
        const HalfBits b = given.b[j * given.k + k];
        const bool skipped = zero(a) || zero(b);
        hidden += skipped && (nonfinite(a) || nonfinite(b)) ? 1U : 0U;
        if (skipped && !strict) continue;
        sum = fp32_add(sum, fp16_product(a, b));
    }
    const float result = float_from_bits(sum);
    return result != result ? float_from_bits(kFeopNan) : result;
}

void expect_equal(const Case& given, NonfinitePolicy policy, std::uint32_t number) {
    std::vector<float> d(given.m * given.n);
    const GoldenCounts counts = golden_spgemm(given.a.data(), given.b.data(), given.m, given.n,
                                              given.k, given.c.data(), d.data(), policy);
    std::uint64_t hidden = 0;
    std::uint64_t nans = 0;
    for (std::uint64_t i = 0; i < given.m; ++i) {
        for (std::uint64_t j = 0; j < given.n; ++j) {
            const float expected = element(given, i, j, policy == NonfinitePolicy::kStrict, hidden);
            nans += expected != expected ? 1U : 0U;
            ASSERT_EQ(float_bits(d[i * given.n + j]), float_bits(expected))
                << "case " << number << ", D[" << i << "][" << j << "]";
        }
    }
    EXPECT_EQ(counts.hidden_products, hidden) << "case " << number;
    EXPECT_EQ(counts.nan_outputs, nans) << "case " << number;
}

TEST(GoldenSpgemm, IsTheScalarDefinition) {
    std::mt19937 random(1);
    for (std::uint32_t i = 0; i < 40; ++i) {
        const Case given = random_case(random, false);
        expect_equal(given, NonfinitePolicy::kSkipHides, i);
        expect_equal(given, NonfinitePolicy::kStrict, i);
    }
}

TEST(GoldenSpgemm, HidesOrMakesProductsOfZerosWithNonfinites) {
    std::mt19937 random(2);
    for (std::uint32_t i = 0; i < 40; ++i) {
        const Case given = random_case(random, true);
        expect_equal(given, NonfinitePolicy::kSkipHides, i);
        expect_equal(given, NonfinitePolicy::kStrict, i);
    }
}

TEST(GoldenSpgemm, StrictOperandsGiveTheDenseProduct) {
    std::mt19937 random(4);
    std::uint64_t nans = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
        const Case given = random_case(random, true);
        const BitmapMatrix a = BitmapMatrix::encode(given.m, given.k, given.a.data());
        const BitmapMatrix b = BitmapMatrix::encode(given.n, given.k, given.b.data());
        const OutputBlock all{0, given.m, 0, given.n};
        std::vector<float> expected(given.m * given.n);
        std::vector<float> d(given.m * given.n);
        golden_spgemm(a, b, all, given.c.data(), expected.data(), NonfinitePolicy::kStrict);
        const SparseOperands strict = strict_operands(a, b);
        const GoldenCounts counts =
            golden_spgemm(strict.a, strict.b, all, given.c.data(), d.data());
        EXPECT_EQ(counts.hidden_products, 0U);
        nans += counts.nan_outputs;
        for (std::size_t e = 0; e < d.size(); ++e) {
            ASSERT_EQ(float_bits(d[e]), float_bits(expected[e])) << "case " << i;
        }
        EXPECT_EQ(strict.a.decode(), a.decode());
        EXPECT_EQ(strict.b.decode(), b.decode());
    }
    EXPECT_GT(nans, 0U);
}

TEST(GoldenSpgemm, ABlockIsThatOfTheWhole) {
    std::mt19937 random(3);
    SparsityConfig half;
    half.sparsity = 0.5;
    const BitmapMatrix a = SparsityGenerator(half, 1, SparseOperand::kA).make(300, 77, true);
    const BitmapMatrix b = SparsityGenerator(half, 1, SparseOperand::kB).make(210, 77, true);
    std::vector<float> whole(std::size_t{300} * 210);
    golden_spgemm(a, b, {0, 300, 0, 210}, nullptr, whole.data());
    for (std::uint32_t n = 0; n < 20; ++n) {
        OutputBlock block;
        block.row_begin = random() % 300;
        block.row_end = block.row_begin + random() % (301 - block.row_begin);
        block.column_begin = random() % 210;
        block.column_end = block.column_begin + random() % (211 - block.column_begin);
        std::vector<float> part(block.rows() * block.columns());
        golden_spgemm(a, b, block, nullptr, part.data());
        for (std::uint64_t i = 0; i < block.rows(); ++i) {
            for (std::uint64_t j = 0; j < block.columns(); ++j) {
                ASSERT_EQ(part[i * block.columns() + j],
                          whole[(block.row_begin + i) * 210 + block.column_begin + j]);
            }
        }
    }
}

TEST(GoldenSpgemm, AddsInPlace) {
    const HalfBits a[2] = {kOne, kOne};
    const HalfBits b[2] = {kOne, 0};
    float d[1] = {2.5F};
    golden_spgemm(a, b, 1, 1, 2, d, d);
    EXPECT_EQ(d[0], 3.5F);
}

TEST(GoldenSpgemm, OrderOfKMatters) {
    // 2^24 + 1 - 2^24 is 0 in this order and 1 in another.
    const HalfBits large = 0x6c00;  // 2^12
    const HalfBits a[3] = {large, kOne, large};
    const HalfBits ascending[3] = {large, kOne, static_cast<HalfBits>(large | 0x8000U)};
    const HalfBits swapped_a[3] = {large, large, kOne};
    const HalfBits swapped_b[3] = {large, static_cast<HalfBits>(large | 0x8000U), kOne};
    float d[1];
    golden_spgemm(a, ascending, 1, 1, 3, nullptr, d);
    EXPECT_EQ(d[0], 0.0F);
    golden_spgemm(swapped_a, swapped_b, 1, 1, 3, nullptr, d);
    EXPECT_EQ(d[0], 1.0F);
}

TEST(GoldenSpgemm, RefusesWhatDoesNotFit) {
    SparsityConfig half;
    half.sparsity = 0.5;
    const BitmapMatrix a = SparsityGenerator(half, 1, SparseOperand::kA).make(8, 16, true);
    const BitmapMatrix other = SparsityGenerator(half, 1, SparseOperand::kB).make(8, 17, true);
    const BitmapMatrix pattern = SparsityGenerator(half, 1, SparseOperand::kB).make(8, 16, false);
    float d[64];
    EXPECT_THROW(golden_spgemm(a, other, {0, 8, 0, 8}, nullptr, d), ConfigError);
    EXPECT_THROW(golden_spgemm(a, pattern, {0, 8, 0, 8}, nullptr, d), ConfigError);
    EXPECT_THROW(golden_spgemm(a, a, {0, 9, 0, 8}, nullptr, d), ConfigError);
}

}  // namespace
}  // namespace tessera

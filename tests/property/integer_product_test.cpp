// Are products of INT8 fragments exact, and do their sums wrap?
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "sc_models/tensor_core/integer_product.h"

namespace tessera {
namespace {

constexpr std::uint32_t kDepth = 2 * kMmaSize;

/// The low 32 bits of the exact sum.
std::int32_t expected(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                      std::int32_t c, std::uint32_t row, std::uint32_t column) {
    std::int64_t sum = c;
    for (std::uint32_t k = 0; k < kDepth; ++k) {
        sum += std::int64_t{a[row * kDepth + k]} * b[column * kDepth + k];
    }
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

TEST(IntegerProduct, IsExactAndWraps) {
    std::mt19937 random(8);
    std::uint32_t wrapped = 0;
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
        std::vector<std::int8_t> a(2 * kMmaElements);
        std::vector<std::int8_t> b(2 * kMmaElements);
        std::vector<std::int32_t> c(kMmaElements);
        for (std::int8_t& value : a) value = trial == 0 ? -128 : static_cast<std::int8_t>(random());
        for (std::int8_t& value : b) value = trial == 0 ? -128 : static_cast<std::int8_t>(random());
        for (std::int32_t& value : c) {
            value = trial < 2 ? std::numeric_limits<std::int32_t>::max()
                              : static_cast<std::int32_t>(random());
        }
        std::vector<std::int32_t> d(kMmaElements);
        imma_16x16x32(a.data(), b.data(), c.data(), d.data());
        for (std::uint32_t i = 0; i < kMmaElements; ++i) {
            ASSERT_EQ(d[i], expected(a, b, c[i], i / kMmaSize, i % kMmaSize)) << trial << " " << i;
            wrapped += c[i] > 0 && d[i] < 0 ? 1 : 0;
        }
        imma_16x16x32(a.data(), b.data(), c.data(), c.data());
        EXPECT_EQ(c, d) << "in place";
    }
    EXPECT_GT(wrapped, kMmaElements);
}

}  // namespace
}  // namespace tessera

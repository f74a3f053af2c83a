// Are products of fragments of INT8, and of UINT8 and INT8, exact, and do their sums wrap?
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
std::int32_t expected(const std::vector<std::uint8_t>& a, bool is_unsigned,
                      const std::vector<std::int8_t>& b, std::int32_t c, std::uint32_t row,
                      std::uint32_t column) {
    std::int64_t sum = c;
    for (std::uint32_t k = 0; k < kDepth; ++k) {
        const std::uint8_t bits = a[row * kDepth + k];
        const int factor = is_unsigned || bits < 128 ? bits : bits - 256;
        sum += std::int64_t{factor} * b[column * kDepth + k];
    }
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

TEST(IntegerProduct, IsExactAndWraps) {
    std::mt19937 random(8);
    std::uint32_t wrapped = 0;
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
        const bool is_unsigned = trial % 2 == 1;
        std::vector<std::uint8_t> a(2 * kMmaElements);
        std::vector<std::int8_t> b(2 * kMmaElements);
        std::vector<std::int32_t> c(kMmaElements);
        for (std::uint8_t& value : a) {
            value = trial == 0 ? 128 : trial == 1 ? 255 : static_cast<std::uint8_t>(random());
        }
        for (std::int8_t& value : b) value = trial < 2 ? -128 : static_cast<std::int8_t>(random());
        for (std::int32_t& value : c) {
            value = trial == 0   ? std::numeric_limits<std::int32_t>::max()
                    : trial == 1 ? std::numeric_limits<std::int32_t>::min()
                                 : static_cast<std::int32_t>(random());
        }
        std::vector<std::int32_t> d(kMmaElements);
        imma_16x16x32(a.data(), is_unsigned, b.data(), c.data(), d.data());
        for (std::uint32_t i = 0; i < kMmaElements; ++i) {
            ASSERT_EQ(d[i], expected(a, is_unsigned, b, c[i], i / kMmaSize, i % kMmaSize))
                << trial << " " << i;
            wrapped += (trial == 0 && d[i] < 0) || (trial == 1 && d[i] > 0) ? 1 : 0;
        }
        imma_16x16x32(a.data(), is_unsigned, b.data(), c.data(), c.data());
        EXPECT_EQ(c, d) << "in place";
    }
    EXPECT_EQ(wrapped, 2 * kMmaElements) << "both ends wrap";
}

}  // namespace
}  // namespace tessera

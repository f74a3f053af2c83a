// Is division by a programmed reciprocal exact?
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sc_models/duplo/exact_divider.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {
namespace {

/// Dividends at which a quotient steps, at both ends of the range and around powers of two.
template <class Divide>
std::uint64_t boundary_errors(std::uint32_t d, Divide divide) {
    constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
    std::uint64_t errors = 0;
    const auto probe = [&](std::uint64_t n) {
        if (n < kEnd) {
            const auto dividend = static_cast<std::uint32_t>(n);
            errors += divide(dividend) != dividend / d ? 1 : 0;
        }
    };
    const std::uint64_t last = (kEnd - 1) / d;
    for (const std::uint64_t q :
         {std::uint64_t{0}, std::uint64_t{1}, last / 2, last - (last > 0), last}) {
        probe(q * d);
        probe(q * d + d - 1);
    }
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
        probe((std::uint64_t{1} << bit) - 1);
        probe(std::uint64_t{1} << bit);
    }
    probe(kEnd - 1);
    return errors;
}

TEST(ExactDivider, BoundaryDividendsOfAllSmallDivisors) {
    for (std::uint32_t d = 1; d <= 65536; ++d) {
        const ExactDivider divider(d);
        ASSERT_EQ(boundary_errors(d, [&](std::uint32_t n) { return divider.divide(n); }), 0u) << d;
    }
}

TEST(ExactDivider, LargeDivisors) {
    std::mt19937_64 rng(11);
    for (int i = 0; i < 20000; ++i) {
        const auto d = static_cast<std::uint32_t>(rng() >> (32 + rng() % 16)) | 1u << 15;
        const ExactDivider divider(d);
        ASSERT_EQ(boundary_errors(d, [&](std::uint32_t n) { return divider.divide(n); }), 0u) << d;
    }
    const ExactDivider widest(0xffffffffu);
    EXPECT_EQ(boundary_errors(0xffffffffu, [&](std::uint32_t n) { return widest.divide(n); }), 0u);
}

/// The quotient never falls, so exact at both ends of every step is exact everywhere. Of the
/// smallest divisors every so many steps are tried, evenly over the whole range.
TEST(ExactDivider, StepEdgesOfTable1Divisors) {
    std::set<std::uint32_t> divisors;
    for (const Table1Layer& layer : table1_layers()) {
        for (const Channels rule : {Channels::kPad16, Channels::kFilterRow, Channels::kDense}) {
            const LoweredGeometry g = lower(layer, rule, layer.batch);
            divisors.insert({g.row_pitch_chunks, g.output_height * g.output_width, g.output_width,
                             g.filter_row_chunks, g.filter_width * g.channels});
        }
    }
    EXPECT_GT(divisors.size(), 40u);
    for (const std::uint32_t d : divisors) {
        const ExactDivider divider(d);
        const std::uint64_t steps = (std::uint64_t{1} << 32) / d;
        const std::uint64_t stride = steps > 2000000 ? steps / 2000000 + 1 : 1;
        std::uint64_t errors = 0;
        for (std::uint64_t q = 0; q < steps; q += stride) {
            const auto first = static_cast<std::uint32_t>(q * d);
            errors += divider.divide(first) != q ? 1 : 0;
            errors += divider.divide(first + d - 1) != q ? 1 : 0;
        }
        EXPECT_EQ(errors, 0u) << d;
        EXPECT_EQ(divider.remainder(d + d / 2), d / 2) << d;
    }
}

/// Thirty-two bits of reciprocal do not do: the same checks must find that out for the widths here.
TEST(ExactDivider, ChecksCatchAReciprocalOneBitShort) {
    for (const std::uint32_t d : {7u, 14u, 21u, 27u, 28u, 56u, 112u, 224u}) {
        const ExactDivider exact(d);
        const std::uint64_t full = std::uint64_t{1} << 32 | exact.reciprocal();
        const std::uint64_t rounded = (full + 1) >> 1;  // what a 32-bit register keeps
        const auto narrow = [&](std::uint32_t n) {
            // n * m needs up to 65 bits: add the halves of the product.
            const std::uint64_t high = (std::uint64_t{n} * (rounded >> 16)) +
                                       ((std::uint64_t{n} * (rounded & 0xffff)) >> 16);
            return static_cast<std::uint32_t>(high >> (16 + exact.shift() - 1));
        };
        EXPECT_GT(boundary_errors(d, narrow), 0u) << d;
    }
}

TEST(ExactDivider, ZeroIsAModelBug) {
    EXPECT_THROW(ExactDivider(0), std::logic_error);
}

}  // namespace
}  // namespace tessera::test

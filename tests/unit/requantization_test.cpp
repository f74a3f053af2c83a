// How are the sums of products of integers taken to bytes, and at what cost?
#include "sc_models/workload/requantization.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

/// Bounds that are those of the type cost nothing.
TEST(Requantization, CostsAnInstructionForEachBoundWithinTheType) {
    const auto cost = [](std::int32_t least, std::int32_t most, bool is_unsigned) {
        Requantization rule;
        rule.least = least;
        rule.most = most;
        rule.is_unsigned = is_unsigned;
        return rule.cost();
    };
    EXPECT_EQ(cost(-128, 127, false), 5U);
    EXPECT_EQ(cost(-127, 127, false), 6U);
    EXPECT_EQ(cost(-128, 126, false), 6U);
    EXPECT_EQ(cost(0, 100, false), 7U);
    EXPECT_EQ(cost(0, 255, true), 5U);
    EXPECT_EQ(cost(1, 255, true), 6U);
    EXPECT_EQ(cost(0, 254, true), 6U);
}

TEST(Requantization, GivesTheZeroPointBehindTheLastColumn) {
    Requantization rule;
    rule.bias = {2};
    rule.factors = {0.5F};
    rule.zero_point = 7;
    EXPECT_EQ(rule.result_of(10, 0), 13);
    EXPECT_EQ(rule.result_of(10, 1), 7);
}

}  // namespace
}  // namespace tessera

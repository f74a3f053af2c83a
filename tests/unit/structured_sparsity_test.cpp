// Does 2:4 pruning keep the two largest of each four, and do compressed lines with their metadata
// stand for exactly the pruned line?
#include "sc_models/tensor_core/structured_sparsity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace tessera {
namespace {

using Group = std::array<HalfBits, kStructuredGroup>;
using Line = std::array<HalfBits, kStructuredDepth>;
using Kept = std::array<HalfBits, kStructuredKept>;

constexpr HalfBits kMinusZero = 0x8000;
constexpr HalfBits kInfinity = 0x7c00;
constexpr HalfBits kNan = 0x7e01;

Group group_of(float a, float b, float c, float d) {
    return {float_to_half(a), float_to_half(b), float_to_half(c), float_to_half(d)};
}

std::uint32_t kept(const Group& group) {
    return kept_of_group(group.data());
}

TEST(StructuredSparsity, KeepsTheTwoLargestMagnitudes) {
    EXPECT_EQ(kept(group_of(1, 2, 3, 4)), 0b1100U);
    EXPECT_EQ(kept(group_of(-4, 3, 2, -1)), 0b0011U);
    EXPECT_EQ(kept(group_of(0.5F, -8, 0.25F, 4)), 0b1010U);
    EXPECT_EQ(kept({kNan, kInfinity, 1, 0x7bff}), 0b0011U);
    EXPECT_EQ(kept({1, 2, 0x8003, 0}), 0b0110U) << "subnormal numbers";
}

TEST(StructuredSparsity, KeepsTheFirstOfEqualMagnitudes) {
    EXPECT_EQ(kept(group_of(1, 1, 1, 1)), 0b0011U);
    EXPECT_EQ(kept(group_of(1, 2, -2, 2)), 0b0110U);
    EXPECT_EQ(kept(group_of(3, 1, -1, 1)), 0b0011U);
    EXPECT_EQ(kept(group_of(0, 0, 0, 0)), 0b0011U);
    EXPECT_EQ(kept(group_of(0, 0, 0, 5)), 0b1001U);
    EXPECT_EQ(kept({kMinusZero, 0, 7, 0}), 0b0101U) << "zeros of both signs are equal";
}

/// The first group keeps elements 1 and 3, the second 0 and 1, and so on: written out by hand.
TEST(StructuredSparsity, MetadataIsThatOfThePtxIsa) {
    Line line{};
    line[1] = 10;
    line[3] = 11;
    line[4] = 12;
    line[5] = 13;
    line[10] = 14;
    line[11] = 15;
    line[12] = 16;
    line[15] = 17;
    Kept values{};
    const std::uint32_t metadata = compress_2of4(line.data(), values.data());
    // Two bits an index, first index lowest: (1, 3), (0, 1), (2, 3), (0, 3), then empty groups.
    EXPECT_EQ(metadata, 0x4444'ce4dU);
    const Kept expected = {10, 11, 12, 13, 14, 15, 16, 17};
    EXPECT_EQ(values, expected);
}

TEST(StructuredSparsity, LinesComeBackPruned) {
    std::mt19937 random(5);
    const std::vector<HalfBits> few = {0, kMinusZero, 0x3c00, 0xbc00, 0x4000, kInfinity, 1};
    for (int trial = 0; trial < 2000; ++trial) {
        Line line{};
        for (HalfBits& half : line) {
            half = trial % 2 == 0 ? static_cast<HalfBits>(random()) : few[random() % few.size()];
        }
        Kept values{};
        const std::uint32_t metadata = compress_2of4(line.data(), values.data());
        Line back{};
        expand_2of4(values.data(), metadata, back.data());
        for (std::uint32_t first = 0; first < line.size(); first += kStructuredGroup) {
            const std::uint32_t index = metadata >> first & 0xfU;
            ASSERT_LT(index & 3U, index >> 2U) << "indices ascend";
            // The pruned group by another rule: sort by magnitude, the lower index first.
            std::array<std::uint32_t, kStructuredGroup> order = {0, 1, 2, 3};
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return (line[first + a] & 0x7fffU) > (line[first + b] & 0x7fffU);
            });
            for (std::uint32_t i = 0; i < kStructuredGroup; ++i) {
                const bool is_kept = order[0] == i || order[1] == i;
                ASSERT_EQ(back[first + i], is_kept ? line[first + i] : 0) << trial;
            }
        }
        Kept again{};
        Line twice{};
        const std::uint32_t second = compress_2of4(back.data(), again.data());
        expand_2of4(again.data(), second, twice.data());
        ASSERT_EQ(twice, back) << "pruning a pruned line changes nothing";
    }
}

}  // namespace
}  // namespace tessera

// How many CTAs fit an SM, counted by hand after the CUDA rules.
#include "sc_models/gpu/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;

KernelInfo kernel_of(std::uint32_t warps, std::uint32_t registers, std::uint32_t shared_kib) {
    KernelInfo kernel;
    kernel.name = "k";
    kernel.ctas = 1;
    kernel.warps_per_cta = warps;
    kernel.registers_per_thread = registers;
    kernel.shared_memory_bytes = shared_kib * 1024;
    for (std::uint32_t w = 0; w < warps; ++w) kernel.sub_core_of_warp.push_back(w);
    return kernel;
}

TEST(Occupancy, OfTheDuploKernel) {
    // 128 x 64 floats: 32 KiB of 96. 8 warps of 64. 112 registers: 8 x 112 = 896 of 2048 warp
    // registers.
    const Occupancy o = occupancy_of(kernel_of(8, 112, 32), SmConfig{});
    EXPECT_EQ(o.by_shared_memory, 3U);
    EXPECT_EQ(o.by_warps, 8U);
    EXPECT_EQ(o.by_ctas, 32U);
    EXPECT_EQ(o.by_registers, 2U);
    EXPECT_EQ(o.ctas, 2U);
    EXPECT_EQ(o.limiter(), "registers");
    EXPECT_FALSE(o.registers_overcommitted);
}

TEST(Occupancy, RegistersGoInUnitsOfEight) {
    // 32 x 8 = 256 of 2048: 8 CTAs. One register more makes 40 x 8 = 320: 6.
    EXPECT_EQ(occupancy_of(kernel_of(8, 32, 0), SmConfig{}).ctas, 8U);
    EXPECT_EQ(occupancy_of(kernel_of(8, 33, 0), SmConfig{}).ctas, 6U);
    EXPECT_EQ(occupancy_of(kernel_of(8, 40, 0), SmConfig{}).ctas, 6U);
}

TEST(Occupancy, EachLimitBinds) {
    EXPECT_EQ(occupancy_of(kernel_of(1, 16, 32), SmConfig{}).ctas, 3U);
    EXPECT_EQ(occupancy_of(kernel_of(1, 16, 32), SmConfig{}).limiter(), "shared memory");
    EXPECT_EQ(occupancy_of(kernel_of(24, 16, 0), SmConfig{}).ctas, 2U);  // 64 / 24
    EXPECT_EQ(occupancy_of(kernel_of(24, 16, 0), SmConfig{}).limiter(), "warp slots");
    SmConfig few;
    few.max_ctas = 5;
    EXPECT_EQ(occupancy_of(kernel_of(1, 16, 0), few).ctas, 5U);
    EXPECT_EQ(occupancy_of(kernel_of(1, 16, 0), few).limiter(), "CTA slots");
}

TEST(Occupancy, SmallCtasFillAllSubCores) {
    // 1, 3 and 5 warps a CTA: 64 / 1 (but 32 CTA slots), 64 / 3 = 21, 64 / 5 = 12.
    EXPECT_EQ(occupancy_of(kernel_of(1, 8, 0), SmConfig{}).by_warps, 64U);
    EXPECT_EQ(occupancy_of(kernel_of(3, 8, 0), SmConfig{}).ctas, 21U);
    EXPECT_EQ(occupancy_of(kernel_of(5, 8, 0), SmConfig{}).ctas, 12U);
}

TEST(Occupancy, SubCoreOfTheMostWarpsLimits) {
    // All four warps of a CTA want the same sub-core: 16 slots there hold 4 CTAs, whichever the
    // others use.
    KernelInfo kernel = kernel_of(4, 8, 0);
    kernel.sub_core_of_warp = {2, 2, 2, 2};
    EXPECT_EQ(occupancy_of(kernel, SmConfig{}).by_warps, 4U);
    EXPECT_EQ(occupancy_of(kernel, SmConfig{}).limiter(), "warp slots");
    kernel = kernel_of(17, 8, 0);
    kernel.sub_core_of_warp.assign(17, 0);
    EXPECT_THAT(error_of([&] { (void)occupancy_of(kernel, SmConfig{}); }),
                testing::HasSubstr("a CTA fits no SM"));
}

TEST(Occupancy, ForcedBeyondTheRegisters) {
    KernelInfo kernel = kernel_of(8, 112, 32);
    kernel.forced_ctas_per_sm = 3;
    const Occupancy o = occupancy_of(kernel, SmConfig{});
    EXPECT_EQ(o.ctas, 3U);
    EXPECT_TRUE(o.registers_overcommitted);
    EXPECT_EQ(o.limiter(), "workload.tiling.ctas_per_sm (registers overcommitted)");
}

TEST(Occupancy, ForcedBelowTheLimits) {
    KernelInfo kernel = kernel_of(8, 112, 32);
    kernel.forced_ctas_per_sm = 1;
    const Occupancy o = occupancy_of(kernel, SmConfig{});
    EXPECT_EQ(o.ctas, 1U);
    EXPECT_FALSE(o.registers_overcommitted);
    EXPECT_EQ(o.limiter(), "workload.tiling.ctas_per_sm");
}

TEST(Occupancy, ForcedBeyondSharedMemoryIsRefused) {
    KernelInfo kernel = kernel_of(8, 112, 32);
    kernel.forced_ctas_per_sm = 4;
    EXPECT_EQ(
        error_of([&] { (void)occupancy_of(kernel, SmConfig{}); }),
        "workload.tiling.ctas_per_sm: got '4', but kernel k fits an SM at most 3 times (shared "
        "memory 3, warp slots 8, CTA slots 32)");
}

TEST(Occupancy, CtaThatFitsNoSmIsRefused) {
    const char* const messages[] = {
        "kernel k: a CTA fits no SM: it needs 2240 warp registers of 2048, 0 of 98304 bytes of "
        "shared "
        "memory and 20 of 64 warps",
        "kernel k: a CTA fits no SM: it needs 8 warp registers of 2048, 99328 of 98304 bytes of "
        "shared "
        "memory and 1 of 64 warps",
        "kernel k: a CTA fits no SM: it needs 520 warp registers of 2048, 0 of 98304 bytes of "
        "shared "
        "memory and 65 of 64 warps"};
    EXPECT_EQ(error_of([] { (void)occupancy_of(kernel_of(20, 112, 0), SmConfig{}); }), messages[0]);
    EXPECT_EQ(error_of([] { (void)occupancy_of(kernel_of(1, 8, 97), SmConfig{}); }), messages[1]);
    EXPECT_EQ(error_of([] { (void)occupancy_of(kernel_of(65, 8, 0), SmConfig{}); }), messages[2]);
}

}  // namespace
}  // namespace tessera

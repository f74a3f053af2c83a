// Does D agree with an independent library, and would the comparison notice if it did not?
#include <gtest/gtest.h>

#include "sc_models/run/make_workload.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/onednn_check.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

using test::FlatMemory;

constexpr std::uint64_t kSeed = 5;

OnednnReport compare(const WorkloadConfig& config) {
    const auto workload = make_workload(config, kSeed, true);
    FlatMemory memory = test::make_memory(*workload);
    for (const auto& kernel : workload->kernels()) test::interpret(*kernel, memory);
    return compare_with_onednn(*workload, memory.reader());
}

void expect_agreement(const WorkloadConfig& config, std::uint64_t outputs) {
    const OnednnReport report = compare(config);
    if (!report.checked()) GTEST_SKIP() << report.skipped;
    EXPECT_TRUE(report.passed()) << "seed " << kSeed << ", " << report.violations << " violations";
    EXPECT_EQ(report.outputs, outputs);
    EXPECT_GT(report.max_error, 0);  // truncation differs from rounding somewhere
    EXPECT_LT(report.max_error_over_bound, 1);
}

WorkloadConfig layer_config(const LayerConfig& layer, ChannelRule rule) {
    WorkloadConfig config;
    config.layer = layer;
    config.channel_rule = rule;
    return config;
}

TEST(Onednn, AgreesOnConvolutions) {
    const LayerConfig layers[] = {{"a", 2, 14, 11, 24, 20, 3, 3, 1, 1, false},
                                  {"b", 1, 23, 17, 3, 16, 7, 7, 3, 2, false},
                                  {"c", 2, 9, 9, 32, 8, 3, 2, 0, 3, false}};
    for (const LayerConfig& layer : layers) {
        for (const ChannelRule rule :
             {ChannelRule::kPad16, ChannelRule::kPad8FilterRow, ChannelRule::kDense}) {
            const auto g = ConvolutionGeometry::make(layer, rule);
            SCOPED_TRACE(layer.name);
            expect_agreement(layer_config(layer, rule), g.m * g.n);
        }
    }
}

TEST(Onednn, AgreesOnTransposedConvolutions) {
    for (std::uint32_t stride = 1; stride <= 3; ++stride) {
        for (std::uint32_t pad = 0; pad <= 2; ++pad) {
            const LayerConfig layer{"t", 2, 5, 4, 40, 6, 5, 5, pad, stride, true};
            const auto g = ConvolutionGeometry::make(layer, ChannelRule::kPad16);
            SCOPED_TRACE(testing::Message() << "stride " << stride << " pad " << pad);
            expect_agreement(layer_config(layer, ChannelRule::kPad16), g.m * g.n);
        }
    }
}

TEST(Onednn, AgreesOnMatrixProducts) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm = {77, 130, 333};
    expect_agreement(config, 77 * 130);
}

TEST(Onednn, LeavesOutWhatALimitedLaunchDoesNotMake) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm = {300, 130, 64};
    config.tiling.cta_limit = 2;
    expect_agreement(config, 128 * 128);
}

// The comparison must be able to fail: one output a little off, one not a number.
TEST(Onednn, WrongOutputsAreCaught) {
    const auto workload = make_workload(
        layer_config({"w", 1, 8, 8, 16, 16, 3, 3, 1, 1, false}, ChannelRule::kPad16), kSeed, true);
    FlatMemory memory = test::make_memory(*workload);
    for (const auto& kernel : workload->kernels()) test::interpret(*kernel, memory);
    if (!compare_with_onednn(*workload, memory.reader()).checked()) GTEST_SKIP();
    const Address d = workload->region("d").base;
    float value = 0;
    memory.read(d + 400, &value, 4);
    value += 0.01F;
    memory.write(d + 400, &value, 4);
    value = float_from_bits(0x7fffffffU);
    memory.write(d + 800, &value, 4);
    const OnednnReport report = compare_with_onednn(*workload, memory.reader());
    EXPECT_EQ(report.violations, 2U);
    EXPECT_FALSE(report.passed());
}

TEST(Onednn, ReportsWhyItSkips) {
    const auto workload = make_workload(WorkloadConfig{}, kSeed, false);
    const OnednnReport report = compare_with_onednn(*workload, [](Address, void*, std::size_t) {});
    EXPECT_FALSE(report.checked());
    EXPECT_EQ(report.skipped.rfind("oneDNN check skipped because ", 0), 0U) << report.skipped;
}

}  // namespace
}  // namespace tessera

// Does the machine compute the layer that its description defines, and do the golden model and the
// oneDNN check read all of that description?
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/workload/fragment/lowered_convolution.h"
#include "sc_models/workload/onednn_check.h"
#include "tests/support/naive_layer.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

using test::FlatMemory;
using test::NaiveOutput;

constexpr std::uint64_t kSeed = 20261122;

/// Values of eighths: sums of their products are exact in any order, so that a naive sum is the
/// tensor cores', bit for bit.
WorkloadConfig lowered(const LayerConfig& layer) {
    WorkloadConfig config;
    config.layer = layer;
    config.activations = config.weights = ValuePattern::kDyadic;
    config.tiling.cta_m = 32;
    config.tiling.cta_n = config.tiling.warp_m = config.tiling.warp_n = 16;
    return config;
}

std::string describe(const LayerConfig& l) {
    return "batch " + std::to_string(l.batch) + " input " + std::to_string(l.height) + "x" +
           std::to_string(l.width) + "x" + std::to_string(l.channels) + " filters " +
           std::to_string(l.filters) + " of " + std::to_string(l.filter_height) + "x" +
           std::to_string(l.filter_width) + " pad " + std::to_string(l.pad) + " stride " +
           std::to_string(l.stride) + (l.transposed ? " transposed" : "") + " groups " +
           std::to_string(l.groups);
}

/// A layer that was run, naively interpreted.
struct LayerRun {
    explicit LayerRun(const WorkloadConfig& config)
        : workload(make_workload(config, kSeed, true)), memory(test::make_memory(*workload)) {
        for (const auto& kernel : workload->kernels()) {
            for (const auto& [opcode, count] : test::interpret(*kernel, memory)) {
                counts[opcode] += count;
            }
        }
    }

    [[nodiscard]] std::vector<float> d() const {
        const MemoryRegion& region = workload->region("d");
        std::vector<float> values(region.bytes / sizeof(float));
        memory.read(region.base, values.data(), region.bytes);
        return values;
    }

    std::unique_ptr<Workload> workload;
    FlatMemory memory;
    test::InstructionCounts counts;
};

std::vector<float> naive(const LayerRun& run) {
    const auto& layer = dynamic_cast<const LoweredConvolution&>(*run.workload);
    const LayerConfig l = run.workload->config().layer;
    const std::uint64_t channels = l.channels / l.groups;
    const NaiveOutput out = test::naive_layer(
        l,
        [&](std::uint64_t n, std::uint64_t y, std::uint64_t x, std::uint64_t c) {
            return half_to_float(
                layer.activations()(((n * l.height + y) * l.width + x) * l.channels + c));
        },
        [&](std::uint64_t f, std::uint64_t y, std::uint64_t x, std::uint64_t c) {
            return half_to_float(
                layer.weights()(((f * l.filter_height + y) * l.filter_width + x) * channels + c));
        });
    return {out.values.begin(), out.values.end()};
}

/// The machine's D is the naive one, and both checks say that it is right.
void expect_right(const LayerRun& run) {
    const std::vector<float> expected = naive(run);
    EXPECT_EQ(run.d(), expected);
    const VerificationReport golden = run.workload->verify(run.memory.reader());
    EXPECT_TRUE(golden.checked);
    EXPECT_TRUE(golden.passed()) << golden.first_mismatch;
    EXPECT_EQ(golden.outputs, expected.size());
    const OnednnReport onednn = compare_with_onednn(*run.workload, run.memory.reader());
    if (!onednn.checked()) return;
    EXPECT_TRUE(onednn.passed()) << onednn.violations << " violations";
    EXPECT_EQ(onednn.outputs, expected.size());
}

/// Puts another layer's D, as far as there is room, into the run's memory: both checks must say no.
void expect_refuted(LayerRun& run, const std::vector<float>& foreign) {
    const MemoryRegion& region = run.workload->region("d");
    std::vector<float> d(region.bytes / sizeof(float));
    std::copy_n(foreign.begin(), std::min(foreign.size(), d.size()), d.begin());
    run.memory.write(region.base, d.data(), region.bytes);
    EXPECT_GT(run.workload->verify(run.memory.reader()).mismatches, 0U);
    const OnednnReport onednn = compare_with_onednn(*run.workload, run.memory.reader());
    if (onednn.checked()) {
        EXPECT_GT(onednn.violations, 0U);
    }
}

TEST(LayerDefinition, EveryFieldIsSeenByTheMachineAndByBothChecks) {
    const LayerConfig layer = test::layer_to_change();
    const LayerRun original(lowered(layer));
    expect_right(original);
    for (const auto& [key, change] : test::layer_changes()) {
        LayerConfig changed = layer;
        change(changed);
        SCOPED_TRACE(std::string(key) + ": " + describe(changed));
        LayerRun run(lowered(changed));
        expect_right(run);
        EXPECT_NE(run.d(), original.d());
        expect_refuted(run, original.d());
    }
}

/// A key that is added to workload.layer needs a change in the list, or a word here why not.
TEST(LayerDefinition, NoFieldIsForgotten) {
    const std::string keys = list_config_keys();
    const std::regex pattern("workload\\.layer\\.([a-z_]+)");
    std::set<std::string> fields(
        {std::sregex_token_iterator(keys.begin(), keys.end(), pattern, 1), {}});
    EXPECT_EQ(fields.erase("name"), 1U);  // of results, not of values
    // Kernels of libraries alone take these: property.LibraryConvolution.
    for (const char* const key :
         {"pad_height", "pad_width", "stride_height", "stride_width", "dilation", "operands"}) {
        EXPECT_EQ(fields.erase(key), 1U) << key;
    }
    std::set<std::string> changed;
    for (const auto& [key, change] : test::layer_changes()) changed.insert(key);
    EXPECT_EQ(fields, changed);
}

LayerConfig random_layer(std::mt19937& random) {
    const auto pick = [&](std::uint32_t lo, std::uint32_t hi) {
        return std::uniform_int_distribution<std::uint32_t>(lo, hi)(random);
    };
    LayerConfig layer;
    layer.batch = pick(1, 3);
    layer.height = pick(4, 9);
    layer.width = pick(4, 9);
    layer.groups = pick(0, 2) == 0 ? pick(1, 2) : pick(2, 16);
    layer.channels = layer.groups * (pick(0, 1) == 0 ? 1 : pick(1, 20));
    layer.filters = layer.groups * (pick(0, 1) == 0 ? 1 : pick(1, 20));
    layer.filter_height = pick(1, 4);
    layer.filter_width = pick(1, 4);
    layer.pad = pick(0, 3);
    layer.stride = pick(1, 3);
    layer.transposed = pick(0, 3) == 0;
    if (layer.transposed) {
        layer.filter_width = layer.filter_height;
        layer.pad = std::min<std::uint32_t>(layer.pad, layer.filter_height - 1);
    }
    return layer;
}

TEST(LayerDefinition, RandomLayersInGroupsAreTheNaiveOnes) {
    std::mt19937 random(kSeed);
    std::uint32_t depthwise = 0;
    for (std::uint32_t i = 0; i < 75; ++i) {
        WorkloadConfig config = lowered(random_layer(random));
        config.channel_rule = static_cast<ChannelRule>(i % 3);
        config.im2col = static_cast<Im2colMode>(random() % 2);
        config.tiling.raster = static_cast<RasterOrder>(random() % 2);
        config.tiling.cta_n = 16 << random() % 3;
        config.tiling.fragment_buffers = 1 + random() % 3;
        const LayerConfig& l = config.layer;
        SCOPED_TRACE("seed " + std::to_string(kSeed) + ", layer " + std::to_string(i) + ": " +
                     describe(l) + " rule " + std::to_string(i % 3));
        depthwise += l.groups > 1 && l.channels == l.groups ? 1 : 0;
        expect_right(LayerRun(config));
        if (HasFailure()) return;
    }
    EXPECT_GT(depthwise, 10U);
}

/// With other values than eighths the tensor cores' rounding shows, which the golden model has.
TEST(LayerDefinition, GroupsRoundAsTheGoldenModelDoes) {
    for (const std::uint32_t groups : {1U, 2U, 8U, 16U}) {
        WorkloadConfig config = lowered({"", 2, 7, 6, 48, 32, 3, 3, 1, 1, false, groups});
        config.activations = config.weights = ValuePattern::kUniform;
        const LayerRun run(config);
        const VerificationReport golden = run.workload->verify(run.memory.reader());
        EXPECT_TRUE(golden.passed()) << golden.first_mismatch;
        EXPECT_GT(golden.scalar_samples, 0U);
        EXPECT_TRUE(compare_with_onednn(*run.workload, run.memory.reader()).passed());
    }
}

/// One wrong output is found, in whatever group, and the message says where.
TEST(LayerDefinition, OneWrongOutputOfAGroupIsCaught) {
    LayerRun run(lowered({"", 1, 5, 5, 6, 12, 3, 3, 1, 1, false, 3}));
    const Address victim = run.workload->region("d").base + (7 * 12 + 10) * sizeof(float);
    const float wrong = 77;
    run.memory.write(victim, &wrong, sizeof wrong);
    const VerificationReport report = run.workload->verify(run.memory.reader());
    EXPECT_EQ(report.mismatches, 1U);
    EXPECT_EQ(report.first_mismatch.rfind("group 2: D[7][2]: expected ", 0), 0U)
        << report.first_mismatch;
}

TEST(LayerDefinition, GroupsDivideTheProducts) {
    const auto products = [](std::uint32_t channels, std::uint32_t filters, std::uint32_t groups) {
        const LayerRun run(lowered({"", 1, 8, 8, channels, filters, 3, 3, 1, 1, false, groups}));
        return run.counts.at(Opcode::kMma);
    };
    // 64 outputs are 4 fragments of rows; 9 taps.
    EXPECT_EQ(products(64, 64, 1), 4U * 4 * (9 * 4));
    EXPECT_EQ(products(64, 64, 2), products(64, 64, 1) / 2);
    EXPECT_EQ(products(64, 64, 4), products(64, 64, 1) / 4);
    // Groups smaller than a fragment: one channel takes 16, one filter too.
    EXPECT_EQ(products(24, 24, 24), 24U * 4 * 1 * 9);
    EXPECT_EQ(products(24, 48, 24), 24U * 4 * 1 * 9);
}

/// A launch of few CTAs makes whole tiles of the first groups, and im2col the rows that they need.
TEST(LayerDefinition, LimitedLaunchesMakeTheFirstGroups) {
    for (const RasterOrder raster : {RasterOrder::kNFastest, RasterOrder::kMFastest}) {
        WorkloadConfig config = lowered({"", 1, 6, 6, 6, 60, 3, 3, 1, 1, false, 3});
        config.tiling.raster = raster;
        config.tiling.cta_limit = 5;  // 2 x 2 tiles a group, of 36 x 20 outputs
        const LayerRun run(config);
        EXPECT_EQ(run.workload->gemm().rows_read(), 36U + 32U);
        const VerificationReport report = run.workload->verify(run.memory.reader());
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, 36U * 20 + 32U * 16);
        const OnednnReport onednn = compare_with_onednn(*run.workload, run.memory.reader());
        if (onednn.checked()) {
            EXPECT_EQ(onednn.outputs, report.outputs);
            EXPECT_TRUE(onednn.passed());
        }
    }
}

std::string refusal(const WorkloadConfig& config) {
    try {
        (void)make_workload(config, kSeed, false);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(LayerDefinition, GroupsThatDoNotDivideAreRefused) {
    const std::string expected =
        "workload.layer.groups: got '3', expected a divisor of workload.layer.channels (";
    WorkloadConfig config = lowered({"", 1, 8, 8, 16, 24, 3, 3, 1, 1, false, 3});
    EXPECT_EQ(refusal(config), expected + "16) and workload.layer.filters (24)");
    config.kind = WorkloadKind::kDirectConvolution;
    EXPECT_EQ(refusal(config), expected + "16) and workload.layer.filters (24)");
    config.kind = WorkloadKind::kConvolution;
    config.layer.channels = 24;
    config.layer.filters = 16;
    EXPECT_EQ(refusal(config), expected + "24) and workload.layer.filters (16)");
}

/// The packet counts 1024 images: a layer that has more in all its groups is computed without one.
TEST(LayerDefinition, MoreImagesThanAPacketCountsHaveNone) {
    const LayerRun most(lowered({"", 2, 3, 3, 512, 512, 3, 3, 1, 1, false, 512}));
    const Address packet = most.workload->gemm().info().convolution_packet;
    ASSERT_NE(packet, 0U);
    ConvolutionPacket::Bytes bytes{};
    most.memory.read(packet, bytes.data(), bytes.size());
    EXPECT_EQ(ConvolutionPacket::decode(bytes).batch, 1024U);
    EXPECT_EQ(ConvolutionPacket::decode(bytes).channels, 16U);
    const LayerRun more(lowered({"", 2, 3, 3, 513, 513, 3, 3, 1, 1, false, 513}));
    EXPECT_EQ(more.workload->gemm().info().convolution_packet, 0U);
    expect_right(more);
}

}  // namespace
}  // namespace tessera

// Do the kernels of DNN libraries run whole on the machine, at both levels of timing?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/depthwise_convolutions.h"
#include "tests/support/in_child.h"
#include "tests/support/library_convolutions.h"
#include "tests/support/run_problems.h"

namespace tessera {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kLayers = 3;  // of a test: slow
#else
constexpr std::uint32_t kLayers = 25;
#endif

class LibraryConvolutions : public testing::TestWithParam<std::tuple<Timing, std::uint32_t>> {};

/// 200 random layers at each level of timing, in eight tests.
TEST_P(LibraryConvolutions, AreBitExactAndWithinOnednnsBound) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(300 + part);
    for (std::uint32_t i = 0; i < kLayers; ++i) {
        Config config = test::small_machine(timing);
        config.values = true;
        config.workload = test::random_library_convolution(random, part * kLayers + i);
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        SCOPED_TRACE(testing::Message() << "layer " << i);
        const std::uint64_t elements = test::elements_of_result(config.workload);
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config, elements); }), "");
    }
}

/// The same on the kernels with asynchronous copies, on the small machine with an A100's rate.
TEST_P(LibraryConvolutions, InStagesAreBitExact) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(500 + part);
    for (std::uint32_t i = 0; i < kLayers; ++i) {
        Config config = test::small_machine(timing);
        config.sm.unified_l1_kib = 192;
        config.sm.shared_memory_kib = 164;
        config.sm.tensor_rates.shapes[static_cast<std::size_t>(MmaShape::kHmma16816)]
            .products_per_cycle = 1024;
        config.values = true;
        config.workload = test::random_multistage_convolution(random, part * kLayers + i);
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        SCOPED_TRACE(testing::Message() << "layer " << i << " " << config.workload.multistage);
        const std::uint64_t elements = test::elements_of_result(config.workload);
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config, elements); }), "");
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, LibraryConvolutions,
    testing::Combine(testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                     testing::Range(0U, 8U)),
    [](const auto& param) {
        return std::string(std::get<0>(param.param) == Timing::kLooselyTimed ? "lt" : "at") + "_" +
               std::to_string(std::get<1>(param.param));
    });

/// Cycles of the kernels for offsets. Those of the product's kernels vary by a few cycles with the
/// time at which they access DRAM.
std::uint64_t cycles_of_offsets(const Config& config) {
    return std::stoull(test::in_child([&] {
        Simulation simulation(config, {});
        std::uint64_t cycles = 0;
        const RunReport report = simulation.run();
        for (const auto& kernel : report.kernels) {
            const bool counts = kernel.result.name.find("offsets") != std::string::npos;
            if (counts) cycles += kernel.result.cycles;
        }
        return std::to_string(cycles);
    }));
}

/// A gradient has two kernels for offsets, whose code is short: the second, and in a repetition the
/// first, too, wait a launch of their own.
TEST(OffsetsKernels, HaveAShortLaunch) {
    Config config = test::small_machine(Timing::kLooselyTimed);
    config.workload.kind = WorkloadKind::kConvolution;
    config.workload.kernel = ProductKernel::k64x64;
    config.workload.split_k = 1;
    config.workload.pass = LayerPass::kBackwardData;
    config.workload.layer.batch = 1;
    config.workload.layer.height = config.workload.layer.width = 8;
    config.gpu.kernel_launch_cycles = 5000;
    const std::uint64_t as_first = cycles_of_offsets(config);
    config.gpu.queued_launch_cycles = 3000;
    const std::uint64_t queued = cycles_of_offsets(config);
    EXPECT_EQ(queued, as_first - 2000);
    config.gpu.short_launch_cycles = 1000;
    EXPECT_EQ(cycles_of_offsets(config), queued - 2000);
    config.workload.pass = LayerPass::kForward;
    const std::uint64_t forward = cycles_of_offsets(config);
    config.gpu.short_launch_cycles = 2000;
    EXPECT_EQ(cycles_of_offsets(config), forward) << "its offsets are the first kernel";
}

/// Names of the kernels of a layer of 32 channels with filters of so many taps a side.
std::string kernels_of(LayerPass pass, std::uint32_t taps, std::uint32_t pad,
                       std::uint32_t stride) {
    Config config = test::small_machine(Timing::kLooselyTimed);
    config.workload.kind = WorkloadKind::kConvolution;
    config.workload.kernel = ProductKernel::k64x64;
    config.workload.split_k = 1;
    config.workload.pass = pass;
    LayerConfig& layer = config.workload.layer;
    layer.batch = 1;
    layer.height = layer.width = 8;
    layer.channels = layer.filters = 32;
    layer.filter_height = layer.filter_width = taps;
    layer.pad = pad;
    layer.stride = stride;
    return test::in_child([&] {
        std::string names;
        for (const auto& kernel : Simulation(config, {}).run().kernels) {
            const std::string& name = kernel.result.name;
            names += name.substr(name.find('.') + 1) + " ";
        }
        return names;
    });
}

/// Where input and filters are the operands as they lie, there is nothing to work out.
TEST(OffsetsKernels, AreNotThereForAForwardPassThatIsAPlainProduct) {
    EXPECT_EQ(kernels_of(LayerPass::kForward, 1, 0, 1), "forward.64x64 ");
    EXPECT_EQ(kernels_of(LayerPass::kForward, 1, 1, 1), "offsets forward.64x64 ");
    EXPECT_EQ(kernels_of(LayerPass::kForward, 1, 0, 2), "offsets forward.64x64 ");
    EXPECT_EQ(kernels_of(LayerPass::kForward, 3, 1, 1), "offsets forward.64x64 ");
    EXPECT_EQ(kernels_of(LayerPass::kBackwardData, 1, 0, 1),
              "offsets b_offsets backward_data.64x64 ");
    EXPECT_EQ(kernels_of(LayerPass::kBackwardWeight, 1, 0, 1),
              "offsets b_offsets backward_weight.64x64 ");
}

class DepthwiseConvolutions : public testing::TestWithParam<Timing> {};

TEST_P(DepthwiseConvolutions, AreBitExactAndWithinOnednnsBound) {
    std::mt19937_64 random(61);
    for (std::uint32_t i = 0; i < 2 * kLayers; ++i) {
        Config config = test::small_machine(GetParam());
        config.values = true;
        config.workload = test::random_depthwise_convolution(random, i);
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        SCOPED_TRACE(testing::Message() << "layer " << i);
        const std::uint64_t elements = test::elements_of_output(config.workload.layer);
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config, elements); }), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Timings, DepthwiseConvolutions,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& param) {
                             return std::string(param.param == Timing::kLooselyTimed ? "lt" : "at");
                         });

/// Duplo as kernels that stage A can have it.
DuploConfig staged_duplo() {
    DuploConfig duplo;
    duplo.enabled = true;
    duplo.octet_copies = 1;
    return duplo;
}

class StagedDuplo : public testing::TestWithParam<Timing> {};

/// Whatever lives how long in a buffer of any size, no register has another value than the load
/// would have brought; and there are hits.
TEST_P(StagedDuplo, ChangesNoValue) {
    std::mt19937_64 random(77);
    std::uint64_t hits = 0;
    for (std::uint32_t i = 0; i < 2 * kLayers; ++i) {
        Config config = test::small_machine(GetParam());
        config.values = true;
        config.workload = test::random_library_convolution(random, i);
        LayerConfig& layer = config.workload.layer;
        layer.groups = 1;
        layer.channels = round_up(layer.channels, 16U);
        layer.filters = round_up(layer.filters, 16U);
        config.workload.split_k = WorkloadConfig::kAutoSplit;
        config.duplo = staged_duplo();
        constexpr Lifetime kLifetimes[] = {Lifetime::kInFlight, Lifetime::kMapped,
                                           Lifetime::kUntilReused, Lifetime::kForever};
        config.duplo.lifetime = kLifetimes[random() % 4];
        config.duplo.spare_units = config.duplo.lifetime == Lifetime::kUntilReused ? 64 : 0;
        config.duplo.hit_frees_slot = random() % 2 == 0;
        config.duplo.lookups_per_cycle = random() % 2 == 0 ? 1 : DuploConfig::kUnlimitedLookups;
        constexpr std::uint32_t kEntries[] = {16, 1024, DuploConfig::kInfiniteEntries};
        config.duplo.lhb_entries = kEntries[random() % 3];
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        SCOPED_TRACE(testing::Message() << "layer " << i);
        EXPECT_EQ(test::in_child([&] {
                      return test::problems_of(config, test::elements_of_result(config.workload));
                  }),
                  "");
        hits += std::stoull(test::in_child([&] {
            Simulation simulation(config, {});
            const RunReport report = simulation.run();
            return std::to_string(report.metrics.value("lhb_services", std::uint64_t{0}));
        }));
    }
    EXPECT_GT(hits, 0U);
}

/// A buffer without limit, whose entries live on, loads each chunk of the tensor once an SM.
TEST_P(StagedDuplo, WithoutLimitLoadsEachChunkOnce) {
    Config config = test::small_machine(GetParam());
    config.gpu.sms = 1;
    config.workload.kind = WorkloadKind::kConvolution;
    config.workload.kernel = ProductKernel::k64x64;
    config.workload.split_k = 1;
    LayerConfig& layer = config.workload.layer;
    layer.batch = 2;
    layer.height = 9;
    layer.width = 7;
    layer.channels = 48;
    layer.filters = 80;
    config.duplo = staged_duplo();
    config.duplo.lifetime = Lifetime::kForever;
    config.duplo.lhb_entries = DuploConfig::kInfiniteEntries;
    const std::string found = test::in_child([&] {
        Simulation simulation(config, {});
        const RunReport report = simulation.run();
        const int loads = report.metrics.value("loads_of_a", 0);
        // Before the unit is awake no request is sent.
        const nlohmann::ordered_json::json_pointer asleep("/sm/ldst/detection/bypass_asleep");
        const int misses = loads - report.metrics.value("lhb_services", 0) -
                           report.kernels.back().statistics.at(asleep).get<int>();
        return std::to_string(misses) + " " + std::to_string(loads);
    });
    // Nine taps of 126 pixels less those that the border cuts off, each of two columns of CTAs.
    const std::uint32_t taps = 2 * (3 * 9 - 2) * (3 * 7 - 2);
    EXPECT_EQ(found, std::to_string(2 * 9 * 7 * 3) + " " + std::to_string(2 * taps * 3));
}

INSTANTIATE_TEST_SUITE_P(Timings, StagedDuplo,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& param) {
                             return std::string(param.param == Timing::kLooselyTimed ? "lt" : "at");
                         });

}  // namespace
}  // namespace tessera

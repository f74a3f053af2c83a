// Do the kernels of BLAS libraries run whole on the machine, at both levels of timing?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/in_child.h"
#include "tests/support/library_products.h"
#include "tests/support/run_problems.h"

namespace tessera {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kProducts = 4;  // of a test: slow
#else
constexpr std::uint32_t kProducts = 25;
#endif

class LibraryProducts : public testing::TestWithParam<std::tuple<Timing, std::uint32_t>> {};

/// 200 random products at each level of timing, in eight tests.
TEST_P(LibraryProducts, AreBitExactAndWithinOnednnsBound) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(100 + part);
    for (std::uint32_t i = 0; i < kProducts; ++i) {
        Config config = test::small_machine(timing);
        config.values = true;
        config.workload = test::random_library_product(random, part * kProducts + i);
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        const GemmShapeConfig& gemm = config.workload.gemm;
        SCOPED_TRACE(testing::Message() << gemm.m << "x" << gemm.n << "x" << gemm.k << " split "
                                        << config.workload.split_k);
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config); }), "");
    }
}

/// Expects the values of a product in stages, or of warpgroups, to be right on a small machine with
/// the rates of an A100 and an H100.
void expect_bit_exact(Timing timing, std::uint32_t number, const WorkloadConfig& workload,
                      std::uint64_t seed) {
    Config config = test::small_machine(timing);
    const bool wgmma =
        workload.kernel == ProductKernel::kWgmma || workload.kind == WorkloadKind::kAttention;
    config.sm.unified_l1_kib = wgmma ? 256 : 192;
    config.sm.shared_memory_kib = wgmma ? 228 : 164;
    config.sm.tensor_rates.shapes[static_cast<std::size_t>(MmaShape::kHgmma16)].products_per_cycle =
        2048;
    if (wgmma) config.sm.bulk_copy_latency_cycles = 24;
    for (const MmaShape shape :
         {MmaShape::kHmma16816, MmaShape::kHmmaSp16832, MmaShape::kImma16832}) {
        config.sm.tensor_rates.shapes[static_cast<std::size_t>(shape)].products_per_cycle =
            shape == MmaShape::kHmma16816 ? 1024 : 2048;
    }
    config.values = true;
    config.workload = workload;
    config.seed = seed;
    test::spread_over_threads(config, number);
    SCOPED_TRACE(testing::Message()
                 << (wgmma ? workload.wgmma : workload.multistage) << " " << workload.gemm.m << "x"
                 << workload.gemm.n << "x" << workload.gemm.k);
    EXPECT_EQ(test::in_child([&] { return test::problems_of(config); }), "");
}

/// The same on the kernels with asynchronous copies.
TEST_P(LibraryProducts, InStagesAreBitExact) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(200 + part);
    for (std::uint32_t i = 0; i < kProducts; ++i) {
        const WorkloadConfig workload =
            test::random_multistage_product(random, part * kProducts + i);
        expect_bit_exact(timing, i, workload, random() % 1000);
    }
}

/// The same on the kernels of warpgroups.
TEST_P(LibraryProducts, OfWarpgroupsAreBitExact) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(400 + part);
    for (std::uint32_t i = 0; i < kProducts; ++i) {
        const WorkloadConfig workload = test::random_wgmma_product(random, part * kProducts + i);
        expect_bit_exact(timing, i, workload, random() % 1000);
    }
}

/// Prompts of FlashAttention-3: both sizes of heads, masks, contexts, shared keys, one tile and
/// many.
TEST_P(LibraryProducts, OfFlashAttention3AreBitExact) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(600 + part);
    const auto pick = [&](std::uint32_t least, std::uint32_t most) {
        return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
    };
    for (std::uint32_t i = 0; i < kProducts / 4; ++i) {
        WorkloadConfig workload;
        workload.kind = WorkloadKind::kAttention;
        AttentionConfig& attention = workload.attention;
        attention.kv_heads = pick(1, 2);
        attention.heads = attention.kv_heads * pick(1, 2);
        attention.batch = pick(1, 2);
        attention.head_size = pick(0, 1) == 0 ? 64 : 128;
        attention.causal = pick(0, 2) > 0;
        attention.tokens = i == 0 ? 384 : pick(1, 420);
        attention.context = i == 0 ? 0 : pick(0, 150);
        SCOPED_TRACE(testing::Message()
                     << attention.tokens << " tokens, context " << attention.context
                     << ", heads of " << attention.head_size);
        expect_bit_exact(timing, i, workload, random() % 1000);
    }
}

/// The same with a 2:4 operand.
TEST_P(LibraryProducts, WithAStructuredOperandAreBitExact) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(300 + part);
    for (std::uint32_t i = 0; i < kProducts / 2; ++i) {
        const WorkloadConfig workload =
            test::random_structured_product(random, part * kProducts + i);
        expect_bit_exact(timing, i, workload, random() % 1000);
    }
}

/// The same with operands of INT8.
TEST_P(LibraryProducts, OfIntegersAreExact) {
    const auto [timing, part] = GetParam();
    std::mt19937_64 random(500 + part);
    for (std::uint32_t i = 0; i < kProducts / 2; ++i) {
        const WorkloadConfig workload = test::random_integer_product(random, part * kProducts + i);
        expect_bit_exact(timing, i, workload, random() % 1000);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, LibraryProducts,
    testing::Combine(testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                     testing::Range(0U, 8U)),
    [](const auto& param) {
        return std::string(std::get<0>(param.param) == Timing::kLooselyTimed ? "lt" : "at") + "_" +
               std::to_string(std::get<1>(param.param));
    });

std::uint64_t cycles_of(Config config, std::uint32_t repeat) {
    config.workload.repeat = repeat;
    return std::stoull(test::in_child([&] {
        Simulation simulation(config, {});
        const RunReport report = simulation.run();
        return std::to_string(repeat > 1 ? report.metrics.at("warm_cycles").get<std::uint64_t>()
                                         : report.kernels.back().result.cycles);
    }));
}

/// The second repetition finds in L2 the lines that the first fetched, and waits no full launch.
TEST(Repetitions, AreWarmAndQueued) {
    Config config = test::small_machine(Timing::kLooselyTimed);
    config.workload.kind = WorkloadKind::kGemm;
    config.workload.kernel = ProductKernel::k64x64;
    config.workload.split_k = 1;
    config.workload.gemm = {128, 128, 256};
    config.gpu.kernel_launch_cycles = 5000;
    const std::uint64_t cold = cycles_of(config, 1);
    const std::uint64_t warm = cycles_of(config, 3);
    EXPECT_LT(warm, cold);
    config.gpu.queued_launch_cycles = 1000;
    EXPECT_EQ(cycles_of(config, 3), warm - 4000);
    EXPECT_EQ(cycles_of(config, 1), cold);
    config.workload.repeat = WorkloadConfig::kAutoRepeat;
    const auto launches = [&] {
        return test::in_child([&] {
            Simulation simulation(config, {});
            const RunReport report = simulation.run();
            return std::to_string(report.host_warp_instructions /
                                  report.metrics.at("warp_instructions").get<std::uint64_t>());
        });
    };
    EXPECT_EQ(launches(), "2") << "the operands fit L2";
    config.l2.slices = config.dram.channels = 1;
    config.l2.ways = config.l2.sets_per_slice = 16;
    ASSERT_EQ(config.l2.capacity_bytes(), 32U << 10U);
    EXPECT_EQ(launches(), "2") << "the four matrices of 64 KiB are eight times L2";
    config.l2.sets_per_slice = 8;
    EXPECT_EQ(launches(), "1") << "they are more than eight times L2";
}

}  // namespace
}  // namespace tessera

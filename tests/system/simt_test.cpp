// Do the FP32 kernels of the CUDA cores run whole on the machine, at both levels of timing?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/in_child.h"
#include "tests/support/run_problems.h"
#include "tests/support/simt_workloads.h"

namespace tessera {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kRuns = 2;  // of a kind: slow
#else
constexpr std::uint32_t kRuns = 8;
#endif

class SimtRuns : public testing::TestWithParam<Timing> {
protected:
    void expect_right(const WorkloadConfig& workload, std::uint32_t number, std::uint64_t seed) {
        Config config = test::small_machine(GetParam());
        config.values = true;
        config.workload = workload;
        config.seed = seed;
        test::spread_over_threads(config, number);
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config); }), "") << number;
    }
};

TEST_P(SimtRuns, ProductsAreBitExact) {
    std::mt19937_64 random(21);
    for (std::uint32_t i = 0; i < kRuns; ++i) {
        expect_right(test::random_simt_product(random), i, random() % 1000);
    }
}

TEST_P(SimtRuns, ConvolutionsAreBitExact) {
    std::mt19937_64 random(22);
    for (std::uint32_t i = 0; i < kRuns; ++i) {
        expect_right(test::random_simt_convolution(random, i % 4 == 3), i, random() % 1000);
    }
}

TEST_P(SimtRuns, WinogradConvolutionsAreBitExact) {
    std::mt19937_64 random(23);
    for (std::uint32_t i = 0; i < kRuns; ++i) {
        expect_right(test::random_winograd_convolution(random), i, random() % 1000);
    }
}

TEST_P(SimtRuns, FftConvolutionsAreBitExact) {
    std::mt19937_64 random(24);
    for (std::uint32_t i = 0; i < kRuns; ++i) {
        expect_right(test::random_fft_convolution(random), i, random() % 1000);
    }
}

INSTANTIATE_TEST_SUITE_P(All, SimtRuns,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& param) {
                             return param.param == Timing::kLooselyTimed ? "lt" : "at";
                         });

/// A large product is bound by the FP32 lanes: 64 of an SM multiply at least 80 % of the time.
TEST(SimtProduct, IsBoundByTheFp32Lanes) {
    Config config = test::small_machine(Timing::kLooselyTimed);
    config.workload = test::simt_product(512, 512, 512);
    const auto cycles = std::stoull(test::in_child([&] {
        Simulation simulation(config, {});
        return std::to_string(simulation.run().kernels.back().result.cycles);
    }));
    const std::uint64_t least = std::uint64_t{512} * 512 * 512 / (4 * 64);
    EXPECT_GE(cycles, least);
    EXPECT_LE(cycles, least * 5 / 4 + config.gpu.kernel_launch_cycles);
}

}  // namespace
}  // namespace tessera

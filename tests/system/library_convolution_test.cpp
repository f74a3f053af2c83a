// Do the kernels of DNN libraries run whole on the machine, at both levels of timing?
#include <gtest/gtest.h>

#include <random>
#include <string>

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
        SCOPED_TRACE(testing::Message() << "layer " << i);
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

}  // namespace
}  // namespace tessera

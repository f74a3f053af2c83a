// Do the kernels of sparse matrices in CSR run whole on the machine, at both levels of timing?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/csr_products.h"
#include "tests/support/in_child.h"
#include "tests/support/run_problems.h"

namespace tessera {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kRuns = 2;  // slow
#else
constexpr std::uint32_t kRuns = 8;
#endif

class CsrRuns : public testing::TestWithParam<Timing> {};

TEST_P(CsrRuns, AreExact) {
    std::mt19937_64 random(31);
    for (std::uint32_t i = 0; i < kRuns; ++i) {
        Config config = test::small_machine(GetParam());
        config.values = true;
        config.workload = test::random_csr_product(random);
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config); }), "") << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, CsrRuns,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& param) {
                             return param.param == Timing::kLooselyTimed ? "lt" : "at";
                         });

}  // namespace
}  // namespace tessera

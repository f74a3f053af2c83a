// Which configurations take the same steps, and do they have the same hash?
#include "sc_models/configure/equal_runs.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera {
namespace {

/// The dense method on operands with zeros, which it multiplies like other numbers.
Config dense_method() {
    Config config;
    config.workload.kind = WorkloadKind::kSparseGemm;
    config.workload.sparse.method = ProductMethod::kDense;
    config.workload.sparse.a.sparsity = 0.5;
    config.workload.sparse.b.sparsity = 0.25;
    config.workload.sparse.skip_unmet_tiles = true;
    return config;
}

TEST(EqualRuns, TheDenseMethodTakesTheSameStepsWhateverTheZeros) {
    Config config = dense_method();
    const SparseConfig acting = acting_config(config, {}).workload.sparse;
    EXPECT_EQ(acting.a.sparsity, 0);
    EXPECT_EQ(acting.b.sparsity, 0);
    EXPECT_FALSE(acting.skip_unmet_tiles);
    const std::string hash = acting_hash(config, {});
    config.workload.sparse = {};
    config.workload.sparse.method = ProductMethod::kDense;
    EXPECT_EQ(acting_hash(config, {}), hash);
}

TEST(EqualRuns, ZerosCountIfValuesMethodOrUserSaySo) {
    Config config = dense_method();
    EXPECT_TRUE(
        acting_config(config, {"workload.sparse.a.sparsity"}).workload.sparse.skip_unmet_tiles)
        << "a run might refuse the user's key";
    config.values = true;
    EXPECT_EQ(acting_config(config, {}).workload.sparse.a.sparsity, 0.5);
    config.values = false;
    config.workload.sparse.method = ProductMethod::kDual;
    EXPECT_EQ(acting_config(config, {}).workload.sparse.a.sparsity, 0.5);
}

}  // namespace
}  // namespace tessera

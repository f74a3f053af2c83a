// Do estimates of a run's length follow what the run has to do, and the remaining time from them?
#include "sc_models/run/run_cost.h"

#include <gtest/gtest.h>

#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/simulation.h"

namespace tessera {
namespace {

/// Cost of the shipped configurations `names` with `sets`.
double cost(const std::vector<std::string>& names, const std::vector<std::string>& sets) {
    const ConfigCatalog catalog(TESSERA_SOURCE_DIR "/configs");
    ConfigSource source;
    for (const std::string& name : names) catalog.add_to(source, name);
    for (const std::string& set : sets) source.add_set(set);
    const Config config = load_config(source);
    return workload_cost(
        *make_workload(config.workload, config.seed, false, {}, target_machine(config)));
}

TEST(RunCost, GrowsWithTheWorkOfEveryKind) {
    struct Kind {
        std::vector<std::string> names;
        std::string key;
    };
    const std::vector<Kind> kinds = {
        {{"gtx480_56sm", "opportunistic", "lenet5.C1.forward"}, "workload.layer.batch"},
        {{"gtx480_56sm", "opportunistic", "lenet5.C2.backward_data"}, "workload.layer.batch"},
        {{"duplo_titan_v", "resnet.C8"}, "workload.layer.batch"},
        {{"dual_side_v100", "cutlass"}, "workload.gemm.n"},
        {{"dual_side_v100", "dual_side_ideal"}, "workload.gemm.n"},
    };
    for (const Kind& kind : kinds) {
        const bool product = kind.key == "workload.gemm.n";
        const auto of = [&](int size) {
            return cost(kind.names, {kind.key + "=" + std::to_string(product ? 512 * size : size)});
        };
        EXPECT_GT(of(2), 0) << kind.names.back();
        EXPECT_NEAR(of(8) / of(2), 4.0, 0.4) << kind.names.back();
    }
}

TEST(RunCost, FewerNonzerosAreLessWork) {
    const auto with = [](const char* sparsity) {
        return cost({"dual_side_v100", "dual_side_ideal"},
                    {std::string("workload.sparse.a.sparsity=") + sparsity,
                     std::string("workload.sparse.b.sparsity=") + sparsity});
    };
    EXPECT_LT(with("0.99"), 0.8 * with("0"));
}

/// Two CTAs, the second of which has fewer rows: both are read.
TEST(RunCost, FollowsTheLastCtas) {
    const auto of_rows = [](int rows) {
        return cost({"titan_v"},
                    {"workload.kind=gemm", "workload.gemm.n=32", "workload.tiling.cta_m=128",
                     "workload.tiling.cta_n=32", "workload.gemm.m=" + std::to_string(rows)});
    };
    EXPECT_LT(of_rows(128), 0.9 * of_rows(144));
    EXPECT_LT(of_rows(144), 0.9 * of_rows(256));
}

TEST(RunTimes, RatesOfTheSameVariantThenKindThenAll) {
    RunTimes times;
    EXPECT_FALSE(times.estimate("a", "x", 10));
    times.finished("a", "x", 100, 10);
    EXPECT_DOUBLE_EQ(times.estimate("a", "x", 10).value(), 1.0);
    EXPECT_DOUBLE_EQ(times.estimate("a", "y", 10).value(), 1.0);
    EXPECT_DOUBLE_EQ(times.estimate("b", "z", 10).value(), 1.0);
    times.finished("a", "y", 100, 50);
    EXPECT_DOUBLE_EQ(times.estimate("a", "x", 10).value(), 1.0);
    EXPECT_DOUBLE_EQ(times.estimate("a", "y", 10).value(), 5.0);
    EXPECT_DOUBLE_EQ(times.estimate("a", "z", 10).value(), 3.0);
    times.finished("b", "x", 100, 3000);
    EXPECT_DOUBLE_EQ(times.estimate("a", "z", 10).value(), 3.0);
    EXPECT_DOUBLE_EQ(times.estimate("c", "x", 30).value(), 306.0);
}

TEST(SecondsLeft, RunsFollowEachOtherInTheirSlots) {
    EXPECT_EQ(seconds_left({}, {}, 4), 0);
    EXPECT_EQ(seconds_left({7}, {}, 4), 7);
    EXPECT_EQ(seconds_left({}, {10, 10, 10, 10, 10}, 2), 30);
    EXPECT_EQ(seconds_left({3, 1}, {5, 2}, 2), 6);  // 5 behind 1, 2 behind 3
    EXPECT_EQ(seconds_left({100}, {1, 1, 1}, 2), 100);
}

}  // namespace
}  // namespace tessera

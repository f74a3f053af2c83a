// Do the figures over time and those of the mechanisms count what they name?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/cosim/rtl_operations.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/run/mechanisms.h"
#include "sc_models/run/sampled_figures.h"
#include "tests/unit/given_statistics.h"

namespace tessera {
namespace {

using testing::IsEmpty;

/// Two SMs of four sub-cores at 2 GHz.
Config small_machine() {
    Config config;
    config.gpu.sms = 2;
    config.sm.sub_cores = 4;
    config.gpu.core_clock_mhz = 2000;
    return config;
}

struct Counters : test::GivenStatistics {
    Counters() {
        set("sm.sub_core.instructions", 70);
        set("sm.sub_core.cycles", 800);
        set("sm.sub_core.hmma_cycles", 30);
        set("sm.sub_core.tensor.busy_cycles", 10);
        set("sm.l1.reads", 9);
        set("sm.l1.read_hits", 4);
        set("sm.l1.read_pending_hits", 2);
        set("sm.l1.read_misses", 3);
        set("memory.l2.reads", 90);
        set("memory.l2.read_hits", 40);
        set("memory.l2.read_pending_hits", 20);
        set("memory.l2.read_misses", 30);
        set("memory.l2.bytes_read", 1000);
        set("memory.l2.bytes_written", 500);
        set("memory.dram.bytes_read", 64);
        set("memory.dram.bytes_written", 32);
    }
};

const SampledFigure& named(const std::vector<SampledFigure>& figures, std::string_view name) {
    for (const SampledFigure& one : figures) {
        if (one.name == name) return one;
    }
    throw std::out_of_range(std::string(name));
}

TEST(SampledFigures, CountWhatTheyName) {
    const Counters s;
    const Config config = small_machine();
    const std::vector<SampledFigure> figures = sampled_figures(config, s.root());
    struct Expected {
        const char* name;
        std::uint64_t count, of;
        double scale, peak;
    };
    const MachinePeaks peaks = machine_peaks(config);
    for (const Expected& expected :
         {Expected{"IPC", 70, 0, 1, 8},  // one a cycle of a sub-core
          Expected{"tensor cores busy", 40, 800, 100, 1}, Expected{"L1 hits", 6, 9, 100, 0},
          Expected{"L1 misses", 3, 0, 1, 0}, Expected{"L2 hits", 60, 90, 100, 0},
          Expected{"L2 misses", 30, 0, 1, 0},
          // A byte a cycle is 2 GB/s; a slice reads and writes.
          Expected{"L2 bandwidth", 1500, 0, 2, 2 * peaks.l2_bytes},
          Expected{"DRAM bandwidth", 96, 0, 2, peaks.dram_bytes}}) {
        const SampledFigure& figure = named(figures, expected.name);
        EXPECT_EQ(figure.count(), expected.count) << expected.name;
        EXPECT_EQ(figure.of ? figure.of() : 0, expected.of) << expected.name;
        EXPECT_EQ(figure.scale, expected.scale) << expected.name;
        EXPECT_EQ(figure.peak, expected.peak) << expected.name;
    }
    EXPECT_EQ(figures.size(), 8U) << "mechanisms without counters have none";
}

TEST(SampledFigures, ReadTheirCountersEachTime) {
    Counters s;
    const std::vector<SampledFigure> figures = sampled_figures(small_machine(), s.root());
    s.set("sm.sub_core.instructions", 71);
    s.set("sm.l1.reads", 11);
    EXPECT_EQ(named(figures, "IPC").count(), 71U);
    EXPECT_EQ(named(figures, "L1 hits").of(), 11U);
}

/// A figure is left out if its machine lacks one of the counters.
TEST(SampledFigures, OfAMachineWithoutAnL2) {
    test::GivenStatistics s;
    s.set("sm.sub_core.instructions", 70);
    s.set("sm.l1.reads", 9);
    s.set("sm.l1.read_hits", 4);
    const std::vector<SampledFigure> figures = sampled_figures(small_machine(), s.root());
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].name, "IPC");
}

std::vector<std::string> texts(const std::vector<MechanismFigure>& figures) {
    std::vector<std::string> all;
    for (const MechanismFigure& one : figures) {
        all.push_back(one.name + (one.acted ? ": " : " did not act: ") + one.figure);
    }
    return all;
}

TEST(MechanismFigures, AddUpOverKernels) {
    Config config = small_machine();
    EXPECT_THAT(mechanism_figures(config, {}), IsEmpty());
    config.tensor_core.kind = TensorCoreKind::kOuterProduct;
    EXPECT_THAT(texts(mechanism_figures(config, {})),
                testing::ElementsAre(testing::HasSubstr(" did not act: ")));
    config.tensor_core.kind = TensorCoreKind::kFedp;
    config.workload.kind = WorkloadKind::kDirectConvolution;
    config.opportunistic.scheme = OpportunisticScheme::kBoth;
    test::GivenStatistics s;
    s.set("sm.opportunistic.operations_normal", 60);
    s.set("sm.opportunistic.operations_predicted", 30);
    s.set("sm.opportunistic.operations_assigned", 10);
    MechanismTotals totals;
    totals.add(config, s.root());
    totals.add(config, s.root());
    EXPECT_THAT(texts(mechanism_figures(config, totals)),
                testing::ElementsAre("opportunistic computing: 200 vector operations, 60 predicted "
                                     "(30.00 %) and 20 assigned to other SMs (10.00 %)"));
}

/// Blocks of RTL come behind the mechanisms. The detection unit calls its blocks; others are
/// clocked.
TEST(MechanismFigures, OfBlocksThatAreRtl) {
    const auto with = [](RtlBlock block, Implementation implementation, std::uint64_t operations) {
        Config config = small_machine();
        config.impl.blocks[static_cast<std::size_t>(block)] = implementation;
        rtl_operations(block) = operations;
        std::vector<std::string> all = texts(mechanism_figures(config, {}));
        rtl_operations(block) = 0;
        return all;
    };
    EXPECT_THAT(with(RtlBlock::kIdGenerator, Implementation::kTlm, 7), IsEmpty());
    EXPECT_THAT(with(RtlBlock::kIdGenerator, Implementation::kRtl, 7),
                testing::ElementsAre("RTL of id_generator: 7 operations in place of the model"));
    EXPECT_THAT(with(RtlBlock::kAssignTable, Implementation::kBoth, 1),
                testing::ElementsAre(
                    "RTL of assign_table: 1 operations compared with the model (results)"));
    EXPECT_THAT(with(RtlBlock::kFeopArray, Implementation::kRtl, 0),
                testing::ElementsAre("RTL of feop_array did not act: nothing for it to do"));
    rtl_compares_cycles(RtlBlock::kFeopArray) = true;
    EXPECT_THAT(with(RtlBlock::kFeopArray, Implementation::kBoth, 9),
                testing::ElementsAre("RTL of feop_array: 9 clock cycles compared with the model "
                                     "(results and cycles)"));
    rtl_compares_cycles(RtlBlock::kFeopArray) = false;
}

}  // namespace
}  // namespace tessera

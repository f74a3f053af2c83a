// Are a kernel's shares of peak, and the unit that bounds it, computed from the right counters?
#include "sc_models/run/kernel_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/unit/given_statistics.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Slots = std::array<std::uint64_t, kStallReasons>;

constexpr Cycle kCycles = 1000;

/// Two SMs at 1 GHz in front of four slices and channels. A sub-core multiplies 128 pairs a cycle.
Config small_machine() {
    Config config;
    config.gpu.sms = 2;
    config.gpu.core_clock_mhz = 1000;
    config.sm.sub_cores = 4;
    config.tensor_core.kind = TensorCoreKind::kOuterProduct;
    config.ldst.sectors_per_cycle = 4;
    config.l1.sector_bytes = config.l2.sector_bytes = 32;
    config.noc.response_bytes_per_cycle = 32;
    config.noc.request_bytes_per_cycle = 8;
    config.noc.slice_bytes_per_cycle = 16;
    config.l2.slices = config.dram.channels = 4;
    config.dram.bytes_per_clock = 8;
    config.dram.clock_mhz = 500;
    return config;
}

/// Counters of `kCycles` in which the LDST units are busy three quarters of the time.
struct Counters : test::GivenStatistics {
    Counters() {
        set("sm.sub_core.mmas", 100);
        set("sm.sub_core.warpgroup_products", 51200);
        set("sm.sub_core.hmma_cycles", 400);
        set("sm.sub_core.tensor.ohmmas", 640);
        set("sm.ldst.busy_cycles", 1500);
        set("sm.ldst.shared_wavefronts", 200);
        set("sm.l1.bytes_read", 64000);
        set("sm.l1.bytes_written", 12800);
    }
};

void add_memory(test::GivenStatistics& s) {
    s.set("memory.crossbar.multicast_bytes", 3200);
    s.set("memory.l2.bytes_read", 19200);
    s.set("memory.l2.bytes_written", 3200);
    s.set("memory.dram.bytes_read", 4000);
    s.set("memory.dram.bytes_written", 2400);
}

/// Unit, percent and peak of each share.
std::vector<std::string> lines(const KernelLimits& limits) {
    std::vector<std::string> all;
    for (const UnitShare& share : limits.shares) {
        std::string percent = std::to_string(share.percent);
        percent.resize(percent.find('.') + 3);
        all.push_back(share.unit + " " + percent + " of " + share.peak);
    }
    return all;
}

TEST(KernelLimits, SharesAreCountsOverPeaks) {
    Counters s;
    add_memory(s);
    const KernelLimits limits = kernel_limits(small_machine(), s.root(), {}, kCycles);
    EXPECT_THAT(
        lines(limits),
        ElementsAre(
            // 100 x 4096 products, 51200 of warpgroups and 400 x 128, of
            // eight sub-cores' 128 a cycle.
            "tensor cores 50.00 of 2.048 TFLOP/s", "LDST units 75.00 of their cycles",
            "shared memory 10.00 of their cycles",
            // Four sectors a cycle of each SM.
            "L1 30.00 of 256 GB/s", "L2 to SMs 30.00 of 64 GB/s", "SMs to L2 20.00 of 16 GB/s",
            // A slice reads a multicast sector once.
            "L2 25.00 of 64 GB/s", "DRAM 40.00 of 16 GB/s"));
    EXPECT_EQ(limits.bound, "LDST units: 75.0 % of their cycles");
}

TEST(KernelLimits, AMachineWithoutMemoryHasNoSharesOfIt) {
    const Counters s;
    EXPECT_EQ(kernel_limits(small_machine(), s.root(), {}, kCycles).shares.size(), 4U);
    const KernelLimits none = kernel_limits(small_machine(), s.root(), {}, 0);
    for (const UnitShare& share : none.shares) EXPECT_EQ(share.percent, 0) << share.unit;
}

/// A slice of a mesh looks up a sector a cycle; the mesh's own rate is no share.
TEST(KernelLimits, OfAMesh) {
    Counters s;
    add_memory(s);
    Config config = small_machine();
    config.noc.kind = NocKind::kMesh;
    const std::vector<std::string> all = lines(kernel_limits(config, s.root(), {}, kCycles));
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[4], "L2 12.50 of 128 GB/s");
}

TEST(KernelLimits, WritesOfTheL2AreASideOfTheirOwn) {
    Counters s;
    add_memory(s);
    s.set("memory.l2.bytes_written", 48000);
    const std::vector<std::string> all =
        lines(kernel_limits(small_machine(), s.root(), {}, kCycles));
    EXPECT_EQ(all.at(6), "L2 75.00 of 64 GB/s");
}

TEST(KernelLimits, SparseProductsCountOhmmas) {
    Config config = small_machine();
    config.workload.kind = WorkloadKind::kSparseGemm;
    const Counters s;
    // 640 x 128 products more.
    EXPECT_EQ(lines(kernel_limits(config, s.root(), {}, kCycles)).at(0),
              "tensor cores 58.00 of 2.048 TFLOP/s");
}

/// 32 lanes start an operation every two cycles; lanes that were predicted did nothing.
TEST(KernelLimits, VectorOperationsHaveLanes) {
    Config config = small_machine();
    config.workload.kind = WorkloadKind::kDirectConvolution;
    config.sm.alu_initiation_cycles = 2;
    Counters s;
    s.set("sm.opportunistic.lanes_normal", 24000);
    s.set("sm.opportunistic.lanes_predicted", 77777);
    s.set("sm.opportunistic.lanes_assigned", 8000);
    EXPECT_EQ(lines(kernel_limits(config, s.root(), {}, kCycles)).at(1),
              "FP32 lanes 25.00 of 256 GFLOP/s");
}

TEST(KernelLimits, LatencyBoundsAKernelWithoutABusyUnit) {
    Counters s;
    s.set("sm.ldst.busy_cycles", 2 * 600);
    Slots slots{};
    slots[static_cast<std::size_t>(StallReason::kIssued)] = 500;
    slots[static_cast<std::size_t>(StallReason::kMemory)] = 300;
    slots[static_cast<std::size_t>(StallReason::kBarrier)] = 200;
    EXPECT_EQ(kernel_limits(small_machine(), s.root(), slots, kCycles).bound,
              "LDST units: 60.0 % of their cycles");
    s.set("sm.ldst.busy_cycles", 2 * 600 - 1);
    EXPECT_EQ(kernel_limits(small_machine(), s.root(), slots, kCycles).bound,
              "latency: no unit is at 60 % of its peak; of the issue slots 30.0 % are "
              "stall_memory, cycles waiting for loaded data");
    EXPECT_THAT(kernel_limits(small_machine(), s.root(), {}, kCycles).bound,
                HasSubstr("of the issue slots 0.0 % are stall_no_warp"));
}

TEST(PeakIn, ReadsRatesOnly) {
    EXPECT_EQ(peak_in("2.048 TFLOP/s"), 2.048e12);
    EXPECT_EQ(peak_in("64 GB/s"), 64e9);
    EXPECT_EQ(peak_in("3 MB/s"), 3e6);
    EXPECT_EQ(peak_in("their cycles"), std::nullopt);
    EXPECT_EQ(peak_in("64"), std::nullopt);
}

}  // namespace
}  // namespace tessera

// How long do products of a warpgroup and bulk copies take, and what ends a wait for them? Counted
// as in sm_timing_test.cpp, on the same machine with both.
#include <gtest/gtest.h>

#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

constexpr Cycle kProducts = 64;  // of m64n128k16
constexpr Cycle kPipeline = 50, kBulk = 30, kBarrier = 2;

Config hopper(const std::function<void(Config&)>& change = {}) {
    return one_sm([&](Config& c) {
        TensorRateConfig& rate =
            c.sm.tensor_rates.shapes[static_cast<std::size_t>(MmaShape::kHgmma16)];
        rate.products_per_cycle = 2048;
        rate.latency_cycles = kPipeline;
        c.sm.bulk_copy_latency_cycles = kBulk;
        if (change) change(c);
    });
}

WarpInstruction product(std::uint16_t columns = 128) {
    WarpInstruction w(Opcode::kWarpgroupMma);
    w.dst = 0;
    w.warpgroup() = {{0, 2048, 128, 128, false, false, true}, columns, MmaShape::kHgmma16};
    return w;
}
WarpInstruction close_group() {
    return WarpInstruction(Opcode::kCommitProducts);
}
WarpInstruction wait_products(std::uint16_t left) {
    WarpInstruction w(Opcode::kWaitProducts);
    w.set_groups_left(left);
    return w;
}
WarpInstruction arrive(std::uint32_t bytes = 0, std::uint16_t barrier = 0) {
    WarpInstruction w(Opcode::kArrive);
    w.arrival() = {barrier, bytes};
    return w;
}
WarpInstruction await(std::uint32_t phase = 0, std::uint16_t barrier = 0) {
    WarpInstruction w(Opcode::kAwaitPhase);
    w.wait() = {barrier, phase};
    return w;
}
WarpInstruction bulk_copy(std::uint16_t rows) {
    WarpInstruction w(Opcode::kBulkCopy);
    w.memory().set_rows(kBase, rows, 128, 128);
    w.shared().set_rows(0, 128);
    w.shared().bypass_l1 = true;
    return w;
}

ScriptKernel with_barriers(std::vector<Script> warps, std::vector<std::uint32_t> arrivals = {1}) {
    ScriptKernel kernel(std::move(warps));
    kernel.edit().arrivals = std::move(arrivals);
    kernel.edit().shared_memory_bytes = 65536;
    return kernel;
}

/// A warp goes on behind a product; a wait ends with the pipeline. Shared memory is slower than the
/// products with eight banks: 16 lines and a quarter of 128 are 1536 bytes, 32 a cycle.
TEST(WarpgroupTiming, AWaitEndsWithItsProducts) {
    const ScriptKernel open = with_barriers({{product(), close_group()}});
    const ScriptKernel all = with_barriers({{product(), close_group(), wait_products(0)}});
    const ScriptKernel first =
        with_barriers({{product(), close_group(), product(), close_group(), wait_products(1)}});
    const ScriptKernel two =
        with_barriers({{product(), product(), close_group(), wait_products(0)}});
    const ScriptKernel narrow =
        with_barriers({{product(16), product(16), close_group(), wait_products(0)}});
    const Config slow = hopper([](Config& c) { c.sm.shared_memory_banks = 4; });
    const Cycle start = kLaunch;
    expect_cycles(
        {{"not awaited", open, hopper(), start + 1 + kExit + 1},
         {"awaited", all, hopper(), start + kProducts + kPipeline + 1 + kExit},
         {"the first of two", first, hopper(), start + kProducts + kPipeline + 1 + kExit},
         {"two in a row", two, hopper(), start + 2 * kProducts + kPipeline + 1 + kExit},
         {"16 columns: eight cycles each, operands of five wavefronts", narrow, hopper(),
          start + 2 * 8 + kPipeline + 1 + kExit},
         {"1536 bytes from four banks", all, slow, start + 1536 / 16 + kPipeline + 1 + kExit}});
}

/// Four warps share the port to shared memory: m64n16k16 reads 20 wavefronts and takes eight
/// cycles.
TEST(WarpgroupTiming, OperandsOfAWarpgroupShareAPort) {
    const Script one = {product(16), close_group(), wait_products(0)};
    const ScriptKernel four = with_barriers({one, one, one, one});
    expect_cycles({{"20 wavefronts", four, hopper(), kLaunch + 20 + kPipeline + 1 + kExit}});
}

/// A wait ends with the data of a copy, which take as long as those of a load past the L1,
/// whichever warp waits.
TEST(WarpgroupTiming, ABulkCopyCompletesOnItsBarrier) {
    WarpInstruction past_l1 = load(8, kBase, 128);
    past_l1.registers().bypass_l1 = true;
    const ScriptKernel loaded(Script{past_l1});
    const ScriptKernel copied = with_barriers({{arrive(128), bulk_copy(1), await()}});
    const ScriptKernel other = with_barriers({{arrive(128), bulk_copy(1)}, {await()}});
    const ScriptKernel unawaited = with_barriers({{arrive(128), bulk_copy(1)}});
    const Config late = hopper([](Config& c) { c.sm.bulk_copy_latency_cycles = kBulk + 100; });
    ScriptMachine with_load(hopper()), with_copy(hopper()), with_two(hopper()), later(late),
        alone(hopper());
    const Cycle data = with_load.run(loaded).cycles - kLaunch - kExit;
    EXPECT_GT(data, kCold);
    const Cycle awaited = kLaunch + 1 + kBulk + data + kBarrier + 1 + kExit;
    EXPECT_EQ(with_copy.run(copied).cycles, awaited);
    EXPECT_EQ(with_two.run(other).cycles, awaited) << "by another warp";
    EXPECT_EQ(later.run(copied).cycles, awaited + 100);
    EXPECT_EQ(alone.run(unawaited).cycles, kLaunch + 2 + kExit) << "not awaited";
}

TEST(WarpgroupTiming, ABulkCopyTakesThePathToSharedMemory) {
    const ScriptKernel more = with_barriers({{arrive(1024), bulk_copy(8), await()}});
    ScriptMachine machine(hopper());
    (void)machine.run(more);
    EXPECT_EQ(machine.sum("sm.bulk_copies.copies"), 1U);
    EXPECT_EQ(machine.sum("sm.bulk_copies.bytes"), 1024U);
    EXPECT_EQ(machine.sum("sm.bulk_copies.accesses"), 2U);
    EXPECT_EQ(machine.sum("sm.ldst.instructions"), 2U);
    EXPECT_EQ(machine.sum("sm.ldst.busy_cycles"), 8U);
    EXPECT_EQ(machine.sum("sm.ldst.shared_store_wavefronts"), 8U);
    EXPECT_EQ(machine.sum("sm.sub_core.loads"), 0U) << "no load of the warp";
}

/// Two CTAs that share a box fetch a half each; the other half takes nothing of a slice's output,
/// at either level of timing.
TEST(WarpgroupTiming, TheHalfOfAPartnerIsMulticast) {
    WarpInstruction shared = bulk_copy(8);
    shared.shared().fetched = BoxRows::kFirstHalf;
    const ScriptKernel kernel = with_barriers({{arrive(1024), shared, await()}});
    ScriptMachine loosely(hopper());
    ScriptMachine approximately(hopper([](Config& c) { c.timing = Timing::kApproximatelyTimed; }));
    for (ScriptMachine* machine : {&loosely, &approximately}) {
        (void)machine->run(kernel);
        EXPECT_EQ(machine->sum("memory.crossbar.read_bytes"), 1024U);
        EXPECT_EQ(machine->sum("memory.crossbar.multicast_bytes"), 512U);
    }
}

/// The wait of a warp ends with the arrival of another, in the phase that it names.
TEST(WarpgroupTiming, AnArrivalEndsThePhase) {
    const ScriptKernel arrival = with_barriers({{alu(50), arrive()}, {await()}});
    const ScriptKernel second = with_barriers({{alu(50), arrive(), alu(50), arrive()}, {await(1)}});
    const ScriptKernel both =
        with_barriers({{alu(50), arrive()}, {alu(80), arrive(), await()}}, {2});
    const Cycle arrived = kLaunch + 100;
    expect_cycles({{"one arrival", arrival, hopper(), arrived + kBarrier + 1 + kExit},
                   {"the second phase", second, hopper(), arrived + 1 + 100 + kBarrier + 1 + kExit},
                   {"two arrivals", both, hopper(), kLaunch + 160 + kBarrier + 1 + kExit}});
}

}  // namespace

// When exactly is a kernel over? Both clocks run at 1 GHz and every number is counted by hand; each
// is shown to depend on the parameter it is made of by a second machine whose parameter is one
// less. A kernel lasts from its launch to the end of the last warp's exit:
//   launch of a CTA          20   the first instruction issues in cycle 20
//   exit                      1   so a kernel without instructions takes 21
//   cold load               341   6 L1, 14 crossbar, 40 L2, 98 controller, 12 tRCD, 12 tCL, 1
//   burst,
//                                 98, 40, 14, 6 back
//   L2 hit                  120   6, 14, 80, 14, 6
//   L1 hit                   28
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/in_child.h"
#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

void add(RecordedParameter<std::uint32_t>& cycles, int more) {
    cycles = cycles + static_cast<std::uint32_t>(more);
}

TEST(SmTiming, LaunchAndExit) {
    const ScriptKernel kernel{Script{}};
    expect_cycles(
        {{"20 + 1", kernel, one_sm(), kLaunch + kExit},
         {"CTA launch 19", kernel, one_sm([](Config& c) { --c.gpu.cta_launch_cycles; }),
          kLaunch - 1 + kExit},
         {"kernel launch 7", kernel, one_sm([](Config& c) { c.gpu.kernel_launch_cycles = 7; }),
          7 + kLaunch + kExit}});
}

TEST(SmTiming, NextCtaIsLaunchedWhenOneEnds) {
    // CTA 0 exits in cycle 20; CTA 1 may issue 20 later, in cycle 40.
    ScriptKernel kernel{Script{}};
    kernel.edit().ctas = 2;
    kernel.edit().forced_ctas_per_sm = 1;
    ScriptKernel together{Script{}};
    together.edit().ctas = 2;  // both fit, on different sub-cores
    expect_cycles({{"one after the other", kernel, one_sm(), 2 * kLaunch + kExit},
                   {"CTA launch 19", kernel, one_sm([](Config& c) { --c.gpu.cta_launch_cycles; }),
                    2 * (kLaunch - 1) + kExit},
                   {"side by side", together, one_sm(), kLaunch + kExit}});
}

TEST(SmTiming, ColdLoadIsMadeOfTheHierarchysLatencies) {
    const ScriptKernel kernel({load(0, kBase)});
    const Cycle n = kLaunch + kCold + kExit;
    expect_cycles(
        {{"341", kernel, one_sm(), n},
         {"L1 miss 11", kernel, one_sm([](Config& c) { --c.l1.miss_latency_cycles; }), n - 1},
         {"crossbar 13, twice", kernel, one_sm([](Config& c) { --c.noc.latency_cycles; }), n - 2},
         {"L2 79", kernel, one_sm([](Config& c) { --c.l2.hit_latency_cycles; }), n - 1},
         {"controller 195", kernel, one_sm([](Config& c) { --c.dram.controller_latency_cycles; }),
          n - 1},
         {"tRCD 11", kernel, one_sm([](Config& c) { --c.dram.t_rcd_cycles; }), n - 1},
         {"tCL 11", kernel, one_sm([](Config& c) { --c.dram.t_cl_cycles; }), n - 1},
         {"burst 2", kernel, one_sm([](Config& c) { c.dram.bytes_per_clock = 16; }), n + 1}});
}

TEST(SmTiming, UnknownPagesComeOneAfterTheOther) {
    // Four loads, the second and the fourth of the pages of the first and the third.
    constexpr Address kPage = 2 << 20;
    const ScriptKernel kernel({load(0, kBase), load(1, kBase + 4096), load(2, kBase + kPage),
                               load(3, kBase + kPage + 4096)});
    std::vector<Case> cases;
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        const auto pages = [timing](std::uint32_t entries, std::uint32_t walk) {
            return one_sm([=](Config& c) {
                c.timing = timing;
                c.tlb.entries = entries;
                c.tlb.miss_latency_cycles = walk;
            });
        };
        const Cycle n = kLaunch + 3 + kCold + kExit;
        cases.push_back({"none", kernel, pages(0, 1000), n});
        // The first load issues in 20; the last leaves a cycle after the one that brought its page.
        cases.push_back({"1000 each", kernel, pages(16, 1000), n - 2 + 2 * 1000});
        cases.push_back({"999 each", kernel, pages(16, 999), n - 2 + 2 * 999});
    }
    expect_cycles(cases);
}

TEST(SmTiming, SecondLoadHitsL1) {
    // The second load writes the first's register, so it issues when the first has arrived.
    const ScriptKernel kernel({load(0, kBase), load(0, kBase)});
    const Cycle n = kLaunch + kCold + kL1Hit + kExit;
    expect_cycles({{"28", kernel, one_sm(), n},
                   {"27", kernel, one_sm([](Config& c) { --c.l1.hit_latency_cycles; }), n - 1}});
}

TEST(SmTiming, NextKernelFindsItsDataInL2Only) {
    const ScriptKernel kernel({load(0, kBase)});
    ScriptMachine machine(one_sm());
    ScriptMachine faster(one_sm([](Config& c) { --c.l2.hit_latency_cycles; }));
    EXPECT_EQ(machine.run(kernel).cycles, kLaunch + kCold + kExit);
    EXPECT_EQ(machine.run(kernel).cycles, kLaunch + kL2Hit + kExit);
    EXPECT_EQ(machine.sum("memory.l2.read_hits"), 1U);
    EXPECT_THAT(machine.violations(), testing::IsEmpty());
    (void)faster.run(kernel);
    EXPECT_EQ(faster.run(kernel).cycles, kLaunch + kL2Hit - 1 + kExit);
}

TEST(SmTiming, StoreEndsWhenTheSliceHasIt) {
    // Issued in 20, through L1 in 26, at the slice in 40. The exit in 21 does not wait.
    const ScriptKernel kernel({store(0, kBase)});
    const Cycle n = kLaunch + 6 + 14;
    expect_cycles(
        {{"20 on the way", kernel, one_sm(), n},
         {"crossbar 13", kernel, one_sm([](Config& c) { --c.noc.latency_cycles; }), n - 1}});
}

TEST(SmTiming, OneMma) {
    const ScriptKernel kernel({mma(16, 0, 8)});
    const Cycle n = kLaunch + kMma + kExit;
    expect_cycles(
        {{"32", kernel, one_sm(), n},
         {"4 sets of 9", kernel, one_sm([](Config& c) { add(hmma(c).latency_cycles, 1); }), n + 4},
         {"4 sets of 7, but 16 steps of 2", kernel,
          one_sm([](Config& c) { add(hmma(c).latency_cycles, -1); }), n},
         {"4 sets of 7", kernel, one_sm([](Config& c) {
              hmma(c) = {7, 1};
          }),
          n - 4}});
}

TEST(SmTiming, DependentMmasWaitForEachOther) {
    const ScriptKernel kernel({mma(16, 0, 8), mma(16, 0, 8), mma(16, 0, 8), mma(16, 0, 8)});
    const auto latency = [](std::uint32_t cycles) {
        return one_sm([cycles](Config& c) { hmma(c).latency_cycles = cycles; });
    };
    expect_cycles({{"4 x 40", kernel, latency(10), kLaunch + 4U * 40 + kExit},
                   {"4 x 36", kernel, latency(9), kLaunch + 4U * 36 + kExit},
                   // No less than the steps take.
                   {"4 x 32", kernel, latency(5), kLaunch + 4U * 32 + kExit}});
}

TEST(SmTiming, IndependentMmasFollowAtTheInitiationInterval) {
    const ScriptKernel kernel({mma(16, 0, 8), mma(24, 0, 8), mma(32, 0, 8), mma(40, 0, 8)});
    const auto machine = [](std::uint32_t initiation) {
        return one_sm([initiation](Config& c) { hmma(c) = {9, initiation}; });
    };
    expect_cycles({{"3 x 32 + 36", kernel, machine(2), kLaunch + 3U * 32 + 36 + kExit},
                   {"3 x 16 + 36", kernel, machine(1), kLaunch + 3U * 16 + 36 + kExit}});
}

TEST(SmTiming, EverySubCoreHasItsTensorCores) {
    const std::vector<Script> four(4, Script{mma(16, 0, 8)});
    const ScriptKernel apart(four);
    const ScriptKernel together = ScriptKernel(four).on_one_sub_core();
    // On one sub-core a warp's exit is ready when the tensor cores are, and greedy lets it go
    // first.
    expect_cycles({{"in parallel", apart, one_sm(), kLaunch + kMma + kExit},
                   {"in turn", together, one_sm(), kLaunch + 4 * kMma + 3 + kExit}});
}

TEST(SmTiming, AluChain) {
    const Script four(4, alu(1, 0, 0));
    const ScriptKernel chain(four);
    const ScriptKernel burst({alu(3, 0), alu(1, 0, 0)});
    const ScriptKernel independent({alu(5)});
    const auto slower = one_sm([](Config& c) { c.sm.alu_latency_cycles = 3; });
    const auto wider = one_sm([](Config& c) { c.sm.alu_initiation_cycles = 1; });
    expect_cycles({{"4 x 4", chain, one_sm(), kLaunch + 16 + kExit},
                   {"4 x 3", chain, slower, kLaunch + 12 + kExit},
                   // The last of three issues 2 x 2 later; its reader 4 after that.
                   {"2 x 2 + 4 + 4", burst, one_sm(), kLaunch + 12 + kExit},
                   {"2 x 1 + 4 + 4", burst, wider, kLaunch + 10 + kExit},
                   // No warp waits for a result, only for the lanes.
                   {"5 x 2", independent, one_sm(), kLaunch + 10 + kExit},
                   {"5 x 1", independent, wider, kLaunch + 5 + kExit}});
}

/// `count` instructions on twice as many rows of floats, a warp register each.
WarpInstruction floats(FloatOperation what, std::uint16_t count, std::uint8_t dst,
                       std::uint8_t src) {
    WarpInstruction w(Opcode::kFloats);
    w.count = count;
    w.floats() = {static_cast<std::uint16_t>(2 * count), 0, kFragmentRowBytes, what};
    w.dst = dst;
    w.src_a = src;
    return w;
}

TEST(SmTiming, RowsOfFloats) {
    constexpr auto kAdd = FloatOperation::kAdd;
    constexpr auto kRound = FloatOperation::kRound;
    const ScriptKernel chain(Script(4, floats(kAdd, 1, 0, 8)));
    const ScriptKernel independent({floats(kAdd, 5, 0, 8)});
    // All four registers of floats are there 2 x 4 - 2 + 4 after the first issues; two of halves.
    const ScriptKernel rounded({floats(kAdd, 4, 0, 8), floats(kRound, 4, 16, 0), alu(1, 0, 17)});
    const auto slower = one_sm([](Config& c) {
        c.sm.operations[static_cast<std::size_t>(Operation::kFp32)] = {6, 4};
    });
    expect_cycles({{"4 x 4", chain, one_sm(), kLaunch + 16 + kExit},
                   {"4 x 6", chain, slower, kLaunch + 24 + kExit},
                   {"5 x 2", independent, one_sm(), kLaunch + 12 + kExit},
                   {"5 x 4", independent, slower, kLaunch + 22 + kExit},
                   {"10 + 10 + 4", rounded, one_sm(), kLaunch + 24 + kExit},
                   {"18 + 18 + 4", rounded, slower, kLaunch + 40 + kExit}});
}

TEST(SmTiming, MmaWaitsForItsFragment) {
    // 16 rows, four a cycle from the LDST unit, but one a cycle through the SM's request port: the
    // last one leaves 15 cycles after the first. Then the product.
    const ScriptKernel kernel({load_fragment(FragmentRole::kA, 0, kBase), mma(16, 0, 8)});
    const Cycle n = kLaunch + kCold + 15 + kMma + kExit;
    expect_cycles({{"341 + 15 + 32", kernel, one_sm(), n},
                   // Two a cycle, but rows 0..7 are in one slice, which takes one a cycle;
                   // rows 8..15 begin 4 earlier.
                   {"request port of 2 sectors", kernel,
                    one_sm([](Config& c) { c.noc.request_bytes_per_cycle = 64; }), n - 4},
                   {"tCL 11", kernel, one_sm([](Config& c) { --c.dram.t_cl_cycles; }), n - 1},
                   {"MMA 28", kernel, one_sm([](Config& c) {
                        hmma(c) = {7, 1};
                    }),
                    n - 4}});
}

/// One channel of one bank behind one slice.
Config one_bank(const std::function<void(Config&)>& change = {}) {
    Config config = one_sm(change);
    config.l2.slices = config.dram.channels = config.dram.banks = 1;
    return config;
}

TEST(SmTiming, DramRowHitAndConflict) {
    const ScriptKernel hit({load(0, kBase), load(0, kBase + 32)});
    const ScriptKernel conflict({load(0, kBase), load(0, kBase + 2048)});
    const Cycle first = kLaunch + kCold;
    expect_cycles(
        {{"no tRCD", hit, one_bank(), first + kCold - 12 + kExit},
         {"tRP more", conflict, one_bank(), first + kCold + 12 + kExit},
         {"tRP 11", conflict, one_bank([](Config& c) { --c.dram.t_rp_cycles; }),
          first + kCold + 11 + kExit},
         {"rows of 4096: a hit", conflict, one_bank([](Config& c) { c.dram.row_bytes = 4096; }),
          first + kCold - 12 + kExit}});
}

TEST(SmTiming, RowStaysOpenForItsMinimumTime) {
    // At the bank in 178 and 179. The first opens its row in 178; it may close 28 later, in 206.
    // The second: 206 + 12 tRP + 12 tRCD + 12 tCL + 1, and 158 back.
    const ScriptKernel kernel({load(0, kBase), load(8, kBase + 2048)});
    const Cycle n = 206 + 12 + 12 + 12 + 1 + 158 + kExit;
    expect_cycles({{"tRAS 28", kernel, one_bank(), n},
                   {"tRAS 27", kernel, one_bank([](Config& c) { --c.dram.t_ras_cycles; }), n - 1}});
}

TEST(SmTiming, ColumnCommandsKeepTheirDistance) {
    // 16 rows of one DRAM row: one a cycle by the request port, or one every other. (Turns on the
    // data bus begin at multiples of tCCD, as the first burst here does.)
    const ScriptKernel kernel({load_fragment(FragmentRole::kB, 0, kBase)});
    const auto ccd = [](std::uint32_t cycles) {
        return one_bank([cycles](Config& c) { c.dram.t_ccd_cycles = cycles; });
    };
    expect_cycles({{"2", kernel, ccd(2), kLaunch + kCold + 16U * 2 - 1 + kExit},
                   {"1", kernel, ccd(1), kLaunch + kCold + 15 + kExit}});
}

TEST(SmTiming, SharedMemoryBankConflicts) {
    const ScriptKernel row({access(Opcode::kLoadShared, 0, 0, 1, 128, 128)});
    const ScriptKernel column({load_shared(0, 32, 128)});
    const ScriptKernel skewed({load_shared(0, 32, 132)});
    const ScriptKernel pair({load_shared(0, 2, 128)});
    const auto banks = [](std::uint32_t n) {
        return one_sm([n](Config& c) { c.sm.shared_memory_banks = n; });
    };
    const Cycle n = kLaunch + kShared + kExit;
    expect_cycles(
        {{"32 words, 32 banks", row, one_sm(), n},
         {"latency 26", row, one_sm([](Config& c) { --c.sm.shared_memory_latency_cycles; }), n - 1},
         {"32 words of one bank", column, one_sm(), n + 31},
         {"one column more", skewed, one_sm(), n},
         {"two words of one bank", pair, one_sm(), n + 1},
         {"16 banks", row, banks(16), n + 1},
         {"33 banks", column, banks(33), n}});
}

TEST(SmTiming, BarrierWaitsForTheLastWarp) {
    // Warp 1 spends 5 x 2 cycles first and arrives in 30; both go on in 32.
    const ScriptKernel kernel(std::vector<Script>{{barrier()}, {alu(5), barrier()}});
    const Cycle n = kLaunch + 10 + 2 + kExit;
    expect_cycles(
        {{"10 + 2", kernel, one_sm(), n},
         {"latency 1", kernel, one_sm([](Config& c) { --c.sm.barrier_latency_cycles; }), n - 1},
         {"5 x 1", kernel, one_sm([](Config& c) { add(c.sm.alu_initiation_cycles, -1); }), n - 5}});
}

TEST(SmTiming, WarpThatExitsLetsTheOthersPass) {
    // Warp 1 exits in 30 and warp 0, alone now, goes on in 32.
    const ScriptKernel kernel(std::vector<Script>{{barrier()}, {alu(5)}});
    expect_cycles({{"10 + 2", kernel, one_sm(), kLaunch + 10 + 2 + kExit}});
}

TEST(SmTiming, NamedBarriersAreKeptApart) {
    // Barrier 1 in 30, free in 32; warp 0 waits at barrier 2 from 32 on, warp 1 comes in 32 + 6
    // = 38.
    const ScriptKernel kernel(
        std::vector<Script>{{barrier(1), barrier(2)}, {alu(5), barrier(1), alu(3), barrier(2)}});
    const ScriptKernel one_name(
        {{barrier(1), barrier(1)}, {alu(5), barrier(1), alu(3), barrier(1)}});
    const Cycle n = kLaunch + 10 + 2 + 6 + 2 + kExit;
    expect_cycles(
        {{"two barriers", kernel, one_sm(), n},
         {"latency 1", kernel, one_sm([](Config& c) { --c.sm.barrier_latency_cycles; }), n - 2},
         {"one used twice", one_name, one_sm(), n}});
}

TEST(SmTiming, GreedyThenOldestAgainstRoundRobin) {
    // Two warps of three ALU instructions and a product each, all ready at once; ALU in every
    // cycle. Greedy: warp 0 has its product under way in 23, warp 1's follows in 55 and is there
    // in 87. Round-robin: ALUs in turn in 20..25, so the products start in 26 and 58.
    const Script script = {alu(), alu(), alu(), mma(16, 0, 8)};
    const ScriptKernel kernel = ScriptKernel(std::vector<Script>{script, script}).on_one_sub_core();
    const auto policy = [](SchedulerPolicy p) {
        return one_sm([p](Config& c) {
            c.sm.alu_initiation_cycles = 1;
            c.sm.scheduler = p;
        });
    };
    expect_cycles(
        {{"gto", kernel, policy(SchedulerPolicy::kGreedyThenOldest), 23 + 2 * kMma + kExit},
         {"lrr", kernel, policy(SchedulerPolicy::kLooseRoundRobin), 26 + 2 * kMma + kExit}});
}

TEST(SmTiming, LoadWaitsForTheReaderOfItsRegister) {
    // The product reads its operands for 32 cycles, so the load into A's buffer issues in 52.
    const ScriptKernel buffer_a({mma(16, 0, 8), load_shared(0, 1, 4)});
    const ScriptKernel buffer_b({mma(16, 0, 8), load_shared(8, 1, 4)});
    const ScriptKernel other({mma(16, 0, 8), load_shared(24, 1, 4)});
    const Cycle n = kLaunch + kMma + kShared + kExit;
    const Config faster = one_sm([](Config& c) { hmma(c).initiation_cycles = 1; });
    expect_cycles({{"A", buffer_a, one_sm(), n},
                   {"A, read for 16", buffer_a, faster, n - 16},
                   {"B", buffer_b, one_sm(), n},
                   {"another buffer", other, one_sm(), kLaunch + kMma + kExit}});
}

TEST(SmTiming, IssueSlotsSayWhyNothingIssued) {
    // Load, product on it, exit: issued 3, launch 20, memory 340 (21..360), tensor result 31
    // (362..392).
    const ScriptKernel kernel({load(0, kBase), mma(16, 0, 8)});
    ScriptMachine machine(one_sm([](Config& c) { c.sm.sub_cores = 1; }));
    const Cycle cycles = machine.run(kernel).cycles;
    const auto slots = [&](const char* kind) {
        return machine.sum(std::string("sm.sub_core.") + kind);
    };
    EXPECT_EQ(slots("stall_launch"), kLaunch);
    EXPECT_EQ(slots("stall_memory"), kCold - 1);
    EXPECT_EQ(slots("stall_tensor_result"), kMma - 1);
    EXPECT_EQ(slots("issued"), 3U);
    EXPECT_EQ(slots("cycles"), cycles);
}

TEST(SmTiming, ATieOfOperandAndUnitIsTheOperands) {
    // The second operation reads what the first writes, in the same lanes: both are there for it in
    // the same cycle, or the lanes a cycle later. It could not issue without its operand, so that
    // is the reason; the lanes are when they alone are awaited.
    const auto slots = [](std::uint32_t initiation) {
        WarpInstruction w(Opcode::kOperation);
        w.set_operation(Operation::kFp32);
        w.dst = w.src_a = 2;
        const ScriptKernel kernel({w, w});
        ScriptMachine machine(one_sm([initiation](Config& c) {
            c.sm.sub_cores = 1;
            c.sm.operations[static_cast<std::size_t>(Operation::kFp32)] = {6, initiation};
        }));
        machine.run(kernel);
        return std::pair(machine.sum("sm.sub_core.stall_alu_result"),
                         machine.sum("sm.sub_core.stall_alu_busy"));
    };
    // 5 before the second, and 5 before the exit, which waits for the second's result.
    EXPECT_EQ(in_child([&] { return testing::PrintToString(slots(6)); }), "(10, 0)");
    EXPECT_EQ(in_child([&] { return testing::PrintToString(slots(7)); }), "(5, 6)");
}

}  // namespace

// When does the LDST unit send the sectors of a request, and what holds it? Machine and cycles are
// those of sm_timing_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/in_child.h"
#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

TEST(LdstTiming, RowsOfOneBankGoOneACycle) {
    // Twice the same fragment; the second finds its rows in L1. Rows 32 bytes apart lie in four
    // banks (4 cycles), rows 128 bytes apart in one (16).
    const auto twice = [](std::uint32_t pitch) {
        return ScriptKernel({load_fragment(FragmentRole::kB, 0, kBase, pitch),
                             load_fragment(FragmentRole::kB, 0, kBase, pitch)});
    };
    const ScriptKernel spread = twice(32);
    const ScriptKernel conflict = twice(128);
    const Cycle first = kLaunch + kCold + 15;
    const auto banks = [](std::uint32_t n) { return one_sm([n](Config& c) { c.l1.banks = n; }); };
    expect_cycles(
        {{"four banks", spread, one_sm(), first + 3 + kL1Hit + kExit},
         {"one bank", conflict, one_sm(), first + 15 + kL1Hit + kExit},
         {"two banks there are", spread, banks(2), first + 7 + kL1Hit + kExit},
         {"eight banks, four ports", spread, banks(8), first + 3 + kL1Hit + kExit},
         // 16 rows in groups of 3: 6 cycles.
         {"three sectors a cycle", spread, one_sm([](Config& c) { c.ldst.sectors_per_cycle = 3; }),
          first + 5 + kL1Hit + kExit},
         {"both octets on their own", spread,
          one_sm([](Config& c) { c.ldst.octet_l1_accesses = 2; }), first + 7 + kL1Hit + kExit},
         {"hashed: one bank no more", conflict,
          one_sm([](Config& c) { c.l1.bank_hash = BankHash::kXor; }), first + 3 + kL1Hit + kExit},
         {"interleaved by lines", conflict,
          one_sm([](Config& c) { c.l1.bank_interleave_bytes = 128; }),
          first + 3 + kL1Hit + kExit}});
}

TEST(LdstTiming, EverySectorOfARequestTakesASlot) {
    // With a slot a cycle a request goes with the last of its sectors, wherever it begins: one
    // cycle later for each further sector. Hits, so that nothing else takes longer.
    const auto config = [](Timing timing) {
        return one_sm([timing](Config& c) {
            c.timing = timing;
            c.ldst.sectors_per_cycle = 1;
            c.l1.banks = 8;
        });
    };
    const auto warmed = [](Address offset, std::uint16_t bytes) {
        return ScriptKernel({load(0, kBase, 32), load(4, kBase + 32, 32), load(8, kBase + 64, 32),
                             load(8, kBase + offset, bytes)});
    };
    const ScriptKernel first = warmed(0, 32), second = warmed(32, 32), third = warmed(64, 32),
                       part = warmed(36, 8), cut = warmed(16, 32), two = warmed(32, 64);
    const Cycle n = kLaunch + kCold + 2 + kL1Hit + kExit;
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        const Config c = config(timing);
        EXPECT_EQ(
            in_child([&] {
                ScriptMachine machines[] = {ScriptMachine(c), ScriptMachine(c), ScriptMachine(c),
                                            ScriptMachine(c), ScriptMachine(c), ScriptMachine(c)};
                const ScriptKernel* const kernels[] = {&first, &second, &third, &part, &cut, &two};
                std::string later;
                for (std::size_t i = 0; i < 6; ++i) {
                    later += std::to_string(machines[i].run(*kernels[i]).cycles - n) + " ";
                }
                return later;
            }),
            "0 0 0 0 1 1 ");
    }
}

TEST(LdstTiming, BytesOfRequestsAreCountedOnceEach) {
    const ScriptKernel kernel({load(0, kBase, 96), load_fragment(FragmentRole::kB, 8, kBase),
                               store(0, kBase + 4096, 40)});
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        EXPECT_EQ(in_child([&] {
                      ScriptMachine machine(one_sm([timing](Config& c) { c.timing = timing; }));
                      machine.run(kernel);
                      return std::to_string(machine.sum("sm.ldst.requests")) + " of " +
                             std::to_string(machine.sum("sm.ldst.request_bytes"));
                  }),
                  "18 of 648");
    }
}

TEST(LdstTiming, FullMissRegistersHoldTheUnit) {
    // The second load issues in 21; with one register it enters when the first has arrived, in 361.
    const ScriptKernel kernel({load(0, kBase), load(8, kBase + 4096)});
    const Cycle first = kLaunch + kCold;
    const Config one = one_sm([](Config& c) { c.l1.mshr_entries = 1; });
    const Config two = one_sm([](Config& c) { c.l1.mshr_entries = 2; });
    expect_cycles(
        {{"one", kernel, one, first + kCold + kExit}, {"two", kernel, two, first + 1 + kExit}});
}

TEST(LdstTiming, StallOnMissRegistersIsCounted) {
    // The second waits in the L1's queue, and holds up the third.
    const ScriptKernel kernel({load(0, kBase), load(8, kBase + 4096), load(16, kBase + 8192)});
    ScriptMachine machine(
        one_sm([](Config& c) { c.l1.mshr_entries = c.l1.request_queue_entries = 1; }));
    (void)machine.run(kernel);
    EXPECT_EQ(machine.sum("sm.ldst.mshr_stall_cycles"), kCold - 2);
}

TEST(LdstTiming, BusyLdstUnitHoldsIssue) {
    // Loads that occupy the unit for 32 cycles each issue in 20 and 52, then a product of 200 that
    // depends on neither in 53.
    const ScriptKernel kernel({load_shared(0, 32, 128), load_shared(8, 32, 128), mma(40, 48, 56)});
    const auto banks = [](std::uint32_t n) {
        return one_sm([n](Config& c) {
            c.sm.shared_memory_banks = n;
            hmma(c).latency_cycles = 50;
        });
    };
    expect_cycles({{"32 cycles a load", kernel, banks(32), 53 + 200 + kExit},
                   {"1 cycle a load", kernel, banks(33), 22 + 200 + kExit}});
}

TEST(LdstTiming, GreedyThenOldestAgainstRoundRobinAtTheLdstUnit) {
    // Warp 0 has three loads of 32 cycles in the unit, warp 1 on another sub-core one from cycle 22
    // on and a product of 200 on it. Greedy: warp 0 in 20, 52, 84, warp 1 in 116; in turn: warp 1
    // in 52.
    const ScriptKernel kernel(std::vector<Script>{
        {load_shared(0, 32, 128), load_shared(8, 32, 128), load_shared(16, 32, 128)},
        {alu(), load_shared(0, 32, 128), mma(16, 0, 8)}});
    const auto arbitration = [](LdstArbitration a) {
        return one_sm([a](Config& c) {
            c.ldst.arbitration = a;
            hmma(c).latency_cycles = 50;
        });
    };
    const Cycle product = 31 + kShared + 200;
    expect_cycles(
        {{"gto", kernel, arbitration(LdstArbitration::kGreedyThenOldest), 116 + product + kExit},
         {"round_robin", kernel, arbitration(LdstArbitration::kRoundRobin), 52 + product + kExit}});
}

}  // namespace

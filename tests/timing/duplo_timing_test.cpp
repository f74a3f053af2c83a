// When is the data of a load there that Duplo's detection unit answers? Machine and cycles are
// those of sm_timing_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/in_child.h"
#include "tests/support/timing_cases.h"
#include "tests/timing/duplo_script.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

TEST(DuploTiming, HitIsThereAfterTheDetectionLatency) {
    // The packet is loaded in cycle 0, there in 341 and understood 160 later; 250 ALU instructions
    // last to 520. The first load misses: 16 rows, the last back in 520 + 341 + 15 = 876. One more
    // ALU instruction waits for it, so the second load of the same rows issues in 878. Its rows
    // take their slots in 878..881; the copies of the second octet are looked up behind them, in
    // 882.
    const Script script = {alu(250), load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch),
                           alu(1, kNoRegister, 0),
                           load_fragment(FragmentRole::kA, 8, kWorkspace, kRowPitch)};
    const ScriptKernel kernel = duplo_kernel(script);
    const Cycle second = kLaunch + 500 + kCold + 15 + 2;
    expect_cycles(
        {{"2", kernel, with_duplo(), second + 4 + 2 + kExit},
         {"1", kernel, with_duplo([](Config& c) { --c.duplo.latency_cycles; }),
          second + 4 + 1 + kExit},
         {"one octet copy", kernel, with_duplo([](Config& c) { c.duplo.octet_copies = 1; }),
          second + 3 + 2 + kExit},
         {"hits leave their slots", kernel,
          with_duplo([](Config& c) { c.duplo.hit_frees_slot = true; }), second + 2 + kExit},
         {"detection off: an L1 hit", kernel,
          with_duplo([](Config& c) { c.duplo.enabled = false; }), second + 3 + kL1Hit + kExit}},
        put_packet);
}

TEST(DuploTiming, HitOnDataUnderWayWaitsForIt) {
    // The second load follows in 521; its data comes with the first one's, in 876.
    const ScriptKernel kernel =
        duplo_kernel({alu(250), load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch),
                      load_fragment(FragmentRole::kA, 8, kWorkspace, kRowPitch)});
    // A hundred ALU instructions that read the second's registers begin then, and no earlier.
    const ScriptKernel used = duplo_kernel(
        {alu(250), load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch),
         load_fragment(FragmentRole::kA, 8, kWorkspace, kRowPitch), alu(100, kNoRegister, 8)});
    const Cycle there = kLaunch + 500 + kCold + 15;
    const auto at = [](Config& c) { c.timing = Timing::kApproximatelyTimed; };
    expect_cycles({{"in flight", kernel, with_duplo(), there + kExit},
                   {"used", used, with_duplo(), there + 200 + kExit},
                   {"used, at", used, with_duplo(at), there + 200 + kExit}},
                  put_packet);
}

TEST(DuploTiming, UnitIsAsleepUntilThePacketIsUnderstood) {
    // Awake in 341 + 179 = 520, when the load comes, or one later.
    const ScriptKernel kernel =
        duplo_kernel({alu(250), load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch)});
    ScriptMachine awake(with_duplo([](Config& c) { c.duplo.wake_cycles = 179; }));
    ScriptMachine asleep(with_duplo([](Config& c) { c.duplo.wake_cycles = 180; }));
    put_packet(awake);
    put_packet(asleep);
    (void)awake.run(kernel);
    (void)asleep.run(kernel);
    EXPECT_EQ(awake.sum("sm.ldst.detection.bypass_asleep"), 0U);
    EXPECT_EQ(awake.sum("sm.ldst.detection.misses"), 16U);
    EXPECT_EQ(awake.sum("sm.ldst.detection.hits_octet_copy"), 16U);
    EXPECT_GT(asleep.sum("sm.ldst.detection.bypass_asleep"), 0U);
}

}  // namespace

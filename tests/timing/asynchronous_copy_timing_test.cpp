// When do asynchronous copies arrive, and for which does a wait wait? Counted as in
// sm_timing_test.cpp, on the same machine.
#include <gtest/gtest.h>

#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

WarpInstruction copy(Address from, std::uint16_t bytes = 32) {
    WarpInstruction w(Opcode::kCopyAsync);
    w.memory().set_rows(from, 1, bytes);
    w.shared().set_rows(0, bytes);
    return w;
}

WarpInstruction commit() {
    return WarpInstruction(Opcode::kCommitCopies);
}

WarpInstruction wait(std::uint16_t left) {
    WarpInstruction w(Opcode::kWaitCopies);
    w.set_groups_left(left);
    return w;
}

ScriptKernel with_copies(Script script, std::uint32_t entries = 4) {
    ScriptKernel kernel(std::move(script));
    kernel.edit().copies_in_flight = entries;
    kernel.edit().shared_memory_bytes = 4096;
    return kernel;
}

/// A wait issues when the copies of its groups have arrived; an exit waits for all.
TEST(AsynchronousCopyTiming, AWaitEndsWithItsGroups) {
    const ScriptKernel none = with_copies({copy(kBase), commit(), wait(1), alu(1, 8)});
    const ScriptKernel all = with_copies({copy(kBase), commit(), wait(0), alu(1, 8)});
    const ScriptKernel open = with_copies({copy(kBase), wait(0), alu(1, 8)});
    const ScriptKernel first = with_copies(
        {copy(kBase), commit(), copy(kBase + 0x100000), commit(), wait(1), alu(400, 8)});
    expect_cycles({{"not awaited", none, one_sm(), kLaunch + kCold + kExit},
                   {"awaited: the wait, then the instruction", all, one_sm(),
                    kLaunch + kCold + 1 + 4 + kExit},
                   {"the open group", open, one_sm(), kLaunch + kCold + kExit},
                   {"the first of two: the arithmetic starts with it", first, one_sm(),
                    kLaunch + kCold + 1 + 399 * 2 + 4 + kExit}});
}

/// With one entry the second copy issues when the first has arrived.
TEST(AsynchronousCopyTiming, EntriesLimitCopiesInFlight) {
    const Script two = {copy(kBase), copy(kBase), commit()};
    const ScriptKernel many = with_copies(two), one = with_copies(two, 1);
    const Config machine = one_sm();
    std::vector<std::unique_ptr<ScriptMachine>> machines;
    for (int i = 0; i < 2; ++i) machines.push_back(std::make_unique<ScriptMachine>(machine));
    const Cycle together = machines[0]->run(many).cycles;
    const Cycle in_turn = machines[1]->run(one).cycles;
    EXPECT_LT(together, kLaunch + kCold + 20);
    EXPECT_EQ(in_turn, kLaunch + kCold + kL1Hit + kExit);
}

/// The unit is busy for the longer of the two sides: four cycles of sectors or of wavefronts, and
/// 16 wavefronts where shared memory has eight banks.
TEST(AsynchronousCopyTiming, TheLongerSideTakesTheUnit) {
    std::vector<std::unique_ptr<ScriptMachine>> machines;
    for (const std::uint32_t banks : {32U, 32U, 8U}) {
        machines.push_back(std::make_unique<ScriptMachine>(
            one_sm([banks](Config& c) { c.sm.shared_memory_banks = banks; })));
    }
    const ScriptKernel copies = with_copies({copy(kBase, 512), commit()});
    const ScriptKernel loads(Script{load(4, kBase, 512)});
    (void)machines[0]->run(copies);
    (void)machines[1]->run(loads);
    (void)machines[2]->run(copies);
    EXPECT_EQ(machines[0]->sum("sm.ldst.busy_cycles"), 4U);
    EXPECT_EQ(machines[1]->sum("sm.ldst.busy_cycles"), 4U);
    EXPECT_EQ(machines[2]->sum("sm.ldst.busy_cycles"), 16U);
    EXPECT_EQ(machines[0]->sum("sm.ldst.shared_store_wavefronts"), 4U);
}

/// Four wavefronts of 128 bytes, in any layout that a swizzle undoes.
TEST(AsynchronousCopyTiming, MatrixLoadsHaveNoConflicts) {
    const ScriptKernel row(Script{access(Opcode::kLoadMatrix, 8, 0, 16, 32, 64), alu(1, 9, 8)});
    expect_cycles({{"LDSM.x4", row, one_sm(), kLaunch + kShared + 3 + 4 + kExit}});
}

}  // namespace

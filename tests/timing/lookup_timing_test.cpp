// In which cycles does Duplo's detection unit look rows up, if it cannot do all at once? Machine
// and layer are those of sm_timing_test.cpp; each case takes the same cycles at both levels of
// timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/in_child.h"
#include "tests/support/timing_cases.h"
#include "tests/timing/duplo_script.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

struct Settings {
    std::uint32_t lookups_per_cycle = 1, latency_cycles = 2, octet_copies = 2;
    bool hit_frees_slot = false;
};

Config with(const Settings& settings) {
    return with_duplo([&](Config& c) {
        c.duplo.lookups_per_cycle = settings.lookups_per_cycle;
        c.duplo.latency_cycles = settings.latency_cycles;
        c.duplo.octet_copies = settings.octet_copies;
        c.duplo.hit_frees_slot = settings.hit_frees_slot;
    });
}

std::string run(const Kernel& kernel, Config config, Timing timing, const std::string& statistic) {
    return in_child([&] {
        config.timing = timing;
        ScriptMachine machine(config);
        put_packet(machine);
        std::string text = std::to_string(machine.run(kernel).cycles) + " cycles, ";
        text += std::to_string(machine.sum("sm.ldst." + statistic));
        for (const std::string& violation : machine.violations()) text += "\n" + violation;
        return text;
    });
}

/// Cycles, and what the LDST unit counts as `statistic`.
void expect_cycles_and(const Kernel& kernel, const Settings& settings, Cycle cycles,
                       const std::string& statistic, std::uint64_t count) {
    const std::string expected = std::to_string(cycles) + " cycles, " + std::to_string(count);
    SCOPED_TRACE(testing::Message()
                 << settings.lookups_per_cycle << " a cycle, latency " << settings.latency_cycles
                 << ", copies " << settings.octet_copies << ", frees " << settings.hit_frees_slot);
    EXPECT_EQ(run(kernel, with(settings), Timing::kLooselyTimed, statistic), expected);
    EXPECT_EQ(run(kernel, with(settings), Timing::kApproximatelyTimed, statistic), expected);
}

WarpInstruction load_a(std::uint8_t reg) {
    return load_fragment(FragmentRole::kA, reg, kWorkspace, kRowPitch);
}

/// The first load misses and makes entries; the second, when all is there, hits them. Its 32
/// lookups, 16 rows for each octet copy, take their cycles one after the other.
TEST(LookupTiming, LookUpsTakeTheirCycles) {
    const ScriptKernel kernel =
        duplo_kernel({alu(250), load_a(0), alu(1, kNoRegister, 0), load_a(8)});
    // The last of 16 rows is back 15 cycles after the first, and two later the second load issues.
    const Cycle second = kLaunch + 500 + kCold + 15 + 2;
    const char* const lookups = "detection.lookups";  // of both loads
    // One a cycle: after three rows of the first load their three insertions are ready and go
    // first, so rows are looked up and sent in 0, 1, 2, 6, 7, 8, ..., 30.
    expect_cycles_and(kernel, {1}, second + 15 + 31 + 2 + kExit, lookups, 64);
    expect_cycles_and(kernel, {1, 1}, second + 14 + 31 + 1 + kExit, lookups,
                      64);  // 0, 1, 4, 5, ...
    expect_cycles_and(kernel, {1, 2, 1}, second + 15 + 15 + 2 + kExit, lookups, 32);
    // Two a cycle: the last row goes in 13. Its data comes no later, as the L1 brings one a cycle.
    expect_cycles_and(kernel, {2}, second + 15 + 2 + kExit, lookups, 64);
    expect_cycles_and(kernel, {4}, second + 7 + 2 + kExit, lookups, 64);
    // With more lookups a cycle, the rows' slots take four cycles and the other copies' lookups a
    // fifth.
    expect_cycles_and(kernel, {16}, second + 4 + 2 + kExit, lookups, 64);
    expect_cycles_and(kernel, {DuploConfig::kUnlimitedLookups}, second + 4 + 2 + kExit, lookups,
                      64);
}

/// With `hit_frees_slot` the lookups are the limit that is left.
TEST(LookupTiming, HitsThatFreeTheirSlotsAreLookedUpAllTheSame) {
    const ScriptKernel kernel =
        duplo_kernel({alu(250), load_a(0), alu(1, kNoRegister, 0), load_a(8)});
    const Cycle second = kLaunch + 500 + kCold + 15 + 2;
    const char* const requests = "requests";  // rows of the first load, and the packet
    expect_cycles_and(kernel, {4, 2, 2, true}, second + 7 + 2 + kExit, requests, 17);
    expect_cycles_and(kernel, {8, 2, 2, true}, second + 3 + 2 + kExit, requests, 17);
    expect_cycles_and(kernel, {8, 2, 2, false}, second + 5 + 2 + kExit, requests, 17);
    expect_cycles_and(kernel, {16, 2, 2, true}, second + 1 + 2 + kExit, requests, 17);
    expect_cycles_and(kernel, {DuploConfig::kUnlimitedLookups, 2, 2, true}, second + 2 + kExit,
                      requests, 17);
}

/// `latency_cycles` is the depth of the pipe, which takes a row in each cycle in which it does not
/// stand: 18 cycles of ID generator in front of the buffer, as in RTL.
TEST(LookupTiming, LatencyIsTheDepthOfThePipe) {
    const ScriptKernel kernel =
        duplo_kernel({alu(250), load_a(0), alu(1, kNoRegister, 0), load_a(8)});
    // The first insertion is ready when all rows of the first load are in the pipe.
    const Cycle second = kLaunch + 500 + kCold + 15 + 2;
    // The buffer looks rows of the first load up in 18, 19, 20 and makes their entries in 21, 22,
    // 23, and so on in sixes. In those the pipe stands: what is not in it enters in 0 to 20, 24 to
    // 26, 30 to 32, 36 to 38, 42 and 43. The second load's enter in 0 to 31.
    const char* const stalls = "lookup_stall_cycles";
    expect_cycles_and(kernel, {1, 20}, second + 31 + 20 + kExit, stalls, 43 + 31);
    // 0 to 19, 23 to 25, ..., 41 to 43.
    expect_cycles_and(kernel, {1, 19}, second + 31 + 19 + kExit, stalls, 43 + 31);
    // Nothing stands in front of the buffer: as LookUpsTakeTheirCycles has it, and the copies' in
    // 31, 32, 34 to 47.
    expect_cycles_and(kernel, {1}, second + 15 + 31 + 2 + kExit, stalls, 47 + 31);
}

}  // namespace

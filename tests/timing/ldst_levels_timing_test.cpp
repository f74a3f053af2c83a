// Does the LDST unit take the same cycles at either level of timing? Kernels of sm_timing_test.cpp
// and some more, of one warp on one SM without other traffic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/in_child.h"
#include "tests/support/timing_cases.h"
#include "tests/timing/duplo_script.h"
#include "tests/timing/pulse_sums.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

/// Cycles of the kernel, and what the unit and its filter have counted.
std::string run(const Kernel& kernel, Config config, Timing timing) {
    return in_child([&] {
        config.timing = timing;
        ScriptMachine machine(config);
        put_packet(machine);
        std::ostringstream text;
        text << machine.run(kernel).cycles << " cycles";
        std::vector<std::string> counts = {
            "instructions",        "busy_cycles",      "mshr_stall_cycles", "store_stall_cycles",
            "lookup_stall_cycles", "requests",         "request_bytes",     "a_rows",
            "a_row_accesses",      "a_rows_requested", "b_rows_requested"};
        if (config.duplo.enabled) {
            for (const char* count : {"lookups", "misses", "hits_octet_copy", "bypass_asleep"}) {
                counts.push_back(std::string("detection.") + count);
            }
        }
        for (const std::string& count : counts) {
            text << ", " << count << " " << machine.sum("sm.ldst." + count);
        }
        for (const std::string& violation : machine.violations()) text << "\n" << violation;
        return text.str();
    });
}

void expect_alike(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        const std::string loosely = run(c.kernel, c.config, Timing::kLooselyTimed);
        EXPECT_THAT(loosely, testing::StartsWith(std::to_string(c.cycles) + " cycles")) << c.what;
        EXPECT_EQ(run(c.kernel, c.config, Timing::kApproximatelyTimed), loosely) << c.what;
    }
}

TEST(LdstLevels, Loads) {
    const ScriptKernel cold({load(0, kBase)}), again({load(0, kBase), load(0, kBase)}),
        across({load(0, kBase + 112, 32)}), stored({store(0, kBase, 128)}),
        both({load(0, kBase, 96), load(4, kBase + 96, 32), alu(3), store(0, kBase + 4096, 64)});
    expect_alike({{"cold", cold, one_sm(), kLaunch + kCold + kExit},
                  {"a hit", again, one_sm(), kLaunch + kCold + kL1Hit + kExit},
                  // A line each, a cycle apart, in two slices.
                  {"across lines", across, one_sm(), kLaunch + kCold + 1 + kExit},
                  {"a line stored", stored, one_sm(), kLaunch + 3 + 6 + 14 + 3}});
    const std::string loosely = run(both, one_sm(), Timing::kLooselyTimed);
    EXPECT_EQ(run(both, one_sm(), Timing::kApproximatelyTimed), loosely);
}

TEST(LdstLevels, Fragments) {
    const auto twice = [](FragmentRole role, std::uint32_t pitch) {
        return ScriptKernel(
            {load_fragment(role, 0, kBase, pitch), load_fragment(role, 0, kBase, pitch)});
    };
    const ScriptKernel spread = twice(FragmentRole::kB, 32),
                       conflict = twice(FragmentRole::kB, 128), a = twice(FragmentRole::kA, 32);
    const Cycle first = kLaunch + kCold + 15;
    expect_alike(
        {{"four banks", spread, one_sm(), first + 3 + kL1Hit + kExit},
         {"rows of A", a, one_sm(), first + 3 + kL1Hit + kExit},
         {"one bank", conflict, one_sm(), first + 15 + kL1Hit + kExit},
         {"three sectors a cycle", spread, one_sm([](Config& c) { c.ldst.sectors_per_cycle = 3; }),
          first + 5 + kL1Hit + kExit},
         {"both octets on their own", spread,
          one_sm([](Config& c) { c.ldst.octet_l1_accesses = 2; }), first + 7 + kL1Hit + kExit}});
}

TEST(LdstLevels, WaitsForTheL1) {
    const ScriptKernel loads({load(0, kBase), load(8, kBase + 4096), load(16, kBase + 8192)});
    // The second waits in the L1's queue until the first's fill, the third outside; it goes in
    // when the second is looked up, and is looked up with the second's fill.
    const Config full =
        one_sm([](Config& c) { c.l1.mshr_entries = c.l1.request_queue_entries = 1; });
    expect_alike({{"loads", loads, full, kLaunch + 3 * kCold + kExit}});
    const ScriptKernel stores({store(0, kBase), store(8, kBase + 4096), store(16, kBase + 8192),
                               store(24, kBase + 12288)});
    const Config narrow = one_sm([](Config& c) {
        c.l1.miss_queue_entries = c.l1.request_queue_entries = 1;
        c.noc.request_bytes_per_cycle = 4;
    });
    const std::string loosely = run(stores, narrow, Timing::kLooselyTimed);
    EXPECT_THAT(loosely, testing::Not(testing::HasSubstr("store_stall_cycles 0")));
    EXPECT_EQ(run(stores, narrow, Timing::kApproximatelyTimed), loosely);
}

/// The stall cycles in a waveform equal the counted ones.
TEST(LdstLevels, StallsAreShown) {
    const ScriptKernel loads({load(0, kBase), load(8, kBase + 4096), load(16, kBase + 8192)});
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        EXPECT_EQ(in_child([&] {
                      Config config = one_sm(
                          [](Config& c) { c.l1.mshr_entries = c.l1.request_queue_entries = 1; });
                      config.timing = timing;
                      PulseSums wave;
                      RunObservers observers;
                      observers.blocks.wave = &wave;
                      StatGroup statistics("gpu");
                      Gpu gpu("gpu", config, statistics, observers);
                      (void)gpu.run(loads);
                      return std::to_string(wave.cycles["mshr_stall"]) + " of " +
                             std::to_string(statistics.sum("sm.ldst.mshr_stall_cycles"));
                  }),
                  std::to_string(kCold - 2) + " of " + std::to_string(kCold - 2));
    }
}

/// Expected cycles are derived as in DuploTiming of sm_timing_test.cpp.
TEST(LdstLevels, FilteredFragments) {
    const ScriptKernel late = duplo_kernel(
        {alu(250), load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch),
         alu(1, kNoRegister, 0), load_fragment(FragmentRole::kA, 8, kWorkspace, kRowPitch)});
    const ScriptKernel in_flight = duplo_kernel(
        {alu(250), load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch),
         load_fragment(FragmentRole::kA, 8, kWorkspace, kRowPitch), alu(100, kNoRegister, 8)});
    const Cycle first = kLaunch + 500 + kCold + 15;
    expect_alike(
        {{"two octet copies", late, with_duplo(), first + 2 + 4 + 2 + kExit},
         {"latency", late, with_duplo([](Config& c) { --c.duplo.latency_cycles; }),
          first + 2 + 4 + 1 + kExit},
         {"one octet copy", late, with_duplo([](Config& c) { c.duplo.octet_copies = 1; }),
          first + 2 + 3 + 2 + kExit},
         {"hits leave their slots", late,
          with_duplo([](Config& c) { c.duplo.hit_frees_slot = true; }), first + 2 + 2 + kExit},
         {"in flight", in_flight, with_duplo(), first + 200 + kExit}});
    // Right from the start: the packet is on its way, and the unit asleep.
    const ScriptKernel asleep =
        duplo_kernel({load_fragment(FragmentRole::kA, 0, kWorkspace, kRowPitch),
                      load_fragment(FragmentRole::kA, 8, kWorkspace, kRowPitch)});
    for (const std::uint32_t launch : {20U, 0U}) {
        const Config config = with_duplo([launch](Config& c) { c.gpu.cta_launch_cycles = launch; });
        const std::string loosely = run(asleep, config, Timing::kLooselyTimed);
        EXPECT_EQ(run(asleep, config, Timing::kApproximatelyTimed), loosely) << launch;
    }
}

}  // namespace

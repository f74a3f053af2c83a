// When exactly are instructions over whose operands come through banks and collectors? Counted as
// in sm_timing_test.cpp, on the same machine with Volta's register file.
#include <gtest/gtest.h>

#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

/// `d` = a * b + c of single precision: four cycles, the next two later.
WarpInstruction fma(std::uint8_t d, std::uint8_t a, std::uint8_t b, std::uint8_t c) {
    WarpInstruction w(Opcode::kOperation);
    w.set_operation(Operation::kFp32);
    w.dst = d;
    w.src_a = a;
    w.src_b = b;
    w.src_c = c;
    return w;
}

Config volta(const std::function<void(Config&)>& edit = [](Config&) {}) {
    return one_sm([&](Config& c) {
        c.sm.register_file.banks = 2;
        edit(c);
    });
}

TEST(OperandTiming, OperandsOfOneBankTakeACycleMore) {
    const ScriptKernel spread({fma(10, 1, 3, 4), fma(12, 5, 7, 8), fma(14, 21, 23, 26)});
    const ScriptKernel same({fma(10, 1, 3, 5), fma(12, 7, 9, 11), fma(14, 21, 23, 25)});
    const Cycle n = kLaunch + 2U * 2 + 4 + kExit;
    expect_cycles({{"two banks", spread, volta(), n},
                   // Each starts a cycle late, and the lanes with it.
                   {"one bank", same, volta(), n + 3},
                   {"one bank of two ports", same,
                    volta([](Config& c) { c.sm.register_file.reads_per_bank_cycle = 2; }), n},
                   {"no banks", same, one_sm(), n}});
}

TEST(OperandTiming, ReusedOperandsAreNotRead) {
    const ScriptKernel kernel({fma(10, 1, 3, 5), fma(12, 1, 3, 7), fma(14, 1, 3, 9)});
    const Cycle n = kLaunch + 2U * 2 + 4 + kExit;
    expect_cycles({{"reuse", kernel, volta(), n + 1},  // only the first reads three
                   {"no reuse", kernel,
                    volta([](Config& c) { c.sm.register_file.reuse_cache = false; }), n + 3}});
}

TEST(OperandTiming, ProductReadsLessThanThePortsGive) {
    // 48 registers in 24 of its 32 cycles; without the reuse cache 96 in 48.
    const ScriptKernel kernel({mma(16, 0, 8), mma(24, 0, 8), mma(32, 0, 8)});
    const Cycle n = kLaunch + 2U * 32 + kMma + kExit;
    expect_cycles({{"reuse", kernel, volta(), n},
                   {"no reuse", kernel,
                    volta([](Config& c) { c.sm.register_file.reuse_cache = false; }), n + 3U * 16},
                   {"one bank", kernel, volta([](Config& c) { c.sm.register_file.banks = 1; }),
                    n + 3U * 16}});
}

TEST(OperandTiming, NothingIssuesWithoutACollector) {
    // With one the second instruction waits until the product's last operand is read, 24 cycles.
    // The exit waits for its two reads of one bank at any rate.
    const ScriptKernel kernel({mma(16, 0, 8), fma(30, 24, 25, 26)});
    const auto collectors = [](std::uint32_t n) {
        return volta([n](Config& c) { c.sm.register_file.collectors = n; });
    };
    ScriptMachine one(collectors(1));
    ScriptMachine two(collectors(2));
    EXPECT_EQ(one.run(kernel).cycles, kLaunch + kMma + kExit);
    EXPECT_EQ(two.run(kernel).cycles, kLaunch + kMma + kExit);
    const std::string stall = "sm.sub_core.stall_operands";
    EXPECT_EQ(one.sum(stall), 23U + 1);
    EXPECT_EQ(two.sum(stall), 1U);
    EXPECT_THAT(one.violations(), testing::IsEmpty());
    EXPECT_THAT(two.violations(), testing::IsEmpty());
}

}  // namespace

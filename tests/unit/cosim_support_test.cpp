// Tests of the scoreboard, which finds differences between RTL and model, and of fault injection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/config/impl_config.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/scoreboard.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Scoreboard, CountsAndReportsTheFirstDifferenceOnly) {
    Scoreboard scoreboard("tessera cosim block --seed 7");
    scoreboard.describe_inputs_by([] { return std::string("valid 1, data 0x12"); });
    scoreboard.begin_cycle(4);
    scoreboard.note("insert {:#x} register {}", 0xab, 3);
    EXPECT_TRUE(scoreboard.expect("ready", 1, 1));
    EXPECT_THAT(scoreboard.first_divergence(), IsEmpty());
    scoreboard.begin_cycle(9);
    EXPECT_FALSE(scoreboard.expect("lane", 5, 0x10, 0x11));
    EXPECT_FALSE(scoreboard.expect("later", 0, 1));
    EXPECT_EQ(scoreboard.checks(), 3U);
    EXPECT_EQ(scoreboard.errors(), 2U);
    EXPECT_EQ(scoreboard.first_divergence(),
              "first divergence in cycle 9: lane[5]\n  expected 0x10\n  got      0x11\n"
              "  inputs   valid 1, data 0x12\n  last transactions:\n"
              "    cycle 4: insert 0xab register 3\n  again    tessera cosim block --seed 7\n");
}

TEST(Scoreboard, ShowsTheLastTransactionsInOrder) {
    Scoreboard scoreboard("again");
    for (std::uint64_t i = 0; i < 20; ++i) {
        scoreboard.begin_cycle(i);
        scoreboard.note("operation {}", i);
    }
    scoreboard.expect("x", 0, 1);
    const std::string& report = scoreboard.first_divergence();
    EXPECT_THAT(report, HasSubstr("cycle 8: operation 8\n    cycle 9: operation 9\n"));
    EXPECT_THAT(report, HasSubstr("cycle 19: operation 19\n  again"));
    EXPECT_THAT(report, ::testing::Not(HasSubstr("operation 7\n")));
}

struct Outputs {
    std::array<std::uint32_t, 2> word{};
};

Outputs broken(const char* plan, Cycle cycle, Outputs outputs = {{{0xf0, 0x0f}}}) {
    FaultInjector(FaultPlan::parse(plan, "--fault")).apply(outputs, cycle);
    return outputs;
}

TEST(Fault, TouchesItsBitFromItsCycleOn) {
    EXPECT_EQ(broken("invert:36", 0).word[1], 0x1fU);
    EXPECT_EQ(broken("invert:36", 0).word[0], 0xf0U);
    EXPECT_EQ(broken("stuck0:4", 0).word[0], 0xe0U);
    EXPECT_EQ(broken("stuck1:0", 0).word[0], 0xf1U);
    EXPECT_EQ(broken("stuck1:0@10", 9).word[0], 0xf0U);
    EXPECT_EQ(broken("stuck1:0@10", 10).word[0], 0xf1U);
}

TEST(Fault, LateShowsTheCycleBefore) {
    FaultInjector fault(FaultPlan::parse("late@2", "--fault"));
    for (std::uint32_t cycle = 0; cycle < 5; ++cycle) {
        Outputs outputs{{{cycle, 100 + cycle}}};
        fault.apply(outputs, cycle);
        EXPECT_EQ(outputs.word[0], cycle < 2 ? cycle : cycle - 1);
    }
}

TEST(Fault, WhatIsNoPlanIsRefused) {
    for (const char* text : {"", "invert", "invert:", "invert:x", "late:3", "loud:3", "invert:3@",
                             "invert:3@x", "stuck2:1", "invert:99999999999"}) {
        EXPECT_THROW((void)FaultPlan::parse(text, "--fault"), ConfigError) << text;
    }
    EXPECT_THROW((void)broken("invert:64", 0), ConfigError) << "there are 64 bits";
}

std::string refusal_of(const char* plan) {
    try {
        FaultInjector::require_broken(FaultPlan::parse(plan, "--fault"));
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "none";
}

TEST(Fault, OneThatChangesNothingIsRefused) {
    FaultInjector::begin_run();
    static_cast<void>(broken("stuck1:4", 0));
    static_cast<void>(broken("stuck0:3", 1));
    EXPECT_EQ(FaultInjector::changed(), 0U);
    EXPECT_EQ(refusal_of("stuck1:4"),
              "--fault: got 'stuck1:4', expected a fault that changes an output, this one changed "
              "none");
    EXPECT_NO_THROW(FaultInjector::require_unbroken(FaultPlan::parse("stuck1:4", "--fault")));
}

TEST(Fault, OneThatIsNotNoticedFails) {
    FaultInjector::begin_run();
    static_cast<void>(broken("stuck0:4", 0));
    static_cast<void>(broken("invert:36", 1));
    EXPECT_EQ(FaultInjector::changed(), 2U);
    EXPECT_EQ(refusal_of("stuck0:4"), "none");
    EXPECT_NO_THROW(FaultInjector::require_unbroken(FaultPlan{}));
    try {
        FaultInjector::require_unbroken(FaultPlan::parse("stuck0:4", "--fault"));
        FAIL() << "it was not noticed";
    } catch (const CheckError& error) {
        EXPECT_STREQ(error.what(),
                     "--fault: got 'stuck0:4': changed 2 outputs, and no comparison noticed");
    }
}

TEST(Fault, OneThatNeverBeginsIsRefused) {
    FaultInjector::begin_run();
    FaultInjector::require_broken(FaultPlan{});
    static_cast<void>(broken("late@1008", 1007));
    static_cast<void>(broken("late@1008", 1003));
    EXPECT_EQ(refusal_of("late@1008"),
              "--fault: got 'late@1008', expected a cycle below 1008, with which the run ended");
}

TEST(Fault, ImplFaultIsMeantForItsBlock) {
    ImplConfig impl;
    EXPECT_EQ(impl.fault_of(RtlBlock::kFeopArray).kind, FaultKind::kNone);
    impl.fault = "feop_array:invert:7@3";
    EXPECT_EQ(impl.fault_of(RtlBlock::kFeopArray).kind, FaultKind::kInvert);
    EXPECT_EQ(impl.fault_of(RtlBlock::kFeopArray).bit, 7U);
    EXPECT_EQ(impl.fault_of(RtlBlock::kFeopArray).from, 3U);
    impl.fault = "feop:invert:7";
    EXPECT_EQ(impl.fault_of(RtlBlock::kFeopArray).kind, FaultKind::kNone);
}

TEST(CommandLine, IsQuotedForAShell) {
    const char* words[] = {"tessera", "run", "a b", "it's", "x=1", ""};
    set_command_line(6, words);
    EXPECT_EQ(command_line(), "tessera run 'a b' 'it'\\''s' x=1 ''");
}

}  // namespace
}  // namespace tessera

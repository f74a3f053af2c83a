// Kernels with the cycles they must take, and the latencies of one_sm() those are made of.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "tests/support/script_kernel.h"

namespace tessera::test {

namespace latency {
inline constexpr Cycle kLaunch = 20;
inline constexpr Cycle kExit = 1;
inline constexpr Cycle kCold = 341;
inline constexpr Cycle kL2Hit = 120;
inline constexpr Cycle kL1Hit = 28;
inline constexpr Cycle kMma = 32;
inline constexpr Cycle kShared = 27;
}  // namespace latency

inline constexpr Address kBase = 0x10000000;

struct Case {
    const char* what;
    const Kernel& kernel;
    Config config;
    Cycle cycles;
};

/// Each case on a machine of its own, with whatever must hold of any run. Once a test: SystemC
/// takes no more modules when a machine has run. `prepare` puts into a machine what its kernel
/// expects there.
inline void expect_cycles(const std::vector<Case>& cases,
                          const std::function<void(ScriptMachine&)>& prepare = {}) {
    std::vector<std::unique_ptr<ScriptMachine>> machines;
    machines.reserve(cases.size());
    for (const Case& c : cases) {
        machines.push_back(std::make_unique<ScriptMachine>(c.config));
        if (prepare) prepare(*machines.back());
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(machines[i]->run(cases[i].kernel).cycles, cases[i].cycles) << cases[i].what;
        EXPECT_THAT(machines[i]->violations(), testing::IsEmpty()) << cases[i].what;
    }
}

}  // namespace tessera::test

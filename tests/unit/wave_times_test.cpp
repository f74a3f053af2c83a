// Is the interval of waves that did not run Student's, and does it hold what it says?
#include "sc_models/gpu/wave_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <random>

namespace tessera {
namespace {

/// Waves of one CTA that take `cycles`, and the launch behind them.
WaveTimes waves_of(const std::vector<Cycle>& cycles) {
    WaveTimes times(1);
    Cycle at = 100;
    times.add(at);
    for (const Cycle wave : cycles) times.add(at += wave);
    return times;
}

TEST(WaveTimes, GoFromMeanLaunchToMeanLaunch) {
    WaveTimes times(2);
    for (const Cycle launch : {10, 20, 40, 41}) times.add(launch);
    EXPECT_TRUE(times.complete(0));
    EXPECT_DOUBLE_EQ(times.cycles(0), 25.5);
    times.add(60);
    EXPECT_FALSE(times.complete(1));
    times.add(70);
    EXPECT_TRUE(times.complete(1));
    EXPECT_DOUBLE_EQ(times.cycles(1), 24.5);
}

TEST(WaveTimes, EstimateByHand) {
    // Mean 102, deviation 2, t of 2 degrees 4.303: of 12 waves 4.303 x 2 x sqrt(12 x (12/3 + 1)).
    const WaveEstimate estimate = waves_of({100, 102, 104}).estimate({0, 1, 2}, 12);
    EXPECT_DOUBLE_EQ(estimate.cycles, 12 * 102);
    EXPECT_NEAR(estimate.half_width, 4.303 * 2 * std::sqrt(60), 1e-9);
}

TEST(WaveTimes, OneWaveGivesNoEstimateAndNoneIsNeeded) {
    const WaveTimes times = waves_of({100, 102});
    EXPECT_TRUE(std::isinf(times.estimate({0}, 3).half_width));
    EXPECT_EQ(times.estimate({0}, 0).half_width, 0);
    EXPECT_EQ(times.estimate({0, 1}, 0).cycles, 0);
}

TEST(WaveTimes, IntervalsHoldTheirShareOfDraws) {
    constexpr int kTrials = 4000, kMeasured = 4, kOthers = 20;
    std::mt19937_64 random(1);  // the seed
    std::normal_distribution<double> draw(1'000'000, 10'000);
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<Cycle> cycles;
        for (int i = 0; i < kMeasured; ++i) cycles.push_back(std::llround(draw(random)));
        double others = 0;
        for (int i = 0; i < kOthers; ++i) others += draw(random);
        const WaveEstimate estimate = waves_of(cycles).estimate({0, 1, 2, 3}, kOthers);
        if (std::abs(estimate.cycles - others) <= estimate.half_width) ++held;
    }
    EXPECT_NEAR(static_cast<double>(held) / kTrials, 0.95, 0.015);
}

}  // namespace
}  // namespace tessera

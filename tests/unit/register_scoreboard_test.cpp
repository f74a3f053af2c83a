#include "sc_models/sm/register_scoreboard.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera {
namespace {

using Producer = RegisterScoreboard::Producer;

/// The reference state of one register.
struct Register {
    Cycle written = 0, read_until = 0;
    Producer producer = Producer::kNone;
};

TEST(RegisterScoreboard, BeginsWithNothingUnderWay) {
    RegisterScoreboard scoreboard;
    scoreboard.reset(37, 1000);
    EXPECT_EQ(scoreboard.registers(), 37U);
    for (std::uint32_t reg = 0; reg < 37; ++reg) {
        EXPECT_LE(scoreboard.written(reg), 1000U);
        EXPECT_LE(scoreboard.read_until(reg), 1000U);
        EXPECT_EQ(scoreboard.producer(reg), Producer::kNone);
    }
}

TEST(RegisterScoreboard, AWriteEndsWhatWasReadAndALaterReadCounts) {
    RegisterScoreboard scoreboard;
    scoreboard.reset(16, 0);
    scoreboard.read(3, 20);
    scoreboard.read(3, 10);
    EXPECT_EQ(scoreboard.read_until(3), 20U);
    scoreboard.write(3, 50, Producer::kTensor);
    EXPECT_EQ(scoreboard.written(3), 50U);
    EXPECT_EQ(scoreboard.producer(3), Producer::kTensor);
    EXPECT_EQ(scoreboard.read_until(3), 0U);
}

TEST(RegisterScoreboard, ALoadArrives) {
    RegisterScoreboard scoreboard;
    scoreboard.reset(16, 7);
    scoreboard.write(5, kNever, Producer::kMemory);
    EXPECT_EQ(scoreboard.written(5), kNever);
    scoreboard.arrive(5, 90);
    EXPECT_EQ(scoreboard.written(5), 90U);
    EXPECT_EQ(scoreboard.producer(5), Producer::kMemory);
}

/// Random writes and reads against a list, over times that no entry holds as they are.
TEST(RegisterScoreboard, AgreesWithAListOverLongTimes) {
    std::mt19937_64 random(4);
    for (const std::uint32_t registers : {1U, 8U, 100U, 255U}) {
        Cycle now = random() % 1000;
        RegisterScoreboard scoreboard;
        scoreboard.reset(registers, now);
        std::vector<Register> expected(registers);
        for (int step = 0; step < 20000; ++step) {
            const bool far = random() % 100 == 0;
            now += random() % (far ? RegisterScoreboard::kMostAhead : 50);
            if (random() % 5000 == 0) now += Cycle{1} << 34U;  // far beyond what an entry holds
            if (random() % 2000 == 0) {
                scoreboard.clear(now);
                expected.assign(registers, {});
            }
            const auto reg = static_cast<std::uint32_t>(random() % registers);
            const Cycle at = now + random() % 2000;
            switch (random() % 4) {
                case 0:
                    scoreboard.write(reg, at, Producer::kAlu);
                    expected[reg] = {at, 0, Producer::kAlu};
                    break;
                case 1:
                    scoreboard.write(reg, kNever, Producer::kMemory);
                    expected[reg] = {kNever, 0, Producer::kMemory};
                    break;
                case 2:
                    scoreboard.arrive(reg, now);
                    expected[reg].written = now;
                    break;
                default:
                    scoreboard.read(reg, at);
                    expected[reg].read_until = std::max(expected[reg].read_until, at);
                    break;
            }
            // Cycles in the past are equivalent, so they compare as `now`.
            const auto later = [now](Cycle cycle) { return std::max(cycle, now); };
            for (const std::uint32_t r : {reg, static_cast<std::uint32_t>(random() % registers)}) {
                ASSERT_EQ(later(scoreboard.written(r)), later(expected[r].written)) << step;
                ASSERT_EQ(later(scoreboard.read_until(r)), later(expected[r].read_until)) << step;
                ASSERT_EQ(scoreboard.producer(r), expected[r].producer) << step;
            }
        }
    }
}

}  // namespace
}  // namespace tessera

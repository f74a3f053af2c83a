// Which CTAs does a sample run, and does its record agree?
#include "sc_models/gpu/cta_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <functional>
#include <set>

namespace tessera {
namespace {

using testing::ElementsAre;

SampleConfig sampling(double error_percent = 2, std::uint32_t warm_waves = 1) {
    SampleConfig config;
    config.enabled = true;
    config.error_percent = error_percent;
    config.warm_waves = warm_waves;
    return config;
}

/// Result of a grid on a machine of `slots` slots, each of which runs one CTA after the other.
struct Played {
    std::vector<std::uint32_t> ctas;  ///< as launched
    Cycle cycles = 0;
    std::optional<KernelSample> sample;
    bool runs_agrees = true;

    /// The waves launched, each once however it was divided.
    [[nodiscard]] std::vector<std::uint32_t> waves(std::uint32_t slots) const {
        std::vector<std::uint32_t> result;
        for (const std::uint32_t cta : ctas) {
            if (result.empty() || result.back() != cta / slots) result.push_back(cta / slots);
        }
        return result;
    }
};

Played play(CtaOrder order, std::uint32_t ctas, std::uint32_t slots,
            const std::function<Cycle(std::uint32_t cta)>& cycles_of) {
    Played played;
    std::multiset<Cycle> running;
    const auto launch = [&](Cycle at) {
        const std::optional<std::uint32_t> cta = order.next(at);
        if (!cta) return;
        played.ctas.push_back(*cta);
        running.insert(at + cycles_of(*cta));
    };
    for (std::uint32_t slot = 0; slot < slots; ++slot) launch(0);
    while (!running.empty()) {
        const Cycle at = *running.begin();
        running.erase(running.begin());
        played.cycles = at;
        launch(at);
    }
    EXPECT_FALSE(order.more());
    EXPECT_EQ(order.launched(), played.ctas.size());
    EXPECT_EQ(order.expected(), played.ctas.size());
    const std::set<std::uint32_t> ran(played.ctas.begin(), played.ctas.end());
    EXPECT_EQ(ran.size(), played.ctas.size()) << "a CTA ran twice";
    for (std::uint32_t cta = 0; cta < ctas + 3; ++cta) {
        if (order.runs(cta) != (ran.count(cta) == 1)) played.runs_agrees = false;
    }
    played.sample = order.sample();
    return played;
}

TEST(CtaOrder, WithoutASampleIsTheGrids) {
    const Played played = play(CtaOrder(7), 7, 3, [](std::uint32_t) { return 10; });
    EXPECT_THAT(played.ctas, ElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_FALSE(played.sample.has_value());
    EXPECT_TRUE(played.runs_agrees);
}

TEST(CtaOrder, FewWavesRunInFull) {
    const Played played =
        play(CtaOrder(31, 4, 0, sampling()), 31, 4, [](std::uint32_t) { return 10; });
    EXPECT_EQ(played.ctas.size(), 31U);
    ASSERT_TRUE(played.sample.has_value());
    EXPECT_EQ(played.sample->skipped_waves, 0U);
    EXPECT_EQ(played.sample->waves, 7U);
    EXPECT_TRUE(played.runs_agrees);
}

TEST(CtaOrder, OfEqualCtasIsExact) {
    // 50 waves of 4 and a CTA over: 51 turns of 10 cycles.
    const Played played =
        play(CtaOrder(201, 4, 0, sampling()), 201, 4, [](std::uint32_t) { return 10; });
    EXPECT_THAT(played.waves(4), ElementsAre(0, 1, 2, 25, 26, 27, 49, 50));
    EXPECT_EQ(played.sample->ctas, 29U);
    EXPECT_EQ(played.sample->skipped_waves, 43U);
    EXPECT_EQ(played.sample->measured_waves, 4U);
    EXPECT_DOUBLE_EQ(played.sample->skipped.half_width, 0.01 * 430);  // 1 % of 43 waves
    EXPECT_EQ(static_cast<double>(played.cycles) + played.sample->skipped.cycles, 510);
    EXPECT_TRUE(played.runs_agrees);
}

TEST(CtaOrder, WithoutARestEndsWithTheLastWave) {
    const Played played =
        play(CtaOrder(200, 4, 0, sampling()), 200, 4, [](std::uint32_t) { return 10; });
    EXPECT_EQ(played.ctas.back(), 199U);
    EXPECT_EQ(static_cast<double>(played.cycles) + played.sample->skipped.cycles, 500);
}

TEST(CtaOrder, AnyWarmUpIsLeftOutOfTheMeasure) {
    // The first two waves are slow, and so is the first wave of each place.
    const Played played = play(CtaOrder(400, 4, 0, sampling(2, 2)), 400, 4,
                               [](std::uint32_t cta) { return cta < 8 ? 30 : 10; });
    EXPECT_EQ(static_cast<double>(played.cycles) + played.sample->skipped.cycles, 98 * 10 + 60);
    EXPECT_DOUBLE_EQ(played.sample->skipped.half_width, 0.01 * 10 * played.sample->skipped_waves);
    EXPECT_THAT(played.waves(4), ElementsAre(0, 1, 2, 3, 50, 51, 52, 53, 99));
}

TEST(CtaOrder, GoesOnUntilItIsSure) {
    // Waves of 1000 to 1100 cycles, at random.
    const auto cycles_of = [](std::uint32_t cta) { return 1000 + cta / 8 * 7919 % 101; };
    const std::uint32_t ctas = 8 * 200 + 3;
    std::size_t fewer = 0;
    for (const double percent : {5.0, 1.5, 1.05}) {
        const Played played = play(CtaOrder(ctas, 8, 0, sampling(percent)), ctas, 8, cycles_of);
        const double all = static_cast<double>(played.cycles) + played.sample->skipped.cycles;
        EXPECT_LE(played.sample->skipped.half_width, all * percent / 100 * 1.5) << percent;
        EXPECT_GT(played.ctas.size(), fewer) << percent;
        EXPECT_TRUE(played.runs_agrees);
        fewer = played.ctas.size();
    }
}

TEST(CtaOrder, JumpsToTheSamePlaceOfARow) {
    // Rows of 12 CTAs are three waves of 4. Warm-up goes on behind wave 2, so the middle one begins
    // with a multiple of three waves.
    const Played played =
        play(CtaOrder(400, 4, 12, sampling()), 400, 4, [](std::uint32_t) { return 10; });
    EXPECT_THAT(played.waves(4), ElementsAre(0, 1, 2, 51, 52, 53, 99));
    // 50 would be in the middle of a row.
    const Played anywhere =
        play(CtaOrder(400, 4, 0, sampling()), 400, 4, [](std::uint32_t) { return 10; });
    EXPECT_THAT(anywhere.waves(4), ElementsAre(0, 1, 2, 50, 51, 52, 99));
}

TEST(CtaOrder, LongGridsHaveMorePlaces) {
    const Played played =
        play(CtaOrder(4000, 4, 0, sampling()), 4000, 4, [](std::uint32_t) { return 10; });
    EXPECT_GE(played.ctas.size(), 160U);
    EXPECT_LT(played.ctas.size(), 200U);
}

TEST(CtaOrder, RunsAllOnceWhereNothingIsSureEnough) {
    const auto cycles_of = [](std::uint32_t cta) { return cta / 2 % 2 == 0 ? 10 : 1000; };
    const Played played = play(CtaOrder(53, 2, 0, sampling(0.01)), 53, 2, cycles_of);
    EXPECT_EQ(played.ctas.size(), 53U);
    EXPECT_EQ(played.sample->skipped_waves, 0U);
    EXPECT_EQ(played.sample->skipped.cycles, 0);
    EXPECT_TRUE(played.runs_agrees);
}

TEST(CtaOrder, EveryGridEndsAsItsRecordRequires) {
    for (std::uint32_t slots = 1; slots < 6; ++slots) {
        for (std::uint32_t ctas = 1; ctas < 150; ++ctas) {
            for (std::uint32_t warm = 1; warm < 4; ++warm) {
                const std::uint32_t room = std::min(slots, ctas);
                const Played played = play(CtaOrder(ctas, room, 0, sampling(1, warm)), ctas, room,
                                           [&](std::uint32_t cta) { return 500 + cta * 977 % 37; });
                const KernelSample& sample = *played.sample;
                ASSERT_EQ(sample.ctas + sample.skipped_waves * room, ctas);
                ASSERT_TRUE(played.runs_agrees) << ctas << " CTAs, " << slots << " slots";
            }
        }
    }
}

}  // namespace
}  // namespace tessera

// Does the reservation table assign each slot once, and always the first free one?
#include "sc_models/tlm/lt/reservation_table.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

using namespace tessera;

namespace {

/// The rules once more, one slot after the other.
class NaiveCalendar {
public:
    NaiveCalendar(std::uint64_t slots, std::uint64_t cycles) : slots_(slots), cycles_(cycles) {}
    Cycle reserve(Cycle earliest) {
        std::uint64_t slot = earliest * slots_ / cycles_;
        while (!taken_.insert(slot).second) ++slot;
        return std::max(earliest, slot * cycles_ / slots_);
    }

private:
    std::uint64_t slots_, cycles_;
    std::set<std::uint64_t> taken_;
};

TEST(ReservationTable, OneSlotACycleFillsGapsInAnyOrder) {
    ReservationTable port(1, 1);
    EXPECT_EQ(port.reserve(10), 10U);
    EXPECT_EQ(port.reserve(10), 11U);
    EXPECT_EQ(port.reserve(9), 9U);
    EXPECT_EQ(port.reserve(9), 12U);
    EXPECT_EQ(port.reserve(0), 0U);
}

TEST(ReservationTable, SeveralSlotsACycle) {
    ReservationTable port = ReservationTable::for_link(64, 32);
    EXPECT_EQ(port.reserve(5), 5U);
    EXPECT_EQ(port.reserve(5), 5U);
    EXPECT_EQ(port.reserve(5), 6U);
    EXPECT_EQ(port.reserve(4), 4U);
}

TEST(ReservationTable, SeveralCyclesASlot) {
    ReservationTable port = ReservationTable::for_link(8, 32);  // 4 cycles a request
    EXPECT_EQ(port.reserve(0), 0U);
    EXPECT_EQ(port.reserve(0), 4U);
    EXPECT_EQ(port.reserve(9), 9U) << "an idle link adds no cycle";
    EXPECT_EQ(port.reserve(9), 12U);
}

TEST(ReservationTable, ReservationsInTurnAreOneBehindTheOther) {
    std::mt19937_64 rng(7);
    for (const auto& [slots, cycles] : {std::pair{1, 1}, {5, 4}, {4, 5}, {2, 1}, {1, 6}}) {
        const auto rate = [&](auto n) { return static_cast<std::uint64_t>(n); };
        ReservationTable together(rate(slots), rate(cycles)), single(rate(slots), rate(cycles));
        Cycle now = 0;
        for (int step = 0; step < 20000; ++step) {
            if (rng() % 8 == 0) {
                now += rng() % 60;
                together.advance(now);
                single.advance(now);
            }
            // Now and then beyond the window, which then grows.
            const Cycle far = step % 4000 == 3999 ? 5000 + Cycle{static_cast<unsigned>(step)} : 0;
            const Cycle earliest = now + far + rng() % 300;
            const auto count = static_cast<std::uint32_t>(1 + rng() % 9);
            Cycle last = earliest;
            for (std::uint32_t i = 0; i < count; ++i) last = single.reserve(last);
            ASSERT_EQ(together.reserve_in_turn(earliest, count), last)
                << slots << " slots in " << cycles << " cycles, step " << step;
        }
    }
}

TEST(ReservationTable, WhatIsInTheLastWordOfTheWindowStaysWhenAllBeforeItIsPast) {
    constexpr Cycle kLastWord = 63 * 64;  // of 64
    ReservationTable port(1, 1);
    EXPECT_EQ(port.reserve(kLastWord + 5), kLastWord + 5);
    port.advance(kLastWord);
    EXPECT_EQ(port.reserve(kLastWord + 5), kLastWord + 6);
}

TEST(ReservationTable, RunsOfFreeCyclesAreWhatSingleRequestsGet) {
    std::mt19937_64 rng(5);
    ReservationTable runs(1, 1), single(1, 1);
    Cycle now = 0;
    for (int step = 0; step < 20000; ++step) {
        if (rng() % 8 == 0) {
            now += rng() % 40;
            runs.advance(now);
            single.advance(now);
        }
        const Cycle first = now + 64 + rng() % 5000;
        const auto cycles = static_cast<std::uint32_t>(1 + rng() % ReservationTable::kMostFree);
        if (rng() % 2 == 0 && runs.is_free(first, cycles)) {
            runs.take_free(first, cycles);
            for (std::uint32_t i = 0; i < cycles; ++i) {
                ASSERT_EQ(single.reserve(first + i), first + i) << step;
            }
        } else {
            ASSERT_EQ(runs.reserve(first), single.reserve(first)) << step;
        }
    }
    EXPECT_FALSE(runs.is_free(0, 1)) << "before the window";
}

TEST(ReservationTable, RequestBeforeTheWindowGetsItsFirstFreeSlot) {
    ReservationTable port(1, 1);
    port.advance(640);
    EXPECT_EQ(port.reserve(3), 640U);
    EXPECT_EQ(port.reserve(3), 641U);
    port.advance(0);  // never back
    EXPECT_EQ(port.reserve(3), 642U);
}

TEST(ReservationTable, ForgetsWhatSlidOutAndKeepsWhatIsLeft) {
    ReservationTable port(1, 1);
    for (Cycle c = 0; c < 10'000; ++c) ASSERT_EQ(port.reserve(0), c);
    port.advance(6400);
    EXPECT_EQ(port.reserve(0), 10'000U);
    port.advance(1'000'000);
    EXPECT_EQ(port.reserve(1'000'010), 1'000'010U);
    EXPECT_EQ(port.reserve(1'000'010), 1'000'011U);
}

TEST(ReservationTable, RateOfZeroIsRefused) {
    EXPECT_THROW(ReservationTable(0, 1), std::logic_error);
    EXPECT_THROW(ReservationTable(1, 0), std::logic_error);
}

class ReservationTableProperty
    : public testing::TestWithParam<std::tuple<std::uint64_t, std::uint64_t, Cycle>> {};

TEST_P(ReservationTableProperty, AgreesWithOneThatTriesEverySlot) {
    const auto [slots, cycles, step] = GetParam();
    constexpr std::uint32_t kSeed = 20240607;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    ReservationTable table(slots, cycles);
    NaiveCalendar naive(slots, cycles);
    Cycle now = 0;
    for (int i = 0; i < 10'000; ++i) {
        if (i % 16 == 0) {
            now += random() % (step + 1);
            table.advance(now);
        }
        const Cycle earliest = now + random() % 700;
        ASSERT_EQ(table.reserve(earliest), naive.reserve(earliest)) << "request " << i;
    }
}

// Idle, at the limit, and far beyond it, for whole and fractional rates.
INSTANTIATE_TEST_SUITE_P(Rates, ReservationTableProperty,
                         testing::Values(std::tuple{1, 1, 64}, std::tuple{1, 1, 32},
                                         std::tuple{1, 1, 20}, std::tuple{2, 1, 14},
                                         std::tuple{1, 4, 120}, std::tuple{3, 2, 20},
                                         std::tuple{5, 7, 40}));

TEST(ReservationTable, FirstFreeIsWhatIsReservedNext) {
    std::mt19937_64 rng(11);
    for (const auto& [slots, cycles] : {std::pair{1, 1}, {2, 1}, {1, 3}, {5, 4}}) {
        ReservationTable port(static_cast<std::uint64_t>(slots),
                              static_cast<std::uint64_t>(cycles));
        Cycle now = 0;
        for (int i = 0; i < 20'000; ++i) {
            if (rng() % 64 == 0) port.advance(now += rng() % 100);
            // Often crowded, over whole words, and now and then beyond the window.
            const Cycle earliest = now + (rng() % 200 == 0 ? rng() % 20'000 : rng() % 90);
            const Cycle free = port.first_free(earliest);
            ASSERT_EQ(port.reserve(earliest), free) << slots << "/" << cycles << ", " << i;
        }
    }
}

}  // namespace

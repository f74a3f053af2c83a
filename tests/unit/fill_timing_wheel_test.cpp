// Do fills leave in order of their cycles, whatever the order in which they come?
#include "sc_models/memory/core/fill_timing_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace tessera;

namespace {

using Wheel = FillTimingWheel<int>;

/// Breaks ties by the larger index, which shows that the caller's order is used.
bool larger_first(Wheel::Index a, Wheel::Index b) {
    return a > b;
}

class Both {
public:
    explicit Both(std::uint32_t capacity) : wheel_(capacity) {
        for (std::uint32_t i = 0; i < capacity; ++i) {
            free_.push_back(static_cast<Wheel::Index>(i));
        }
    }
    [[nodiscard]] bool full() const { return free_.empty(); }
    [[nodiscard]] bool empty() const { return expected_.empty(); }
    [[nodiscard]] Cycle earliest() const { return wheel_.earliest(); }
    void push(std::size_t which, Cycle ready) {
        std::swap(free_[which % free_.size()], free_.back());
        const Wheel::Index index = free_.back();
        free_.pop_back();
        wheel_[index] = static_cast<int>(index) + 7;
        wheel_.push(index, ready, larger_first);
        expected_.insert({ready, -static_cast<int>(index)});
    }
    void pop() {
        const auto first = *expected_.begin();
        expected_.erase(expected_.begin());
        const Wheel::Index popped = wheel_.pop(larger_first);
        ASSERT_EQ(popped, -first.second);
        ASSERT_EQ(wheel_[popped], popped + 7);
        free_.push_back(popped);
    }
    void compare() const {
        ASSERT_EQ(wheel_.earliest(), expected_.empty() ? kNever : expected_.begin()->first);
        ASSERT_EQ(wheel_.first(), expected_.empty()
                                      ? Wheel::kNone
                                      : static_cast<Wheel::Index>(-expected_.begin()->second));
    }
    /// Whether only what is there by `until` is visited, and each at most once.
    void compare_visited(Cycle until) const {
        std::set<Wheel::Index> seen;
        wheel_.visit_until(until, [&](Wheel::Index index) {
            EXPECT_TRUE(seen.insert(index).second);
            // Buckets are of four cycles.
            const auto by = [&](const std::pair<Cycle, int>& fill) {
                return fill.first / 4 <= until / 4 && fill.second == -static_cast<int>(index);
            };
            EXPECT_TRUE(std::any_of(expected_.begin(), expected_.end(), by)) << index;
        });
    }

private:
    Wheel wheel_;
    std::vector<Wheel::Index> free_;
    std::set<std::pair<Cycle, int>> expected_;  ///< cycle, and the index that leaves last negative
};

TEST(FillTimingWheel, IsEmptyAtFirst) {
    const Wheel wheel(4);
    EXPECT_EQ(wheel.earliest(), kNever);
    EXPECT_EQ(wheel.first(), Wheel::kNone);
}

TEST(FillTimingWheel, TheComparisonBreaksTiesOfOneCycle) {
    Wheel wheel(3);
    for (const Wheel::Index index : {1, 0, 2}) wheel.push(index, 77, larger_first);
    EXPECT_EQ(wheel.pop(larger_first), 2);
    EXPECT_EQ(wheel.pop(larger_first), 1);
    EXPECT_EQ(wheel.pop(larger_first), 0);
    EXPECT_EQ(wheel.earliest(), kNever);
}

TEST(FillTimingWheel, TakesFillsBeyondTheRingAndBeforeIt) {
    Both both(5);
    both.push(0, 1'000'000);
    both.push(0, 1'000'000'000'000);
    both.push(0, 3);
    both.push(0, 999'999);
    both.push(0, 0);
    while (!both.empty()) {
        both.compare();
        both.pop();
        if (testing::Test::HasFatalFailure()) return;
    }
    both.compare();
}

TEST(FillTimingWheel, AgreesWithASortedSet) {
    for (const Cycle spread : {10, 700, 5000, 60000}) {
        SCOPED_TRACE("spread " + std::to_string(spread));
        std::mt19937_64 random(spread);
        Both both(200);
        Cycle now = 1000;
        for (int i = 0; i < 200'000; ++i) {
            if (both.full() || (!both.empty() && random() % 2 == 0)) {
                now = std::max(now, both.earliest());
                both.pop();
            } else {
                // Now and then of the past, as of callers that are out of order in time.
                const Cycle back = random() % 16 == 0 ? random() % std::min(now, Cycle{900}) : 0;
                both.push(random(), now - back + random() % spread);
            }
            if (random() % 1000 == 0) now += random() % (8 * spread);
            both.compare();
            if (random() % 64 == 0) both.compare_visited(now + random() % spread);
            if (testing::Test::HasFailure()) return;
        }
    }
}

}  // namespace

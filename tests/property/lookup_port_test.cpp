// Are the cycles of the detection unit's pipe those of a pipe that is clocked cycle by cycle?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "sc_models/duplo/lookup_port.h"

namespace tessera::test {
namespace {

constexpr std::uint64_t kSeed = 318;

struct Unit {
    Cycle wanted = 0;            ///< it enters then or later
    std::uint32_t releases = 0;  ///< operations before its lookup
    bool looked_up = true, found = false;
};
struct Times {
    Cycle entered = 0, left = 0;
    friend bool operator==(const Times& a, const Times& b) {
        return a.entered == b.entered && a.left == b.left;
    }
};
struct PipeTimes {
    std::vector<Times> units;
    std::vector<Cycle> insertions;
};

/// One unit and one operation a cycle: registers in a row, which move only together.
class ClockedPipe {
public:
    explicit ClockedPipe(std::uint32_t latency_cycles)
        : stages_(latency_cycles - LookupPort::kHistoryCycles) {}

    PipeTimes run(const std::vector<Unit>& units) {
        run_.units.resize(units.size());
        std::size_t next = 0, inside = 0;
        for (Cycle now = 0; next < units.size() || inside > 0 || !ready_.empty(); ++now) {
            const bool moves = leave(units, now);
            if (!moves) continue;
            inside -= stages_.back() ? 1 : 0;
            std::move_backward(stages_.begin(), stages_.end() - 1, stages_.end());
            stages_.front().reset();
            if (next < units.size() && units[next].wanted <= now) {
                run_.units[next].entered = now;
                stages_.front() = next++;
                ++inside;
            }
        }
        return run_;
    }

private:
    /// Advances the unit in the last stage; returns false if it stays there.
    bool leave(const std::vector<Unit>& units, Cycle now) {
        const bool taken = !ready_.empty() && ready_.front() <= now;
        if (taken) {
            run_.insertions.push_back(now);
            ready_.pop_front();
        }
        if (!stages_.back()) return true;
        const Unit& unit = units[*stages_.back()];
        const std::uint32_t operations = unit.releases + (unit.looked_up ? 1 : 0);
        if (done_ < operations) {
            done_ += taken ? 0 : 1;
            if (taken || done_ < operations) return false;
        }
        done_ = 0;
        run_.units[*stages_.back()].left = now;
        // Its answer is seen in the second cycle from here, and acted upon in the one behind.
        if (unit.looked_up && !unit.found) ready_.push_back(now + 3);
        return true;
    }

    std::vector<std::optional<std::size_t>> stages_;
    std::uint32_t done_ = 0;  ///< operations of the unit at the end
    std::deque<Cycle> ready_;
    PipeTimes run_;
};

PipeTimes by_port(const std::vector<Unit>& units, std::uint32_t latency_cycles) {
    LookupPort port(1, latency_cycles);
    PipeTimes run;
    const auto insert = [&run](Cycle at) { run.insertions.push_back(at); };
    for (const Unit& unit : units) {
        Times times;
        times.entered = port.open_at(unit.wanted);
        port.enter(times.entered);
        for (std::uint32_t i = 0; i < unit.releases; ++i) (void)port.operate(insert);
        const Cycle looked_up = unit.looked_up ? port.operate(insert) : 0;
        const LookupPort::Departure left = port.leave();
        times.left = left.at;
        EXPECT_EQ(left.at - left.late, times.entered + latency_cycles - 2);
        if (unit.looked_up && !unit.found) port.add_insertion(looked_up);
        run.units.push_back(times);
    }
    port.settle(insert);
    return run;
}

std::vector<Unit> random_units(std::mt19937_64& rng) {
    const std::uint32_t gap = 1 + rng() % 4, misses = 1 + rng() % 8;
    std::vector<Unit> units(1 + rng() % 200);
    Cycle wanted = 0;
    for (Unit& unit : units) {
        if (rng() % gap == 0) wanted += rng() % 6;
        unit.wanted = wanted;
        unit.releases = rng() % misses == 0 ? static_cast<std::uint32_t>(rng() % 3) : 0;
        unit.looked_up = rng() % 10 != 0;
        unit.found = rng() % misses != 0;
    }
    return units;
}

TEST(LookupPort, TakesTheCyclesOfAPipe) {
    for (std::uint32_t round = 0; round < 400; ++round) {
        std::mt19937_64 rng(kSeed + round);
        const auto latency = static_cast<std::uint32_t>(3 + rng() % 25);
        const std::vector<Unit> units = random_units(rng);
        const PipeTimes expected = ClockedPipe(latency).run(units);
        const PipeTimes got = by_port(units, latency);
        ASSERT_EQ(got.insertions, expected.insertions) << "seed " << kSeed + round;
        for (std::size_t i = 0; i < units.size(); ++i) {
            ASSERT_EQ(got.units[i], expected.units[i])
                << "seed " << kSeed + round << ", unit " << i;
        }
    }
}

/// One release less, and one hit that is none, are seen.
TEST(LookupPort, CheckerCatchesAForgottenOperation) {
    std::vector<Unit> units(40, Unit{0, 1, true, true});
    const PipeTimes expected = ClockedPipe(20).run(units);
    units[20].releases = 0;
    EXPECT_FALSE(by_port(units, 20).units == expected.units);
    units[20] = {0, 1, true, false};
    EXPECT_FALSE(by_port(units, 20).units == expected.units);
}

/// Without stages in front of it a unit enters as it is looked up: behind an insertion that is
/// ready in the same cycle.
TEST(LookupPort, InsertionsGoFirstAtATie) {
    std::vector<Cycle> insertions;
    const auto insert = [&insertions](Cycle at) { insertions.push_back(at); };
    LookupPort port(1, LookupPort::kHistoryCycles);
    ASSERT_EQ(port.open_at(0), 0U);
    port.enter(0);
    ASSERT_EQ(port.operate(insert), 0U);
    (void)port.leave();
    port.add_insertion(0);  // the answer comes in cycle 2: ready in 3
    EXPECT_EQ(port.open_at(2), 2U);
    EXPECT_EQ(port.open_at(3), 4U);
    EXPECT_EQ(port.open_at(4), 4U) << "3 is the insertion's";
    port.enter(4);
    EXPECT_EQ(port.operate(insert), 4U);
    EXPECT_EQ(insertions, std::vector<Cycle>{3});
    EXPECT_EQ(port.leave().late, 0U);
}

/// Whatever enters together, no cycle has more operations than it may, and none is before its time.
TEST(LookupPort, KeepsItsRate) {
    for (const std::uint32_t latency : {0U, 1U, 2U, 5U, 20U}) {
        for (const std::uint32_t per_cycle : {1U, 2U, 3U, 8U}) {
            std::mt19937_64 rng(kSeed);
            LookupPort port(per_cycle, latency);
            std::vector<std::uint32_t> operations(4000), entries(4000);
            std::deque<Cycle> awaited;
            const auto insert = [&](Cycle at) {
                ++operations[at];
                ASSERT_GE(at, awaited.front());
                awaited.pop_front();
            };
            Cycle wanted = 0, last = 0;
            for (std::uint32_t i = 0; i < 500; ++i) {
                wanted += rng() % 20 == 0 ? rng() % 30 : 0;
                const Cycle at = port.open_at(wanted);
                ASSERT_GE(at, std::max(wanted, last));
                port.enter(at);
                ++entries[at];
                last = at;
                const Cycle looked_up = port.operate(insert);
                if (latency <= LookupPort::kHistoryCycles) {
                    ASSERT_EQ(looked_up, at);
                }
                ASSERT_GE(looked_up + std::min(latency, 2U), at + latency);
                ++operations[looked_up];
                (void)port.leave();
                if (rng() % 2 == 0) continue;
                port.add_insertion(looked_up);
                awaited.push_back(looked_up + std::min(latency, 2U) + 1);
            }
            port.settle(insert);
            EXPECT_TRUE(awaited.empty());
            EXPECT_LE(*std::max_element(operations.begin(), operations.end()), per_cycle);
            EXPECT_LE(*std::max_element(entries.begin(), entries.end()), per_cycle);
        }
    }
}

}  // namespace
}  // namespace tessera::test

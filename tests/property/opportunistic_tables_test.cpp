// Do the tables of opportunistic computing and its prediction agree with naive ones?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <list>
#include <random>
#include <set>
#include <utility>

#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/opportunistic/precompute_table.h"
#include "sc_models/opportunistic/predictor.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSteps = 200000;

PrecomputeKey random_key(std::mt19937& rng) {
    return {rng() % 8 * 4, rng() % 8 * 4, static_cast<std::uint32_t>(rng() % 2)};
}

/// The precompute table as a list, oldest first, searched from end to end.
struct NaivePrecompute {
    struct Entry {
        PrecomputeKey key;
        bool running = false, complete = false;
        float result = 0;
    };
    std::size_t capacity;
    std::list<Entry> entries;

    std::list<Entry>::iterator find(const PrecomputeKey& key) {
        return std::find_if(entries.begin(), entries.end(),
                            [&](const Entry& e) { return e.key == key; });
    }
    bool insert(const PrecomputeKey& key) {
        if (find(key) != entries.end()) return false;
        if (entries.size() == capacity) {
            const auto oldest = std::find_if(entries.begin(), entries.end(),
                                             [](const Entry& e) { return !e.running; });
            if (oldest == entries.end()) return false;
            entries.erase(oldest);
        }
        entries.push_back({key});
        return true;
    }
};

struct Running {
    PrecomputeTable::Index entry;
    std::uint32_t generation;
    PrecomputeKey key;
    bool alive;
};

class PrecomputeTableTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PrecomputeTableTest, AgreesWithAList) {
    const std::uint32_t capacity = GetParam();
    std::mt19937 rng(capacity);
    PrecomputeTable table(capacity, 2);
    NaivePrecompute naive{capacity, {}};
    std::deque<Running> running;
    const auto gone = [&running](const PrecomputeKey& key) {
        for (Running& r : running) r.alive = r.alive && !(r.key == key);
    };
    for (std::uint32_t step = 0; step < kSteps; ++step) {
        SCOPED_TRACE(step);
        const PrecomputeKey key = random_key(rng);
        const auto index = table.find(key);
        const auto expected = naive.find(key);
        ASSERT_EQ(index != PrecomputeTable::kNone, expected != naive.entries.end());
        if (index != PrecomputeTable::kNone) {
            ASSERT_EQ(table.complete(index), expected->complete);
            if (expected->complete) {
                ASSERT_EQ(table.results(index)[1], expected->result);
            }
        }
        switch (rng() % 4) {
            case 0: {
                const bool inserted = table.insert_if_absent(key, {}) != PrecomputeTable::kNone;
                ASSERT_EQ(inserted, naive.insert(key));
                break;
            }
            case 1:
                if (index == PrecomputeTable::kNone) break;
                table.use(index);
                naive.entries.erase(expected);
                gone(key);
                break;
            case 2: {
                const auto oldest = table.first_pending();
                const auto pending =
                    std::find_if(naive.entries.begin(), naive.entries.end(),
                                 [](const auto& e) { return !e.running && !e.complete; });
                ASSERT_EQ(oldest == PrecomputeTable::kNone, pending == naive.entries.end());
                if (oldest == PrecomputeTable::kNone) break;
                ASSERT_EQ(table.find(pending->key), oldest);
                running.push_back({oldest, table.generation(oldest), pending->key, true});
                table.start(oldest);
                pending->running = true;
                break;
            }
            default: {
                if (running.empty()) break;
                const Running done = running.front();
                running.pop_front();
                const float results[2] = {0, static_cast<float>(step)};
                ASSERT_EQ(table.finish(done.entry, done.generation, results), done.alive);
                if (!done.alive) break;
                const auto entry = naive.find(done.key);
                entry->running = false;
                entry->complete = true;
                entry->result = results[1];
            }
        }
        ASSERT_EQ(table.size(), naive.entries.size());
    }
    const PrecomputeTable::Counts& c = table.counts();
    EXPECT_GT(c.used, 0U);
    EXPECT_GT(c.too_late, 0U);
    EXPECT_GT(c.late_results, 0U);
    table.flush();
    EXPECT_EQ(c.inserted, c.used + c.too_late + c.replaced + c.eliminated + c.flushed);
}

INSTANTIATE_TEST_SUITE_P(Capacities, PrecomputeTableTest, ::testing::Values(1, 2, 7, 64, 256));

TEST(PrecomputeTable, EliminatesTheOldest) {
    PrecomputeTable table(4, 1);
    for (Address a = 0; a < 4; ++a) table.insert_if_absent({a, 0, 0}, {});
    table.eliminate(3);
    EXPECT_EQ(table.size(), 1U);
    EXPECT_NE(table.find({3, 0, 0}), PrecomputeTable::kNone);
}

TEST(PrecomputeTable, APeriodBeginsWhenEntriesWereDroppedNotOnAGrid) {
    EliminationTimer timer(100);
    timer.start(1000);
    EXPECT_FALSE(timer.due(1099));
    EXPECT_TRUE(timer.due(1100));
    EXPECT_FALSE(timer.due(1100)) << "once";
    EXPECT_FALSE(timer.due(1199));
    EXPECT_TRUE(timer.due(1370)) << "late: 1200 and 1300 are not made up for";
    EXPECT_FALSE(timer.due(1371));
    EXPECT_FALSE(timer.due(1469)) << "1400 of a grid has no meaning";
    EXPECT_TRUE(timer.due(1470));
    timer.start(1500);
    EXPECT_FALSE(timer.due(1599)) << "the next kernel begins anew";
}

class AssignTableTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AssignTableTest, AgreesWithAList) {
    const std::uint32_t capacity = GetParam();
    std::mt19937 rng(capacity);
    AssignTable table(capacity);
    std::deque<std::pair<BlockPair, SmId>> naive;  // oldest first
    for (std::uint32_t step = 0; step < kSteps; ++step) {
        SCOPED_TRACE(step);
        const BlockPair pair{rng() % 12, rng() % 12};
        const SmId sm(rng() % 7);
        const auto found = std::find_if(naive.begin(), naive.end(),
                                        [&](const auto& e) { return e.first == pair; });
        const SmId expected = found == naive.end() ? SmId() : found->second;
        ASSERT_EQ(table.find(pair).valid(), expected.valid());
        if (expected.valid()) {
            ASSERT_EQ(table.find(pair), expected);
        }
        ASSERT_EQ(table.peek(pair).valid(), expected.valid());
        std::size_t with_block = 0;
        for (const auto& [other, holder] : naive) {
            if (holder != sm || (other.input != pair.input && other.weights != pair.input))
                continue;
            ++with_block;
            const std::vector<BlockPair> pairs = table.pairs_with(pair.input, sm);
            ASSERT_NE(std::find(pairs.begin(), pairs.end(), other), pairs.end());
        }
        ASSERT_EQ(table.pairs_with(pair.input, sm).size(), with_block);
        ASSERT_EQ(table.contains(pair.input, sm), with_block != 0);
        if (rng() % 3 != 0) {
            ASSERT_EQ(table.insert_if_absent(pair, sm), found == naive.end());
            if (found == naive.end()) {
                if (naive.size() == capacity) naive.pop_front();
                naive.emplace_back(pair, sm);
            }
        } else {
            const auto before = naive.size();
            naive.erase(std::remove_if(naive.begin(), naive.end(),
                                       [&](const auto& e) {
                                           return e.second == sm && (e.first.input == pair.input ||
                                                                     e.first.weights == pair.input);
                                       }),
                        naive.end());
            ASSERT_EQ(table.invalidate(pair.input, sm), before - naive.size());
        }
        ASSERT_EQ(table.size(), naive.size());
    }
}

INSTANTIATE_TEST_SUITE_P(Capacities, AssignTableTest, ::testing::Values(1, 3, 20, 512));

/// All operations a thread will do further down, found by walking through them.
TEST(Predictor, FindsExactlyTheLaterUsesOfTheInputVector) {
    constexpr Address kRow = 1000, kWeightRow = 20;
    for (std::uint32_t height : {1U, 2U, 3U, 5U, 7U}) {
        for (std::uint32_t stride : {1U, 2U, 3U}) {
            for (std::uint32_t windows : {1U, 2U, 4U, 9U}) {
                for (std::uint32_t y = 0; y < windows; ++y) {
                    for (std::uint32_t kh = 0; kh < height; ++kh) {
                        const Address input = (y * stride + kh) * kRow;
                        std::set<Address> expected;  // weight vectors
                        for (std::uint32_t y2 = y + 1; y2 < windows; ++y2) {
                            for (std::uint32_t kh2 = 0; kh2 < height; ++kh2) {
                                if ((y2 * stride + kh2) * kRow == input) {
                                    expected.insert(100 + kh2 * kWeightRow);
                                }
                            }
                        }
                        VectorOperation now;
                        now.input = input;
                        now.weights = 100 + kh * kWeightRow;
                        now.window_row = kh;
                        now.row_step = stride;
                        now.windows_below = windows - 1 - y;
                        now.weight_row_bytes = kWeightRow;
                        std::set<Address> predicted;
                        predict_operations(now, [&](const VectorOperation& later) {
                            EXPECT_EQ(later.input, input);
                            EXPECT_TRUE(predicted.insert(later.weights).second);
                        });
                        ASSERT_EQ(predicted, expected) << height << " " << stride << " " << y;
                    }
                }
            }
        }
    }
}

/// The paper's example (Figure 3): three predictions from one window of 3 x 3.
TEST(Predictor, GivesTheThreePredictionsOfFigure3) {
    std::uint32_t predictions = 0;
    for (std::uint32_t kh = 0; kh < 3; ++kh) {
        VectorOperation now;
        now.window_row = kh;
        now.windows_below = 100;
        predict_operations(now, [&](const VectorOperation&) { ++predictions; });
    }
    EXPECT_EQ(predictions, 3U);
}

}  // namespace
}  // namespace tessera

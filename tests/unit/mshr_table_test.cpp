// Does the table find what is outstanding, and hand it out in order of readiness?
#include "sc_models/memory/mshr_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <stdexcept>

using namespace tessera;

namespace {

TEST(MshrTable, DrainsInOrderOfReadinessAndNotBefore) {
    MshrTable table(4);
    table.insert(7, 30);
    table.insert(9, 10);
    table.insert(3, 20);
    table.insert(8, 20);
    EXPECT_TRUE(table.full());
    EXPECT_EQ(table.earliest(), 10U);
    std::vector<std::uint64_t> order;
    const auto note = [&](const MshrTable::Entry& entry) { order.push_back(entry.sector); };
    table.drain(9, note);
    EXPECT_TRUE(order.empty());
    table.drain(20, note);
    EXPECT_EQ(order, (std::vector<std::uint64_t>{9, 3, 8}));
    EXPECT_EQ(table.find(9), nullptr);
    ASSERT_NE(table.find(7), nullptr);
    EXPECT_EQ(table.size(), 1U);
}

TEST(MshrTable, EmptyTableIsNeverReady) {
    MshrTable table(2);
    EXPECT_EQ(table.earliest(), kNever);
    table.drain(kNever, [](const MshrTable::Entry&) { FAIL(); });
    EXPECT_THROW(table.pop_earliest(), std::logic_error);
}

TEST(MshrTable, MisuseIsRefused) {
    MshrTable table(2);
    table.insert(1, 5);
    EXPECT_THROW(table.insert(1, 6), std::logic_error);
    table.insert(2, 5);
    EXPECT_THROW(table.insert(3, 5), std::logic_error);
    EXPECT_THROW(MshrTable(0), std::logic_error);
    EXPECT_THROW(MshrTable(MshrTable::kMaxCapacity + 1), std::logic_error);
}

TEST(MshrTable, AgreesWithAMapOverAMillionOperations) {
    constexpr std::uint32_t kSeed = 99;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    MshrTable table(192);
    std::map<std::uint64_t, MshrTable::Entry> naive;
    std::set<std::pair<Cycle, std::uint64_t>> order;
    Cycle now = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const std::uint64_t sector = random() % 400 << (random() % 2 * 12);
        switch (random() % 8) {
            case 0: {
                now += random() % 40;
                table.drain(now, [&](const MshrTable::Entry& entry) {
                    ASSERT_FALSE(order.empty());
                    ASSERT_EQ(order.begin()->first, entry.ready);
                    ASSERT_EQ(order.begin()->second, entry.sector);
                    ASSERT_EQ(naive.at(entry.sector).targets, entry.targets);
                    ASSERT_EQ(naive.at(entry.sector).dirty, entry.dirty);
                    naive.erase(entry.sector);
                    order.erase(order.begin());
                });
                ASSERT_TRUE(order.empty() || order.begin()->first > now) << "operation " << i;
                break;
            }
            default: {
                MshrTable::Entry* found = table.find(sector);
                const auto it = naive.find(sector);
                ASSERT_EQ(found != nullptr, it != naive.end()) << "operation " << i;
                if (found != nullptr) {
                    ASSERT_EQ(found->ready, it->second.ready);
                    found->targets = found->targets + 1;
                    ++it->second.targets;
                    const bool dirty = random() % 4 == 0;
                    found->dirty = dirty;
                    it->second.dirty = dirty;
                } else if (!table.full()) {
                    const Cycle ready = now + random() % 600;
                    table.insert(sector, ready);
                    naive[sector] = {sector, 0, ready, 1};
                    order.insert({ready, sector});
                }
            }
        }
        ASSERT_EQ(table.size(), naive.size());
        ASSERT_EQ(table.earliest(), order.empty() ? kNever : order.begin()->first);
    }
}

}  // namespace

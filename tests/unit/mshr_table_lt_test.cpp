// Does the table find what is outstanding, and hand it out in order of readiness?
#include "sc_models/memory/core/mshr_table_lt.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <stdexcept>

using namespace tessera;

namespace {

TEST(MshrTableLt, DrainsInOrderOfReadinessAndNotBefore) {
    MshrTableLt table(7);
    table.insert(7, 1, 30);
    table.insert(9, 0xF, 10);
    table.insert(3, 2, 20);
    table.insert(3, 1, 20);
    EXPECT_TRUE(table.full());
    EXPECT_EQ(table.earliest(), 10U);
    std::vector<std::pair<LineNumber, std::uint64_t>> order;
    const auto note = [&](const MshrTableLt::Entry& entry) {
        order.emplace_back(LineNumber{entry.line}, std::uint64_t{entry.sectors});
    };
    table.drain(9, note);
    EXPECT_TRUE(order.empty());
    table.drain(20, note);
    EXPECT_EQ(order, (std::vector<std::pair<LineNumber, std::uint64_t>>{{9, 0xF}, {3, 1}, {3, 2}}));
    EXPECT_EQ(table.find(9, 1), nullptr);
    ASSERT_NE(table.find(7, 1), nullptr);
    EXPECT_EQ(table.find(7, 2), nullptr);
    EXPECT_EQ(table.size(), 1U);
}

TEST(MshrTableLt, EmptyTableIsNeverReady) {
    MshrTableLt table(2);
    EXPECT_EQ(table.earliest(), kNever);
    table.drain(kNever, [](const MshrTableLt::Entry&) { FAIL(); });
    EXPECT_THROW(table.pop_earliest(), std::logic_error);
}

TEST(MshrTableLt, MisuseIsRefused) {
    MshrTableLt table(4);
    table.insert(1, 3, 5);
    EXPECT_THROW(table.insert(1, 6, 6), std::logic_error) << "one of them is there";
    EXPECT_THROW(table.insert(2, 0, 6), std::logic_error);
    EXPECT_THROW(table.insert(2, 7, 6), std::logic_error) << "no room for three";
    table.insert(2, 3, 5);
    EXPECT_THROW(table.insert(3, 1, 5), std::logic_error);
    EXPECT_THROW(MshrTableLt(0), std::logic_error);
    EXPECT_THROW(MshrTableLt(MshrTableLt::kMaxCapacity + 1), std::logic_error);
}

TEST(MshrTableLt, AgreesWithAMapOverAMillionOperations) {
    constexpr std::uint32_t kSeed = 99;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    MshrTableLt table(192);
    struct Naive {
        Cycle ready;
        std::uint64_t targets, dirty;
    };
    using Key = std::pair<LineNumber, std::uint64_t>;  // line, sectors
    std::map<Key, Naive> naive;
    std::set<std::pair<Cycle, Key>> order;
    std::uint32_t outstanding = 0;
    const auto sectors_of = [](std::uint64_t mask) {
        return static_cast<std::uint32_t>(__builtin_popcountll(mask));
    };
    Cycle now = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const LineNumber line = random() % 100 << (random() % 2 * 12);
        const auto sectors = static_cast<SectorMask>(1 + random() % 15);
        if (random() % 8 == 0) {
            now += random() % 40;
            table.drain(now, [&](const MshrTableLt::Entry& entry) {
                ASSERT_FALSE(order.empty());
                const Key key{std::uint64_t{entry.line}, std::uint64_t{entry.sectors}};
                ASSERT_EQ(order.begin()->first, entry.ready);
                ASSERT_EQ(order.begin()->second, key);
                ASSERT_EQ(naive.at(key).targets, entry.targets);
                ASSERT_EQ(naive.at(key).dirty, entry.dirty);
                naive.erase(key);
                order.erase(order.begin());
                outstanding -= sectors_of(key.second);
            });
            ASSERT_TRUE(order.empty() || order.begin()->first > now) << "operation " << i;
        } else {
            MshrTableLt::Entry* found = table.find(line, sectors);
            auto it = naive.lower_bound({line, 0});
            bool overlaps = false;
            for (auto other = it; other != naive.end() && other->first.first == line; ++other) {
                overlaps = overlaps || (other->first.second & sectors) != 0;
            }
            ASSERT_EQ(found != nullptr, overlaps) << "operation " << i;
            if (found != nullptr) {
                ASSERT_NE(found->sectors & sectors, 0U);
                it = naive.find(Key{line, std::uint64_t{found->sectors}});
                ASSERT_NE(it, naive.end()) << "operation " << i;
                ASSERT_EQ(found->ready, it->second.ready);
                found->targets = found->targets + 1;
                ++it->second.targets;
                found->dirty = found->dirty | (sectors & found->sectors);
                it->second.dirty |= sectors & found->sectors;
            } else if (outstanding + sectors_of(sectors) <= table.capacity()) {
                const Cycle ready = now + random() % 600;
                table.insert(line, sectors, ready);
                naive[{line, sectors}] = {ready, 1, 0};
                order.insert({ready, {line, sectors}});
                outstanding += sectors_of(sectors);
            }
        }
        ASSERT_EQ(table.size(), outstanding);
        ASSERT_EQ(table.earliest(), order.empty() ? kNever : order.begin()->first);
    }
}

TEST(MshrTableLt, AnOpenEntryLeavesWhenItIsResolvedAndNotBefore) {
    MshrTableLt table(6);
    table.insert(1, 1, 20);
    MshrTableLt::Entry& open = table.insert(2, 3, MshrTableLt::kOpen | 17);
    EXPECT_TRUE(open.open());
    EXPECT_EQ(open.request(), 17U);
    EXPECT_FALSE(table.find(1, 1)->open());
    table.insert(2, 4, MshrTableLt::kOpen | 18);
    EXPECT_EQ(table.size(), 4U);
    EXPECT_EQ(table.earliest(), 20U);
    std::vector<std::uint64_t> left;
    const auto note = [&](const MshrTableLt::Entry& entry) {
        left.push_back(std::uint64_t{entry.line} << 8U | entry.sectors);
    };
    table.drain(100, note);
    EXPECT_EQ(left, (std::vector<std::uint64_t>{0x101}));
    EXPECT_EQ(table.earliest(), kNever);
    EXPECT_THROW(table.pop_earliest(), std::logic_error);

    // Among equally ready entries the lower sectors come first, whichever was resolved first.
    table.resolve(2, 4, 50);
    table.resolve(2, 3, 50);
    EXPECT_THROW(table.resolve(2, 3, 50), std::logic_error) << "it is not open any more";
    EXPECT_THROW(table.resolve(9, 1, 50), std::logic_error);
    EXPECT_FALSE(table.find(2, 1)->open());
    left.clear();
    table.drain(50, note);
    EXPECT_EQ(left, (std::vector<std::uint64_t>{0x203, 0x204}));
    EXPECT_EQ(table.size(), 0U);
}

}  // namespace

// Which pages does a TLB hold, and what does a miss cost?
#include "sc_models/memory/core/tlb.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>

namespace tessera {
namespace {

constexpr Address kPage = 4096;

TlbConfig config(std::uint32_t entries) {
    TlbConfig config;
    config.entries = entries;
    config.page_kib = 4;
    config.miss_latency_cycles = 100;
    return config;
}

TEST(Tlb, APageThatIsNotKnownHoldsUpWhatIsBehind) {
    StatGroup statistics("l1");
    Tlb tlb(config(2), statistics);
    EXPECT_EQ(tlb.translate(0, 10), 110U);
    EXPECT_EQ(tlb.translate(kPage - 1, 20), 110U) << "the same page, but behind the first";
    EXPECT_EQ(tlb.translate(kPage, 50), 210U) << "one walk after the other";
    EXPECT_EQ(tlb.translate(0, 300), 300U);
    EXPECT_EQ(statistics.sum("tlb.hits"), 2U);
    EXPECT_EQ(statistics.sum("tlb.misses"), 2U);
    EXPECT_EQ(statistics.sum("tlb.stall_cycles"), 100U + 90 + 160);
}

TEST(Tlb, ThePageUsedLongestAgoIsReplaced) {
    StatGroup statistics("l1");
    Tlb tlb(config(4), statistics);
    std::mt19937 random(3);
    std::vector<Address> known;  // the naive one: all pages, the latest last
    Cycle now = 0;
    for (int i = 0; i < 2000; ++i) {
        const Address page = random() % 6;
        const auto from = known.size() < 4 ? known.begin() : known.end() - 4;
        const bool hit = std::find(from, known.end(), page) != known.end();
        known.erase(std::remove(known.begin(), known.end(), page), known.end());
        known.push_back(page);
        now += 1000;
        ASSERT_EQ(tlb.translate(page * kPage + random() % kPage, now), now + (hit ? 0 : 100));
    }
}

}  // namespace
}  // namespace tessera

// Does the policy of an L1 keep its rules, without any timing?
#include "sc_models/memory/core/l1_policy.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace tessera {
namespace {

/// One set of four lines of four sectors, with L2 lines of 64 bytes.
class L1PolicyTest : public testing::Test {
protected:
    [[nodiscard]] L1Policy make() {
        return L1Policy("l1", {config, 512, 64, false, stats}, nullptr);
    }
    L1Config config;
    StatGroup stats{"test"};
};

TEST_F(L1PolicyTest, ALineTakesAWayAtTheMissOrAtTheFill) {
    for (const L1Allocation allocation : {L1Allocation::kOnMiss, L1Allocation::kOnFill}) {
        config.allocation = allocation;
        StatGroup group("cache");
        L1Policy policy("l1", {config, 512, 128, false, group}, nullptr);
        for (LineNumber line = 0; line < 4; ++line) policy.install(line, 1);
        policy.allocate_on_miss(9);
        const bool on_miss = allocation == L1Allocation::kOnMiss;
        EXPECT_EQ(policy.statistics().evictions, on_miss ? 1U : 0U);
        EXPECT_EQ(policy.holds(0), !on_miss) << "line 0 is the least recently used";
        policy.install(9, 2);
        EXPECT_EQ(policy.statistics().evictions, 1U);
        EXPECT_EQ(policy.statistics().fills, 5U);
        EXPECT_FALSE(policy.holds(9 * 4));
        EXPECT_TRUE(policy.holds(9 * 4 + 1));
    }
}

TEST_F(L1PolicyTest, ARegisterServesItsMostReadsASector) {
    config.mshr_targets = 3;
    const L1Policy policy = make();
    EXPECT_TRUE(policy.merges(2, 1));
    EXPECT_FALSE(policy.merges(3, 1));
    EXPECT_TRUE(policy.merges(5, 2));
    EXPECT_FALSE(policy.merges(6, 2));
}

TEST_F(L1PolicyTest, MissesShareARequestWithinABlockBelow) {
    config.sectors_per_request = 3;
    L1Policy policy = make();
    EXPECT_TRUE(policy.joins(1, {0, 1}));
    EXPECT_FALSE(policy.joins(2, {0, 1})) << "no neighbour";
    EXPECT_FALSE(policy.joins(2, {0, 2})) << "a block of 64 bytes ends there";
    EXPECT_TRUE(policy.fits_request(2, 2));
    EXPECT_FALSE(policy.fits_request(1, 2)) << "across two blocks";
    StatGroup group("cache");
    const L1Policy wide("l1", {config, 512, 128, false, group}, nullptr);
    EXPECT_TRUE(wide.joins(2, {0, 2}));
    EXPECT_FALSE(wide.joins(3, {0, 3})) << "a request has three sectors at most";
    EXPECT_TRUE(wide.fits_request(0, 3));
    EXPECT_FALSE(wide.fits_request(0, 4));
}

TEST_F(L1PolicyTest, AStoreAllocatesItsWholeSectorsAndAnAtomicNone) {
    config.stores = L1Stores::kAllocate;
    L1Policy policy = make();
    EXPECT_EQ(policy.write_bytes(16, 100), 48U) << "up to the end of the block below";
    EXPECT_EQ(policy.write(16, 48, 0, true), 2U);
    EXPECT_FALSE(policy.holds(1));
    EXPECT_EQ(policy.write(16, 48, 0, false), 2U);
    EXPECT_FALSE(policy.holds(0)) << "written in part";
    EXPECT_TRUE(policy.holds(1));
    EXPECT_EQ(policy.write(32, 32, policy.use(0), false), 1U);
    EXPECT_EQ(policy.statistics().writes, 5U);
    EXPECT_EQ(policy.statistics().write_hits, 1U);
    config.stores = L1Stores::kAround;
    StatGroup group("cache");
    L1Policy around("l1", {config, 512, 64, false, group}, nullptr);
    around.write(0, 64, 0, false);
    EXPECT_FALSE(around.holds(0));
}

/// Expects the two reads behind each.
class NextTwo : public Prefetcher {
public:
    void on_read(std::uint32_t /*stream*/, Address address,
                 std::vector<Address>& expected) override {
        expected.push_back(address + 32);
        expected.push_back(address + 64);
    }
};

struct Shell {
    std::set<std::uint64_t> sectors_pending;
    bool room = true;
    std::vector<std::uint64_t> requested;
    [[nodiscard]] bool pending(std::uint64_t sector) const {
        return sectors_pending.count(sector) != 0;
    }
    [[nodiscard]] bool has_room(std::uint64_t /*sector*/) const { return room; }
    void request(std::uint64_t sector) { requested.push_back(sector); }
};

TEST_F(L1PolicyTest, PrefetchesWhatIsNeitherHereNorPendingIfThereIsRoom) {
    L1Policy policy = make();
    EXPECT_FALSE(policy.prefetches());
    policy.attach(std::make_unique<NextTwo>(), stats);
    EXPECT_TRUE(policy.prefetches());
    policy.install(0, 2);
    Shell shell;
    policy.prefetch(0, 0, 32, shell);
    EXPECT_EQ(shell.requested, std::vector<std::uint64_t>{2}) << "sector 1 is here";
    shell.sectors_pending = {6};
    policy.prefetch(0, 4 * 32, 32, shell);
    EXPECT_EQ(shell.requested, (std::vector<std::uint64_t>{2, 5}));
    shell.room = false;
    policy.prefetch(0, 8 * 32, 32, shell);
    EXPECT_EQ(policy.statistics().prefetch.issued, 2U);
    EXPECT_EQ(policy.statistics().prefetch.dropped, 2U);
}

TEST_F(L1PolicyTest, CountsAddUp) {
    L1Policy policy = make();
    policy.count_hits(3);
    policy.count_hit(0, 1);
    policy.count_pending_hit(1, 2);
    policy.count_misses(2, false);
    policy.count_misses(1, true);
    policy.statistics().count_read_below(3);
    std::vector<std::string> violations;
    policy.check("l1", 2, violations);
    EXPECT_TRUE(violations.empty());
    policy.check("l1", 1, violations);
    EXPECT_EQ(violations.size(), 1U) << "a miss is neither pending nor filled";
    EXPECT_EQ(policy.statistics().reads, 8U);
    EXPECT_EQ(policy.statistics().bypasses, 1U);
}

}  // namespace
}  // namespace tessera

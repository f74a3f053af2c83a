// Does a wait need exactly the copies of the groups that it names?
#include "sc_models/sm/copy_groups.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

using Entries = std::vector<std::uint8_t>;

Entries needed(const CopyGroups& groups, std::uint32_t left) {
    Entries entries;
    groups.visit_needed(left, [&](std::uint8_t entry) { entries.push_back(entry); });
    return entries;
}

CopyGroups groups_of(const std::vector<std::uint32_t>& sizes, std::uint32_t entries = 8) {
    CopyGroups groups;
    groups.reset(100, entries);
    for (const std::uint32_t size : sizes) {
        for (std::uint32_t i = 0; i < size; ++i) groups.add();
        groups.commit();
    }
    return groups;
}

TEST(CopyGroups, AWaitLeavesTheLastGroups) {
    const CopyGroups groups = groups_of({2, 1, 3});
    EXPECT_EQ(needed(groups, 0), (Entries{100, 101, 102, 103, 104, 105}));
    EXPECT_EQ(needed(groups, 1), (Entries{100, 101, 102}));
    EXPECT_EQ(needed(groups, 2), (Entries{100, 101}));
    EXPECT_EQ(needed(groups, 3), Entries{});
    EXPECT_EQ(needed(groups, 9), Entries{});
}

TEST(CopyGroups, TheOpenGroupIsNeverNeeded) {
    CopyGroups groups = groups_of({1});
    groups.add();
    EXPECT_EQ(needed(groups, 0), Entries{100});
    groups.commit();
    EXPECT_EQ(needed(groups, 0), (Entries{100, 101}));
}

TEST(CopyGroups, LaterWaitsSeeOnlyWhatIsLeft) {
    CopyGroups groups = groups_of({2, 2, 2});
    groups.waited(2);
    EXPECT_EQ(needed(groups, 1), (Entries{102, 103}));
    groups.waited(1);
    EXPECT_EQ(needed(groups, 1), Entries{});
    groups.add();
    groups.commit();
    EXPECT_EQ(needed(groups, 1), (Entries{104, 105}));
}

TEST(CopyGroups, EmptyGroupsCount) {
    const CopyGroups groups = groups_of({2, 0, 0});
    EXPECT_EQ(needed(groups, 2), (Entries{100, 101}));
    EXPECT_EQ(needed(groups, 3), Entries{});
}

/// An entry is used again only once its copy has arrived, so a wait needs no more than the rest.
TEST(CopyGroups, EntriesRotate) {
    CopyGroups groups = groups_of({3, 3}, 4);
    EXPECT_EQ(groups.next_entry(), 102);
    EXPECT_EQ(needed(groups, 0), (Entries{102, 103, 100, 101}));
}

}  // namespace
}  // namespace tessera

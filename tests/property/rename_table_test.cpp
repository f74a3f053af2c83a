// Does the rename table agree with a naive one, and does it detect leaks?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "sc_models/common/error.h"
#include "sc_models/duplo/pending_releases.h"
#include "sc_models/duplo/rename_table.h"

namespace tessera::test {
namespace {

constexpr std::uint32_t kArchitectural = 48;
constexpr std::uint32_t kPhysical = 60;
constexpr std::uint32_t kOperations = 1000000;
constexpr std::uint64_t kSeed = 5;

class NaiveTable {
public:
    explicit NaiveTable(std::uint32_t physical) {
        for (std::uint32_t i = 0; i < physical; ++i) {
            free.push_back(i);
        }
    }
    std::uint32_t map_new(std::uint32_t arch) {
        const std::uint32_t phys = free.front();
        free.pop_front();
        count[phys] = 1;
        map[arch] = phys;
        return phys;
    }
    bool share(std::uint32_t arch, std::uint32_t phys) {
        const bool revived = count[phys] == 0;
        if (revived) {
            free.erase(std::find(free.begin(), free.end(), phys));
        }
        ++count[phys];
        map[arch] = phys;
        return revived;
    }
    bool unmap(std::uint32_t arch) {
        const std::uint32_t phys = map.at(arch);
        map.erase(arch);
        if (--count[phys] != 0) {
            return false;
        }
        free.push_back(phys);
        return true;
    }
    void put_first(std::uint32_t phys) {
        free.erase(std::find(free.begin(), free.end(), phys));
        free.push_front(phys);
    }
    std::map<std::uint32_t, std::uint32_t> map, count;
    std::deque<std::uint32_t> free;
};

/// Step of the first disagreement, kOperations if none.
template <class Table>
std::uint32_t first_disagreement(Table& table) {
    std::mt19937_64 rng(kSeed);
    NaiveTable naive(kPhysical);
    table.reset(kArchitectural, kPhysical, false);
    for (std::uint32_t step = 0; step < kOperations; ++step) {
        const auto arch = static_cast<std::uint32_t>(rng() % kArchitectural);
        const PhysRegId phys{static_cast<std::uint32_t>(rng() % kPhysical)};
        if (naive.map.count(arch) != 0) {
            const PhysRegId old = table.detach(arch);
            if (old.value() != naive.map[arch] || table.drop(old) != naive.unmap(arch)) {
                return step;
            }
        }
        if (naive.count[phys.value()] == 0 && rng() % 4 == 0) {
            table.put_first(phys);
            naive.put_first(phys.value());
        }
        switch (rng() % 3) {
            case 0:
                if (table.map_new(arch).value() != naive.map_new(arch)) {
                    return step;
                }
                break;
            case 1:
                if (table.share(arch, phys) != naive.share(arch, phys.value())) {
                    return step;
                }
                break;
            default:
                if (table.mapping(arch).valid()) {
                    return step;
                }
        }
        if (table.free_units() != naive.free.size() || table.mapped_units() != naive.map.size() ||
            table.count(phys) != naive.count[phys.value()]) {
            return step;
        }
    }
    return kOperations;
}

TEST(RenameTable, AgreesWithTheNaiveTable) {
    RenameTable table;
    EXPECT_EQ(first_disagreement(table), kOperations) << "seed " << kSeed;
    EXPECT_NO_THROW(table.check());
}

/// Frees a register one release too late.
class LateRelease : public RenameTable {
public:
    bool drop(PhysRegId phys) {
        const PhysRegId due = std::exchange(late_, phys);
        return due.valid() && RenameTable::drop(due);
    }

private:
    PhysRegId late_;
};

/// Reuses the register that died last instead of the one that has waited longest.
class LastInFirstOut : public RenameTable {
public:
    PhysRegId map_new(std::uint32_t arch) {
        if (!last_.valid() || count(last_) != 0) {
            return RenameTable::map_new(arch);
        }
        share(arch, last_);
        return last_;
    }
    bool drop(PhysRegId phys) {
        last_ = phys;
        return RenameTable::drop(phys);
    }

private:
    PhysRegId last_;
};

TEST(RenameTable, CheckerCatchesMutants) {
    LateRelease late;
    EXPECT_LT(first_disagreement(late), kOperations);
    LastInFirstOut lifo;
    EXPECT_LT(first_disagreement(lifo), kOperations);
}

TEST(RenameTable, CheckFindsLeaks) {
    RenameTable table;
    table.reset(4, 4, false);
    const PhysRegId phys = table.map_new(0);
    table.share(1, phys);
    EXPECT_NO_THROW(table.check());
    static_cast<void>(table.detach(1));
    EXPECT_THROW(table.check(), CheckError);  // its reference was never dropped
    EXPECT_FALSE(table.drop(phys));
    EXPECT_NO_THROW(table.check());
    table.retain(phys);
    EXPECT_THROW(table.check(), CheckError);
}

TEST(RenameTable, ResetForgetsEveryMapping) {
    RenameTable table;
    table.reset(4, 4, false);
    static_cast<void>(table.map_new(0));
    table.reset(2, 3, false);
    EXPECT_EQ(table.mapped_units(), 0U);
    EXPECT_EQ(table.free_units(), 3U);
    EXPECT_NO_THROW(table.check());
}

TEST(RenameTable, RunsOutOrGrows) {
    RenameTable table;
    table.reset(3, 2, false);
    static_cast<void>(table.map_new(0));
    static_cast<void>(table.map_new(1));
    EXPECT_THROW(static_cast<void>(table.map_new(2)), std::logic_error);
    EXPECT_TRUE(table.drop(table.detach(0)));
    EXPECT_THROW(static_cast<void>(table.drop(PhysRegId{0})), std::logic_error);
    table.reset(3000, 1, true);
    for (std::uint32_t arch = 0; arch < 3000; ++arch) {
        EXPECT_EQ(table.map_new(arch).value(), arch);
    }
    EXPECT_NO_THROW(table.check());
}

TEST(PendingReleases, ResetForgetsAll) {
    PendingReleases pending;
    pending.reset(4);
    pending.end_at(PhysRegId{1}, 10);
    pending.end_with(PhysRegId{2}, PhysRegId{3}, 10);
    pending.reset(4);
    EXPECT_EQ(pending.size(), 0U);
    EXPECT_FALSE(pending.pop_oldest().valid());
    EXPECT_FALSE(pending.pop_due(kNever).valid());
    pending.end_at(PhysRegId{0}, 5);
    EXPECT_EQ(pending.size(), 1U);
    EXPECT_EQ(pending.pop_oldest(), PhysRegId{0});
    EXPECT_FALSE(pending.pop_oldest().valid());
}

/// Ends of mappings come out in time order, whenever their time became known, each once.
TEST(PendingReleases, AgreeWithANaiveList) {
    struct Naive {
        std::uint32_t old;
        Cycle at;             ///< known or least
        std::uint32_t until;  ///< register waited for, ~0: none
    };
    std::mt19937_64 rng(kSeed);
    constexpr std::uint32_t kRegisters = 32;
    PendingReleases pending;
    pending.reset(kRegisters);
    std::vector<Naive> naive;
    Cycle now = 0;
    std::uint32_t next = 0;
    for (int step = 0; step < 300000; ++step) {
        const auto reg = static_cast<std::uint32_t>(rng() % kRegisters);
        const Cycle at = now + rng() % 20;
        switch (rng() % 5) {
            case 0:
                pending.end_at(PhysRegId{next}, at);
                naive.push_back({next++, at, ~0u});
                break;
            case 1:
                pending.end_with(PhysRegId{next}, PhysRegId{reg}, at);
                naive.push_back({next++, at, reg});
                break;
            case 2:
                pending.announce(PhysRegId{reg}, at);
                for (Naive& n : naive) {
                    if (n.until == reg) {
                        n = {n.old, std::max(n.at, at), ~0u};
                    }
                }
                break;
            case 3: {
                now += rng() % 4;
                std::vector<std::uint32_t> due, expected;
                for (PhysRegId p = pending.pop_due(now); p.valid(); p = pending.pop_due(now)) {
                    due.push_back(p.value());
                }
                for (std::size_t i = 0; i < naive.size();) {
                    if (naive[i].until == ~0u && naive[i].at <= now) {
                        expected.push_back(naive[i].old);
                        naive.erase(naive.begin() + static_cast<std::ptrdiff_t>(i));
                    } else {
                        ++i;
                    }
                }
                std::sort(due.begin(), due.end());
                std::sort(expected.begin(), expected.end());
                ASSERT_EQ(due, expected) << "seed " << kSeed << ", step " << step;
                break;
            }
            default:
                if (naive.size() > 20) {
                    ASSERT_EQ(pending.pop_oldest().value(), naive.front().old);
                    naive.erase(naive.begin());
                }
        }
        ASSERT_EQ(pending.size(), naive.size()) << "seed " << kSeed << ", step " << step;
    }
}

}  // namespace
}  // namespace tessera::test

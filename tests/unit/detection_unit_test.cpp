// Does the detection unit follow the paper's worked example, and does every parameter do what it
// says?
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/duplo/detection_unit.h"
#include "sc_models/duplo/element_formula.h"
#include "tests/support/duplo_layers.h"
#include "tests/unit/detection_rig.h"

namespace tessera::test {
namespace {

/// Table II: a 4-entry direct-mapped LHB over the example of Figure 6.
TEST(DuploTable2, WorksAsPrinted) {
    const LoweredGeometry g = lower(1, 4, 4, 1, 3, 3, 0, 1, false, Channels::kDense);
    for (const IdFormula formula : {IdFormula::kPaper, IdFormula::kCorrected}) {
        const ElementFormula ids(g, formula, FormulaReading::kLiteral);
        LoadHistoryBuffer lhb(4, 1, false);
        lhb.program(0, 8);
        RenameTable rename;
        rename.reset(9, 8, false);  // %r0 .. %r8, %p0 .. %p7
        rename.set_free_order({2, 1, 6, 0, 3, 4, 5, 7});
        ASSERT_NO_THROW(rename.check());
        const auto key_of = [&](std::uint32_t array_index) {
            DataId id;
            id.element = ids(array_index).element;
            id.batch = static_cast<std::uint32_t>(ids(array_index).batch);
            return LhbKey::make(id, 0, 0);
        };

        // 1: wmma.load.a %r4, array index 2: id 2, entry 2, miss, %r4 -> %p2.
        EXPECT_EQ(ids(2).element, 2u);
        EXPECT_EQ(lhb.set_of(key_of(2)), 2u);
        EXPECT_FALSE(lhb.find(key_of(2)).valid());
        EXPECT_EQ(rename.map_new(4), PhysRegId{2});
        EXPECT_FALSE(lhb.insert(key_of(2), PhysRegId{2}).phys.valid());
        // 2: wmma.load.b %r2 bypasses, %r2 -> %p1.
        EXPECT_EQ(rename.map_new(2), PhysRegId{1});
        // 3: wmma.load.a %r3, array index 10: id 2, entry 2, hit, %r3 -> %p2.
        EXPECT_EQ(ids(10).element, 2u);
        EXPECT_EQ(lhb.set_of(key_of(10)), 2u);
        ASSERT_EQ(lhb.find(key_of(10)), PhysRegId{2});
        rename.share(3, PhysRegId{2});
        EXPECT_EQ(rename.count(PhysRegId{2}), 2u);
        // 4: wmma.load.a %r8, array index 28: id 6, entry 2, conflict, %r8 -> %p6, entry replaced.
        EXPECT_EQ(ids(28).element, 6u);
        EXPECT_EQ(lhb.set_of(key_of(28)), 2u);
        EXPECT_FALSE(lhb.find(key_of(28)).valid());
        EXPECT_EQ(rename.map_new(8), PhysRegId{6});
        const auto replaced = lhb.insert(key_of(28), PhysRegId{6});
        EXPECT_EQ(replaced.phys, PhysRegId{2});
        EXPECT_FALSE(replaced.same_key);
        EXPECT_EQ(lhb.find(key_of(28)), PhysRegId{6});
        EXPECT_FALSE(lhb.find(key_of(2)).valid());
        EXPECT_EQ(rename.mapping(4), PhysRegId{2});
        EXPECT_EQ(rename.mapping(3), PhysRegId{2});
    }
}

class DetectionUnitTest : public DetectionRig {};

TEST_F(DetectionUnitTest, UnitsByGranularityAndCopies) {
    struct Case {
        Granularity granularity;
        std::uint32_t copies, units, bytes;
    };
    for (const Case c :
         {Case{Granularity::kRow16, 2, 32, 32}, Case{Granularity::kRow16, 1, 16, 32},
          Case{Granularity::kHalfTile8, 2, 4, 256}, Case{Granularity::kHalfTile8, 1, 2, 256},
          Case{Granularity::kTile16, 2, 1, 512}, Case{Granularity::kTile16, 1, 1, 512}}) {
        config_.granularity = c.granularity;
        config_.octet_copies = c.copies;
        start();
        EXPECT_EQ(unit_->shape().count(), c.units);
        EXPECT_EQ(unit_->shape().bytes(), c.bytes);
        EXPECT_EQ(unit_->physical_units(), 8 * 2 * c.units);
    }
    config_.octet_copies = 3;
    EXPECT_THROW(DetectionUnit(config_, 4), ConfigError);
}

TEST_F(DetectionUnitTest, RefusesBadBuffersAndShifts) {
    config_.lhb_entries = 1000;
    config_.lhb_ways = 3;
    EXPECT_THROW(DetectionUnit(config_, 4), ConfigError);
    config_.lhb_ways = 8;
    EXPECT_NO_THROW(DetectionUnit(config_, 4));
    config_.lhb_shift_bits = 40;
    EXPECT_THROW(DetectionUnit(config_, 4), ConfigError);
}

TEST_F(DetectionUnitTest, LoadsNeverLaunchedAreModelBugs) {
    start();
    FragmentLoad load;
    load.warp = 8;
    EXPECT_THROW(unit_->begin(now_, load, active_), std::logic_error);
    load.warp = 0;
    load.fragment = 2;
    EXPECT_THROW(unit_->begin(now_, load, active_), std::logic_error);
    load.fragment = 0;
    load.sub_core = 4;
    EXPECT_THROW(unit_->begin(now_, load, active_), std::logic_error);
}

TEST_F(DetectionUnitTest, ClassesOfHits) {
    config_.lhb_entries = 0;
    start();
    load(0, 0, 0, 1);  // filter row 0, middle pixel
    EXPECT_EQ(unit_->counters().misses, 16u);
    EXPECT_EQ(hits(HitClass::kOctetCopy), 16u);
    load(1, 0, 0, 1);
    EXPECT_EQ(hits(HitClass::kSameAddressOtherWarp), 32u);
    load(0, 1, 0, 1);
    EXPECT_EQ(hits(HitClass::kSameAddressSameWarp), 32u);
    // One pixel to the right in the filter is one output to the left: rows 1..15 of the first load.
    load(0, 1, 0, 2);
    EXPECT_EQ(hits(HitClass::kLoweringDuplicateSameWarp), 30u);
    EXPECT_EQ(hits(HitClass::kOctetCopy), 17u);
    // One filter row down is one output row up.
    load(2, 0, 32, 1);
    load(3, 0, 0, 4);
    EXPECT_EQ(hits(HitClass::kLoweringDuplicateOtherWarp), 32u);
    EXPECT_EQ(unit_->counters().total_hits() + unit_->counters().misses, 6 * 32u);
}

/// A warp that takes the slot of one that has ended is another warp, to every warp there is.
TEST_F(DetectionUnitTest, TheNextWarpOfASlotIsAnotherWarp) {
    config_.lhb_entries = 0;
    start();
    for (std::uint32_t w = 0; w < 8; ++w) load(w, 0, 64 * w, 4);
    const auto others = [this] { return hits(HitClass::kSameAddressOtherWarp); };
    unit_->release_warp(0, now_);
    for (std::uint32_t w = 1; w < 8; ++w) {
        const std::uint64_t before = others();
        load(0, 1, 64 * w, 4);
        EXPECT_EQ(others() - before, 32u) << "loaded by warp " << w;
    }
    EXPECT_EQ(hits(HitClass::kSameAddressSameWarp), 0u);
}

TEST_F(DetectionUnitTest, CopyZeroComesFirstThenCopyOne) {
    start();
    const auto outcomes = load(0, 0, 0, 4);
    for (std::uint32_t u = 0; u < 32; ++u) {
        EXPECT_EQ(outcomes[u].kind, u < 16 ? AccessKind::kMiss : AccessKind::kHit) << u;
        EXPECT_EQ(unit_->shape().copy_of(u), u / 16);
        EXPECT_EQ(unit_->shape().first_row(u), u % 16);
    }
    EXPECT_EQ(outcomes[20].phys, outcomes[4].phys);
    EXPECT_EQ(outcomes[20].ready, now_ + kLatency);
}

TEST_F(DetectionUnitTest, SharedRegisterSurvivesItsLoader) {
    start();
    const auto first = load(0, 0, 0, 4);
    const auto second = load(1, 0, 0, 4);
    EXPECT_EQ(second[0].phys, first[0].phys);
    load(0, 0, 64, 4);  // overwritten, but warp 1 maps it
    EXPECT_EQ(load(2, 0, 0, 4)[0].kind, AccessKind::kHit);
    unit_->release_warp(1, now_);
    EXPECT_EQ(load(3, 0, 0, 4)[0].kind, AccessKind::kHit);
    unit_->release_warp(2, now_);
    unit_->release_warp(3, now_);
    EXPECT_GT(unit_->counters().releases, 0u);
    EXPECT_EQ(load(3, 0, 0, 4)[0].kind, AccessKind::kMiss);
}

TEST_F(DetectionUnitTest, LifetimesEndInOrder) {
    // After the only mapping ended: R0 and R1 forget, R2 remembers until reuse, R3 always.
    const auto remembered = [&](Lifetime lifetime, std::uint32_t loads_between, Cycle wait) {
        config_.lifetime = lifetime;
        config_.lhb_entries = 0;
        start();
        load(0, 0, 0, 4);
        now_ += wait;
        for (std::uint32_t i = 0; i < loads_between; ++i) {
            load(0, 0, 64 + 32 * i, 4);
        }
        return load(1, 0, 0, 4)[0].kind == AccessKind::kHit;
    };
    EXPECT_TRUE(remembered(Lifetime::kInFlight, 0, kLatency - 1));
    EXPECT_FALSE(remembered(Lifetime::kInFlight, 0, kLatency));
    EXPECT_TRUE(remembered(Lifetime::kMapped, 0, kLatency + 1000));
    EXPECT_FALSE(remembered(Lifetime::kMapped, 1, 0));
    EXPECT_TRUE(remembered(Lifetime::kUntilReused, 1, 0));
    EXPECT_FALSE(remembered(Lifetime::kUntilReused, 60, 0));
    EXPECT_TRUE(remembered(Lifetime::kForever, 29, 0));
}

TEST_F(DetectionUnitTest, InFlightOnlyHitsRelayTheEntry) {
    config_.lifetime = Lifetime::kInFlight;
    config_.octet_copies = 1;
    config_.latency_cycles = 5;
    start();
    load(0, 0, 0, 4);
    now_ += kLatency - 1;
    EXPECT_EQ(load(1, 0, 0, 4)[0].kind, AccessKind::kHit);  // served at now + 5
    now_ += 4;
    EXPECT_EQ(load(2, 0, 0, 4)[0].kind, AccessKind::kHit);
    now_ += 5;
    EXPECT_EQ(load(3, 0, 0, 4)[0].kind, AccessKind::kMiss);
    EXPECT_EQ(unit_->counters().expired, 16u);
}

TEST_F(DetectionUnitTest, SpareUnitsKeepDataLonger) {
    config_.lifetime = Lifetime::kUntilReused;
    config_.octet_copies = 1;
    config_.lhb_entries = 0;
    const auto survives = [&](std::uint32_t spare) {
        config_.spare_units = spare;
        start();
        for (std::uint32_t w = 0; w < 8; ++w) {  // every register in use
            load(w, 0, 32 * w, 4);
            load(w, 1, 512 + 32 * w, 4);
        }
        load(0, 0, 1024, 4);
        load(0, 0, 1056, 4);
        return load(1, 0, 0, 4)[0].kind == AccessKind::kHit;
    };
    EXPECT_FALSE(survives(0));
    EXPECT_TRUE(survives(64));
    EXPECT_EQ(unit_->counters().revivals, 16u);
}

TEST_F(DetectionUnitTest, InFlightHitsCanBeRefused) {
    config_.in_flight_hits = false;
    start();
    load(0, 0, 0, 4);
    EXPECT_EQ(unit_->counters().total_hits(), 0u);
    EXPECT_EQ(unit_->counters().in_flight_refused, 16u);
    now_ += kLatency;
    load(1, 0, 0, 4);
    EXPECT_EQ(hits(HitClass::kSameAddressOtherWarp), 32u);
}

TEST_F(DetectionUnitTest, ScopesSeparateWhoShares) {
    config_.octet_copies = 1;
    config_.lhb_entries = 0;
    const auto kinds = [&](Scope scope) {
        config_.scope = scope;
        start();
        load(0, 0, 0, 5);
        std::vector<AccessKind> result;
        result.push_back(load(0, 1, 0, 5)[3].kind);  // same warp
        result.push_back(load(4, 0, 0, 5)[3].kind);  // same sub-core
        result.push_back(load(1, 0, 0, 5)[3].kind);  // other sub-core
        result.push_back(load(1, 1, 0, 4)[4].kind);  // the same value in another lane
        return result;
    };
    constexpr auto kH = AccessKind::kHit;
    constexpr auto kM = AccessKind::kMiss;
    EXPECT_EQ(kinds(Scope::kSm), (std::vector{kH, kH, kH, kH}));
    EXPECT_EQ(kinds(Scope::kSubCore), (std::vector{kH, kH, kM, kH}));
    EXPECT_EQ(kinds(Scope::kWarp), (std::vector{kH, kM, kM, kH}));
    EXPECT_EQ(kinds(Scope::kLane), (std::vector{kH, kH, kH, kM}));
}

TEST_F(DetectionUnitTest, LaneScopeAlsoKeepsOctetCopiesApart) {
    config_.scope = Scope::kLane;
    start();
    load(0, 0, 0, 4);
    EXPECT_EQ(hits(HitClass::kOctetCopy), 0u);
}

/// The register file is full of distinct data: the next load overwrites row r just before it looks
/// row r up (issue), or keeps all rows until its data is there (commit).
TEST_F(DetectionUnitTest, ReleaseAtIssueOrCommit) {
    config_.octet_copies = 1;
    config_.lhb_entries = 0;
    config_.release = ReleasePoint::kIssue;
    start(1);
    load(0, 0, 0, 5);
    // The right neighbour of each row is the row below of the fragment being overwritten.
    load(0, 0, 1, 5);
    EXPECT_EQ(unit_->counters().total_hits(), 15u);
    load(0, 0, 0, 5);  // the left neighbour: already overwritten
    EXPECT_EQ(unit_->counters().total_hits(), 15u + 0u);

    config_.release = ReleasePoint::kCommit;
    start(1);
    load(0, 0, 0, 5);
    now_ += kLatency;
    load(0, 0, 1, 5);
    load(0, 0, 0, 5);
    EXPECT_EQ(unit_->counters().total_hits(), 15u + 16u);
    now_ += 2 * kLatency;
    load(1, 0, 1, 5);  // rows 1..15 are held by warp 0, row 16 ended when the data came
    EXPECT_EQ(unit_->counters().total_hits(), 15u + 16u + 15u);
}

TEST_F(DetectionUnitTest, CommitReleasesEarlyRatherThanRunOut) {
    config_.release = ReleasePoint::kCommit;
    config_.octet_copies = 1;
    start(1);
    for (std::uint32_t i = 0; i < 5; ++i) {
        for (std::uint32_t w = 0; w < 8; ++w) {
            load(w, 0, 16 * (w + 8 * i), 4);
        }
    }
    EXPECT_GT(unit_->counters().early_releases, 0u);
    for (std::uint32_t w = 0; w < 8; ++w) {
        unit_->release_warp(w, now_);
    }
    EXPECT_NO_THROW(unit_->check_drained());
}

/// Registers whose release waits for data are released, data or not.
TEST_F(DetectionUnitTest, PowerOffReleasesWhatWaits) {
    config_.release = ReleasePoint::kCommit;
    start();
    load(0, 0, 0, 4);
    now_ += 2 * kLatency;
    load(0, 0, 64, 4);  // overwrites it
    unit_->release_warp(0, now_);
    ASSERT_LT(unit_->rename_table().free_units(), unit_->physical_units());
    unit_->power_off();
    EXPECT_EQ(unit_->rename_table().free_units(), unit_->physical_units());
}

TEST_F(DetectionUnitTest, ZeroRowsNeedNoRegister) {
    config_.zero_rule = true;
    start();
    const auto outcomes = load(0, 0, 0, 0);  // above the image: padding
    for (const UnitOutcome& o : outcomes) {
        EXPECT_EQ(o.kind, AccessKind::kZero);
        EXPECT_FALSE(o.phys.valid());
    }
    EXPECT_EQ(hits(HitClass::kZero), 32u);
    EXPECT_EQ(unit_->counters().lookups, 0u);
    const auto edge = load(0, 0, 0, 3);
    EXPECT_EQ(edge[0].kind, AccessKind::kZero);  // left of the image
    EXPECT_EQ(edge[1].kind, AccessKind::kMiss);
    config_.zero_rule = false;
    start();
    EXPECT_EQ(load(0, 0, 0, 0)[0].kind, AccessKind::kMiss);
}

TEST_F(DetectionUnitTest, AStoreIntoTheWorkspaceEndsDetection) {
    start();
    load(0, 0, 0, 4);
    unit_->note_store(geometry_.base - 32, 32);
    unit_->note_store(geometry_.base + Address{geometry_.n_chunks} * 32, 128);
    EXPECT_TRUE(unit_->detecting());
    unit_->note_store(geometry_.base - 32, 33);
    EXPECT_FALSE(unit_->detecting());
    EXPECT_TRUE(unit_->powered());
    EXPECT_EQ(unit_->counters().workspace_stores, 1u);
    EXPECT_EQ(unit_->history().size(), 0u);
    // Shared registers must not be written in place: fragments still get fresh ones.
    const auto outcomes = load(1, 0, 0, 4);
    EXPECT_EQ(outcomes[0].kind, AccessKind::kBypass);
    EXPECT_EQ(outcomes[0].bypass, BypassReason::kOff);
    EXPECT_NE(outcomes[0].phys, unit_->mapping(0, 0, 0));
    EXPECT_EQ(bypasses(BypassReason::kOff), 32u);
}

/// A store also ends the entries of loads that have missed but wait for their turn in the buffer.
TEST_F(DetectionUnitTest, AStoreIntoTheWorkspaceEndsEntriesUnderWay) {
    config_.lookups_per_cycle = config_.octet_copies = 1;
    start();
    load(0, 0, 0, 4);
    EXPECT_LT(unit_->history().size(), unit_->counters().misses);
    unit_->note_store(geometry_.base, 32);
    EXPECT_EQ(unit_->history().size(), 0u);
    unit_->release_warp(1, now_ + 100);
    EXPECT_EQ(unit_->history().size(), 0u) << "nothing is entered behind the store";
    unit_->release_warp(0, now_ + 200);
    EXPECT_NO_THROW(unit_->check_drained());
}

TEST_F(DetectionUnitTest, SleepsUntilWoken) {
    config_.wake_cycles = 50;
    start();
    EXPECT_EQ(unit_->awake_at(), 50u);
    now_ = 49;
    EXPECT_EQ(load(0, 0, 0, 4)[0].bypass, BypassReason::kAsleep);
    now_ = 50;
    EXPECT_EQ(load(1, 0, 0, 4)[0].kind, AccessKind::kMiss);
    unit_->power_off();
    EXPECT_FALSE(unit_->powered());
}

TEST_F(DetectionUnitTest, ShiftAndFoldSpreadSets) {
    config_.octet_copies = 1;
    config_.lhb_entries = 256;
    const auto evictions = [&](std::uint32_t shift, bool fold) {
        config_.lhb_shift_bits = shift;
        config_.lhb_fold = fold;
        start();
        for (std::uint32_t w = 0; w < 8; ++w) {
            load(w, 0, 32 * w, 4);
        }
        return unit_->counters().evictions;
    };
    // 16 halves a pixel: without a shift only every 16th set is used.
    EXPECT_EQ(evictions(0, false), 8 * 16u - 16u);
    EXPECT_LT(evictions(DuploConfig::kAutoShift, false), 16u);
    EXPECT_NE(evictions(4, false), evictions(0, false));
    EXPECT_NE(evictions(0, true), evictions(0, false));
}

TEST_F(DetectionUnitTest, DenseFilterRowsBypassWhereTheyCross) {
    geometry_ = lower(2, 32, 32, 8, 3, 3, 1, 1, false, Channels::kDense);  // 24 halves a filter row
    start();
    EXPECT_EQ(load(0, 0, 0, 0)[0].kind, AccessKind::kMiss);
    EXPECT_EQ(load(0, 0, 0, 1)[0].bypass, BypassReason::kCrossing);
    EXPECT_EQ(load(0, 0, 0, 4)[0].bypass, BypassReason::kRowTail);
    EXPECT_EQ(bypasses(BypassReason::kCrossing), 32u);
    EXPECT_EQ(bypasses(BypassReason::kRowTail), 32u);
}

}  // namespace
}  // namespace tessera::test

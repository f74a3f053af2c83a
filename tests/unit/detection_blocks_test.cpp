// Does each block of a detection unit keep its rules: the kernel's state, the values in physical
// units, the pipe before the load history buffer, and the rename stage?
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/duplo/detection_state.h"
#include "sc_models/duplo/history_pipe.h"
#include "sc_models/duplo/rename_stage.h"
#include "sc_models/duplo/value_table.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {
namespace {

LhbKey key(std::uint64_t element) {
    DataId id;
    id.element = element;
    return LhbKey::make(id, 0, 0);
}

ConvolutionPacket packet() {
    return ConvolutionPacket::make(lower(2, 32, 32, 16, 3, 3, 1, 1, false, Channels::kPad16));
}

TEST(DetectionState, LooksUpFromItsWakingUntilItStops) {
    DetectionState kernel;
    EXPECT_FALSE(kernel.powered());
    EXPECT_EQ(kernel.bypass(0), BypassReason::kOff);
    kernel.start(packet(), 4, 2, 100);
    EXPECT_TRUE(kernel.powered());
    EXPECT_EQ(kernel.bypass(99), BypassReason::kAsleep);
    EXPECT_EQ(kernel.bypass(100), BypassReason::kNone);
    kernel.wake_at(200);
    EXPECT_EQ(kernel.bypass(199), BypassReason::kAsleep);
    kernel.stop_detection();
    EXPECT_TRUE(kernel.powered());
    EXPECT_EQ(kernel.bypass(200), BypassReason::kOff);
    kernel.end();
    EXPECT_FALSE(kernel.powered());
}

TEST(DetectionState, DetectsStoresThatMeetTheWorkspace) {
    const ConvolutionPacket p = packet();
    DetectionState kernel;
    EXPECT_FALSE(kernel.is_detected(p.base, 4));
    kernel.start(p, 4, 2, 0);
    EXPECT_FALSE(kernel.is_detected(p.base - 4, 4));
    EXPECT_TRUE(kernel.is_detected(p.base - 4, 5));
    EXPECT_TRUE(kernel.is_detected(p.end() - 1, 1));
    EXPECT_FALSE(kernel.is_detected(p.end(), 4));
    kernel.stop_detection();
    EXPECT_FALSE(kernel.is_detected(p.base, 4));
}

TEST(DetectionState, NumbersLoadsAndWarps) {
    DetectionState kernel;
    kernel.start(packet(), 2, 3, 0);
    FragmentLoad load;
    load.warp = 1;
    load.fragment = 2;
    EXPECT_TRUE(kernel.has(load));
    ActiveLoad first, second;
    kernel.begin(load, first);
    kernel.free_slot(1);
    kernel.begin(load, second);
    EXPECT_NE(first.serial, second.serial);
    EXPECT_EQ(first.producer, 1U);
    EXPECT_EQ(second.producer, 2U);  // another warp in the slot
    load.fragment = 3;
    EXPECT_FALSE(kernel.has(load));
    load = {};
    load.warp = 2;
    EXPECT_FALSE(kernel.has(load));
}

TEST(ValueTable, ClassifiesHitsByOrigin) {
    ValueTable values{DuploConfig{}};
    values.reset(2);
    ActiveLoad load;
    load.serial = 1;
    load.producer = 5;
    const PhysRegId phys{1};
    values.begin(phys, 0x100, load);
    EXPECT_EQ(values.ready(phys), kNever);
    EXPECT_EQ(values.classify(load, 0x100, phys), HitClass::kOctetCopy);
    load.serial = 2;
    EXPECT_EQ(values.classify(load, 0x100, phys), HitClass::kSameAddressSameWarp);
    EXPECT_EQ(values.classify(load, 0x200, phys), HitClass::kLoweringDuplicateSameWarp);
    load.producer = 6;
    EXPECT_EQ(values.classify(load, 0x100, phys), HitClass::kSameAddressOtherWarp);
    EXPECT_EQ(values.classify(load, 0x200, phys), HitClass::kLoweringDuplicateOtherWarp);
}

TEST(ValueTable, EndsValuesWithTheirLastUser) {
    DuploConfig config;
    config.lifetime = Lifetime::kInFlight;
    ValueTable values{config};
    values.reset(1);
    const PhysRegId phys{0};
    values.begin(phys, 0, {});
    EXPECT_EQ(values.service(10, phys), ValueTable::Service::kServes);  // waits for the data
    values.set_ready(phys, 50);
    EXPECT_EQ(values.service(49, phys), ValueTable::Service::kServes);
    EXPECT_EQ(values.service(50, phys), ValueTable::Service::kExpired);
    values.add_user(phys, 60);
    EXPECT_EQ(values.service(59, phys), ValueTable::Service::kServes);
    EXPECT_EQ(values.service(60, phys), ValueTable::Service::kExpired);
    values.clear_users(phys);
    values.begin(phys, 0, {});
    values.set_ready(phys, 20);
    EXPECT_EQ(values.service(20, phys), ValueTable::Service::kExpired);
}

TEST(ValueTable, RefusesDataInFlight) {
    DuploConfig config;
    config.in_flight_hits = false;
    ValueTable values{config};
    values.reset(1);
    const PhysRegId phys{0};
    values.begin(phys, 0, {});
    EXPECT_EQ(values.service(10, phys), ValueTable::Service::kInFlight);
    values.set_ready(phys, 50);
    EXPECT_EQ(values.service(49, phys), ValueTable::Service::kInFlight);
    EXPECT_EQ(values.service(50, phys), ValueTable::Service::kServes);
}

/// Records insertions.
struct Insertions : InsertionListener {
    void on_inserted(PhysRegId phys, const LoadHistoryBuffer::Replaced& replaced) override {
        inserted.push_back(phys);
        last = replaced;
    }
    std::vector<PhysRegId> inserted;
    LoadHistoryBuffer::Replaced last;
};

/// A buffer of 16 entries that executes one operation a cycle.
DuploConfig limited() {
    DuploConfig config;
    config.lhb_entries = 16;
    config.lookups_per_cycle = 1;
    config.latency_cycles = 2;  // of the buffer alone
    return config;
}

class HistoryPipeTest : public ::testing::Test {
protected:
    void start(HistoryPipe& pipe) {
        pipe.report_to(insertions_);
        buffer_.program(0, 16);
    }

    DuploConfig config_ = limited();
    HistoryPort buffer_{config_};
    Insertions insertions_;
};

TEST_F(HistoryPipeTest, FindsAnEntryFromItsInsertionOn) {
    HistoryPipe pipe(config_, buffer_);
    start(pipe);
    ASSERT_TRUE(pipe.limited());
    EXPECT_EQ(pipe.enter(10), 10U);
    EXPECT_FALSE(pipe.find(key(1)).valid());
    EXPECT_EQ(pipe.leave(), 10U);
    pipe.insert(key(1), PhysRegId{3});
    EXPECT_TRUE(insertions_.inserted.empty());

    // The insertion is ready at 10 + kHistoryCycles + 1 = 13, and precedes a lookup there.
    EXPECT_EQ(pipe.enter(12), 12U);
    EXPECT_FALSE(pipe.find(key(1)).valid());
    EXPECT_EQ(pipe.leave(), 12U);
    EXPECT_EQ(pipe.enter(13), 14U);
    EXPECT_EQ(pipe.find(key(1)), PhysRegId{3});
    EXPECT_EQ(insertions_.inserted, std::vector<PhysRegId>{PhysRegId{3}});
    EXPECT_EQ(pipe.leave(), 14U);
    EXPECT_EQ(pipe.late(), 0U);
}

TEST_F(HistoryPipeTest, InsertsAnEntryBeforeItsRelease) {
    HistoryPipe pipe(config_, buffer_);
    start(pipe);
    pipe.enter(10);
    EXPECT_FALSE(pipe.find(key(1)).valid());
    pipe.leave();
    pipe.insert(key(1), PhysRegId{3});
    pipe.enter(11);
    EXPECT_TRUE(pipe.release(PhysRegId{3}));  // not ready before 13
    pipe.leave();
    EXPECT_EQ(insertions_.inserted.size(), 1U);
    EXPECT_GT(pipe.late(), 0U);
    EXPECT_EQ(buffer_.size(), 0U);
    EXPECT_FALSE(pipe.release(PhysRegId{3}));
}

TEST_F(HistoryPipeTest, ReleasesBehindTheUnitThatLeft) {
    HistoryPipe pipe(config_, buffer_);
    start(pipe);
    pipe.enter(10);
    EXPECT_FALSE(pipe.find(key(1)).valid());
    pipe.leave();
    pipe.insert(key(1), PhysRegId{3});
    pipe.settle();
    EXPECT_EQ(buffer_.size(), 1U);
    pipe.enter(20);
    EXPECT_FALSE(pipe.find(key(2)).valid());
    EXPECT_EQ(pipe.leave(), 20U);
    EXPECT_TRUE(pipe.release_behind(PhysRegId{3}));
    EXPECT_EQ(pipe.enter(21), 22U);  // the release takes cycle 21
}

TEST_F(HistoryPipeTest, IsAtOnceWithoutLimit) {
    config_.lookups_per_cycle = DuploConfig::kUnlimitedLookups;
    HistoryPipe pipe(config_, buffer_);
    start(pipe);
    EXPECT_FALSE(pipe.limited());
    pipe.insert(key(1), PhysRegId{3});
    EXPECT_EQ(pipe.find(key(1)), PhysRegId{3});
    pipe.insert(key(17), PhysRegId{4});  // the same set
    EXPECT_EQ(insertions_.last.phys, PhysRegId{3});
    EXPECT_EQ(pipe.late(), 0U);
}

/// A rename stage of four architectural units, with its buffer.
struct Stage {
    explicit Stage(const DuploConfig& config)
        : buffer(config), history(config, buffer), stage(config, table, history, counters) {
        stage.reset(4);
        buffer.program(0, table.physical_units());
    }
    RenamedUnit unit(std::uint32_t arch, Cycle now = 0) const {
        return {now, load, id, 0x100, arch, {}};
    }
    /// Misses with `element`.
    PhysRegId miss(std::uint32_t arch, std::uint64_t element, Cycle now = 0) {
        RenamedUnit u = unit(arch, now);
        stage.end_mapping<false>(u);
        const PhysRegId phys = stage.allocate<false>(u);
        stage.miss(id, phys);
        history.insert(key(element), phys);
        stage.end_deferred_with(u, phys);
        return phys;
    }

    ActiveLoad load{};
    DataId id{};
    DetectionCounters counters;
    RenamePort table;
    HistoryPort buffer;
    HistoryPipe history;
    RenameStage stage;
};

TEST(RenameStage, EndsAnEntryWithTheLastMapping) {
    Stage s{DuploConfig{}};
    EXPECT_TRUE(s.stage.is_plain());
    const PhysRegId phys = s.miss(0, 1);
    EXPECT_EQ(s.stage.hit<false>(s.unit(1), phys).phys, phys);
    s.stage.end_mappings(0, 1);
    EXPECT_EQ(s.history.find(key(1)), phys);
    s.stage.end_mappings(1, 1);
    EXPECT_FALSE(s.history.find(key(1)).valid());
    EXPECT_EQ(s.counters.releases, 1U);
    EXPECT_NO_THROW(s.stage.check_empty());
}

TEST(RenameStage, HasTheSameRulesOnTheFastPath) {
    Stage s{DuploConfig{}};
    RenamedUnit first = s.unit(0);
    const PhysRegId phys = s.stage.allocate<true>(first);
    s.stage.replace<true>(phys, s.buffer.insert(key(1), phys));
    EXPECT_EQ(s.stage.hit<true>(s.unit(1), phys).hit_class, HitClass::kOctetCopy);
    RenamedUnit freed = s.unit(0);
    s.stage.end_mapping<true>(freed);
    EXPECT_EQ(s.counters.releases, 0U);
    RenamedUnit last = s.unit(1);
    s.stage.end_mapping<true>(last);
    EXPECT_EQ(s.counters.releases, 1U);
    EXPECT_NO_THROW(s.stage.check_empty());
}

TEST(RenameStage, KeepsAnEntryUntilItsRegisterIsReused) {
    DuploConfig config;
    config.lifetime = Lifetime::kUntilReused;
    Stage s{config};
    EXPECT_FALSE(s.stage.is_plain());
    const PhysRegId phys = s.miss(0, 1);
    s.stage.end_mappings(0, 1);
    EXPECT_EQ(s.history.find(key(1)), phys);
    EXPECT_EQ(s.stage.hit<false>(s.unit(2), phys).phys, phys);
    EXPECT_EQ(s.counters.revivals, 1U);
    s.stage.end_mappings(2, 1);
    for (std::uint32_t arch = 0; arch < 4; ++arch) s.miss(arch, 10 + arch);
    EXPECT_FALSE(s.history.find(key(1)).valid());
    EXPECT_EQ(s.counters.releases, 1U);
}

TEST(RenameStage, EndsAMappingWhenTheOverwritingLoadHasItsData) {
    DuploConfig config;
    config.release = ReleasePoint::kCommit;
    config.spare_units = 1;
    Stage s{config};
    const PhysRegId old = s.miss(0, 1);
    s.stage.set_ready(old, 5);
    const PhysRegId fresh = s.miss(0, 2, 10);
    s.stage.drain_releases(100);
    EXPECT_EQ(s.history.find(key(1)), old);
    EXPECT_THROW(s.stage.check_empty(), CheckError);
    s.stage.set_ready(fresh, 120);
    s.stage.drain_releases(119);
    EXPECT_EQ(s.history.find(key(1)), old);
    s.stage.drain_releases(120);
    EXPECT_FALSE(s.history.find(key(1)).valid());
}

TEST(RenameStage, EndsPendingMappingsEarlyForLackOfRegisters) {
    DuploConfig config;
    config.release = ReleasePoint::kCommit;
    Stage s{config};
    for (std::uint32_t arch = 0; arch < 4; ++arch) s.miss(arch, arch);
    EXPECT_EQ(s.counters.early_releases, 0U);
    s.miss(0, 8);  // its own old register
    EXPECT_EQ(s.counters.early_releases, 1U);
}

TEST(RenameStage, KeepsARegisterAsLongAsAnEntryNamesIt) {
    DuploConfig config;
    config.lifetime = Lifetime::kForever;
    config.lhb_entries = 16;
    Stage s{config};
    const PhysRegId phys = s.miss(0, 1);
    s.stage.end_mappings(0, 1);
    EXPECT_EQ(s.table.model().count(phys), 1U);
    s.miss(1, 17);  // replaces the entry
    EXPECT_EQ(s.counters.evictions, 1U);
    EXPECT_EQ(s.table.model().count(phys), 0U);
    s.stage.end_mappings(1, 1);
    s.stage.clear_history();
    EXPECT_NO_THROW(s.stage.check_empty());
}

}  // namespace
}  // namespace tessera::test

// Does every hit name a register that holds the wanted data, for every setting of every parameter?
#include <gtest/gtest.h>

#include "sc_models/common/error.h"
#include "tests/support/duplo_machine.h"

namespace tessera::test {
namespace {

constexpr std::uint64_t kSeed = 2020;

DuploConfig base_config() {
    DuploConfig config;
    config.enabled = true;
    return config;
}

LoweredGeometry layer(std::size_t i) {
    switch (i % 5) {
        case 0:
            return lower(2, 7, 7, 16, 3, 3, 1, 1, false, Channels::kPad16);
        case 1:
            return lower(3, 9, 6, 8, 3, 3, 1, 2, false, Channels::kFilterRow);
        case 2:
            return lower(2, 8, 5, 3, 3, 3, 1, 1, false, Channels::kDense);
        case 3:
            return lower(2, 4, 4, 16, 5, 5, 2, 2, true, Channels::kPad16);
        default:
            return lower(2, 20, 18, 16, 1, 3, 0, 1, false, Channels::kPad16);
    }
}

/// Lifetime, granularity, scope.
using Setting = std::tuple<Lifetime, Granularity, Scope>;
class DetectionUnitSettings : public ::testing::TestWithParam<Setting> {};

TEST_P(DetectionUnitSettings, HitsHoldTheRightDataAndNothingLeaks) {
    std::uint64_t hits = 0;
    for (std::uint32_t variant = 0; variant < 40; ++variant) {
        DuploConfig config = base_config();
        std::tie(config.lifetime, config.granularity, config.scope) = GetParam();
        config.octet_copies = variant % 2 + 1;
        config.release = variant / 2 % 2 == 0 ? ReleasePoint::kIssue : ReleasePoint::kCommit;
        config.lhb_entries = variant % 4 == 3 ? 64 : 0;
        config.lhb_ways = variant % 8 == 7 ? 4 : 1;
        config.lhb_fold = variant % 3 == 0;
        config.zero_rule = variant % 5 >= 3;
        config.in_flight_hits = variant % 7 != 6;
        config.spare_units = variant % 3 * 8;
        config.keep =
            variant % 2 == variant / 20 ? RetentionPolicy::kDuplicates : RetentionPolicy::kAny;
        LoweredGeometry g = layer(variant / 4);
        g.zero_rule = config.zero_rule;
        DuploMachine machine(config, g);
        machine.run(kSeed + variant, 250);
        EXPECT_EQ(machine.findings().wrong_hits, 0u) << "seed " << kSeed + variant;
        EXPECT_EQ(machine.findings().wrong_zeros, 0u) << "seed " << kSeed + variant;
        EXPECT_EQ(machine.findings().wrong_registers, 0u) << "seed " << kSeed + variant;
        EXPECT_EQ(machine.findings().unexpected, 0u) << "seed " << kSeed + variant;
        const DetectionCounters& c = machine.unit().counters();
        EXPECT_EQ(c.loads * machine.unit().shape().count(),
                  c.lookups + c.total_bypasses() + c.hits[static_cast<int>(HitClass::kZero)]);
        EXPECT_EQ(c.lookups + c.hits[static_cast<int>(HitClass::kZero)], c.total_hits() + c.misses);
        hits += machine.findings().hits;
        machine.exit_all();
        EXPECT_NO_THROW(machine.unit().check_drained()) << "seed " << kSeed + variant;
        // The next kernel starts from nothing.
        EXPECT_NO_THROW(machine.unit().launch(ConvolutionPacket::make(g), 4, 2, 0));
        EXPECT_EQ(machine.unit().history().size(), 0u);
    }
    EXPECT_GT(hits, 20u);
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, DetectionUnitSettings,
    ::testing::Combine(::testing::Values(Lifetime::kInFlight, Lifetime::kMapped,
                                         Lifetime::kUntilReused, Lifetime::kForever),
                       ::testing::Values(Granularity::kRow16, Granularity::kHalfTile8,
                                         Granularity::kTile16),
                       ::testing::Values(Scope::kLane, Scope::kWarp, Scope::kSubCore, Scope::kSm)));

/// Loads follow each other faster than the pipe takes them, so that entries are made late.
TEST(DetectionUnit, HitsHoldTheRightDataHoweverFewLookUpsThereAre) {
    std::uint64_t hits = 0;
    for (std::uint32_t variant = 0; variant < 192; ++variant) {
        DuploConfig config = base_config();
        config.lookups_per_cycle = 1 + variant % 4;
        config.latency_cycles = variant % 3 * 10;
        config.lifetime = static_cast<Lifetime>(variant / 4 % 4);
        config.granularity = static_cast<Granularity>(variant / 16 % 3);
        config.octet_copies = config.granularity == Granularity::kTile16 ? 1 : 2;
        config.release = variant / 48 % 2 == 0 ? ReleasePoint::kIssue : ReleasePoint::kCommit;
        config.lhb_entries = variant / 96 == 0 ? 64 : 0;
        config.spare_units = variant % 5 * 8;
        config.zero_rule = variant % 7 == 0;
        config.keep = variant % 11 < 5 ? RetentionPolicy::kDuplicates : RetentionPolicy::kAny;
        LoweredGeometry g = layer(variant / 4);
        g.zero_rule = config.zero_rule;
        DuploMachine machine(config, g);
        machine.run(kSeed + variant, 150);
        EXPECT_EQ(machine.findings().wrong(), 0U) << "seed " << kSeed + variant;
        hits += machine.findings().hits;
        machine.exit_all();
        EXPECT_NO_THROW(machine.unit().check_drained()) << "seed " << kSeed + variant;
        EXPECT_NO_THROW(machine.unit().launch(ConvolutionPacket::make(g), 4, 2, 0));
        EXPECT_EQ(machine.unit().history().size(), 0U);
    }
    EXPECT_GT(hits, 1000U);
}

TEST(DetectionUnit, CheckerCatchesPrintedFormulas) {
    for (const IdFormula formula : {IdFormula::kPaper, IdFormula::kNotes}) {
        DuploConfig config = base_config();
        config.id_formula = formula;
        config.lifetime = Lifetime::kForever;  // so that both halves of a false match are there
        config.lhb_entries = 0;
        DuploMachine machine(config, layer(0));
        machine.run(kSeed, 600);
        EXPECT_GT(machine.findings().wrong_hits, 0u);
        EXPECT_GT(machine.findings().wrong_registers, 0u);
    }
}

/// The workspace is not what the packet says: one image's rows more or less in the output.
TEST(DetectionUnit, CheckerCatchesAWrongPacket) {
    DuploConfig config = base_config();
    config.lhb_entries = 0;
    const LoweredGeometry g = lower(1, 6, 6, 16, 3, 3, 1, 1, false, Channels::kPad16);
    LoweredGeometry other = lower(1, 4, 9, 16, 3, 3, 1, 1, false, Channels::kPad16);
    ASSERT_EQ(g.n_chunks, other.n_chunks);
    DuploMachine machine(config, g);
    machine.unit().launch(ConvolutionPacket::make(other), 6, 2, 0);
    machine.run(kSeed, 300);
    EXPECT_GT(machine.findings().wrong_hits, 0u);
}

/// A warp that exits without giving its registers back.
TEST(DetectionUnit, DrainCheckCatchesAForgottenWarp) {
    DuploMachine machine(base_config(), layer(0));
    machine.run(kSeed, 100);
    machine.load(0, 0, 0, 0);
    for (std::uint32_t w = 1; w < 6; ++w) {
        machine.exit_warp(w);
    }
    EXPECT_THROW(machine.unit().check_drained(), CheckError);
    EXPECT_THROW(machine.unit().launch(ConvolutionPacket::make(layer(0)), 6, 2, 0),
                 std::logic_error);
    machine.exit_warp(0);
    EXPECT_NO_THROW(machine.unit().check_drained());
}

}  // namespace
}  // namespace tessera::test

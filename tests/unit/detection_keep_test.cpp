// Tests of the retention policy of a detection unit with duplo.keep = duplicates.
#include <gtest/gtest.h>

#include "tests/unit/detection_rig.h"

namespace tessera::test {
namespace {

class DetectionKeep : public DetectionRig {};

/// The first and the last offset of a 3x3 filter: what the first brings comes again, the last's
/// not.
constexpr std::uint32_t kFirstOffset = 0, kFilterRowBelow = 3, kLastOffset = 8;

TEST_F(DetectionKeep, WhatRecursOutlivesItsRegister) {
    config_.octet_copies = 1;
    config_.lhb_entries = 0;
    config_.lifetime = Lifetime::kUntilReused;
    for (const RetentionPolicy keep : {RetentionPolicy::kDuplicates, RetentionPolicy::kAny}) {
        config_.keep = keep;
        start(1);
        load(0, 0, 32, kFirstOffset);
        load(0, 0, 512, kLastOffset);
        load(0, 0, 768, kLastOffset);
        const bool any = keep == RetentionPolicy::kAny;
        EXPECT_EQ(unit_->counters().retained, any ? 0U : 16U);
        EXPECT_EQ(unit_->counters().releases, any ? 0U : 16U);
        // An output row above, a filter row below.
        load(1, 0, 0, kFilterRowBelow);
        EXPECT_EQ(unit_->counters().revivals, 16U);
        load(2, 0, 512, kLastOffset);
        EXPECT_EQ(unit_->counters().revivals, any ? 32U : 16U);
        for (std::uint32_t w = 0; w < 8; ++w) unit_->release_warp(w, now_);
        EXPECT_NO_THROW(unit_->check_drained());
    }
}

/// Loads that do not recur take no register from data that wait.
TEST_F(DetectionKeep, WhatDoesNotRecurIsReusedFirst) {
    config_.octet_copies = 1;
    config_.lhb_entries = 0;
    config_.lifetime = Lifetime::kUntilReused;
    config_.keep = RetentionPolicy::kDuplicates;
    start(1);
    for (std::uint32_t w = 1; w < 7; ++w) load(w, 0, 64 * w, kLastOffset);
    load(0, 0, 32, kFirstOffset);
    for (std::uint32_t i = 0; i < 20; ++i) load(0, 0, 512 + 16 * i, kLastOffset);
    load(7, 0, 0, kFilterRowBelow);
    EXPECT_EQ(unit_->counters().revivals, 16U);
}

TEST_F(DetectionKeep, AnEntryThatRecursGivesWayToItsLikeOnly) {
    config_.octet_copies = 1;
    config_.lhb_entries = 16;
    config_.keep = RetentionPolicy::kDuplicates;
    start(1);
    load(0, 0, 32, kFirstOffset);
    load(1, 0, 512, kLastOffset);
    EXPECT_EQ(unit_->counters().kept_out, 16U);
    EXPECT_EQ(unit_->counters().evictions, 0U);
    load(2, 0, 0, kFilterRowBelow);
    EXPECT_EQ(unit_->counters().total_hits(), 16U);
    load(3, 0, 544, kFirstOffset);
    EXPECT_EQ(unit_->counters().evictions, 16U);
}

/// A load further along k reports that nothing comes after it.
TEST_F(DetectionKeep, TheLastOfItsDuplicatesLetsGo) {
    config_.octet_copies = 1;
    config_.lhb_entries = 16;
    config_.keep = RetentionPolicy::kDuplicates;
    start(1);
    load(0, 0, 66, kFirstOffset);  // row 2, from column 2
    load(1, 0, 0, kLastOffset);    // the same pixels, at the last offset
    EXPECT_EQ(unit_->counters().total_hits(), 16U);
    load(2, 0, 512, kLastOffset);
    EXPECT_EQ(unit_->counters().kept_out, 0U);
    EXPECT_EQ(unit_->counters().evictions, 16U);
}

}  // namespace
}  // namespace tessera::test

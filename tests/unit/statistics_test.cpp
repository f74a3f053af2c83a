// Do counters add up over instances, ratios come after sums, and typos never read as zero?
#include "sc_models/common/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sc_models/common/counter_list.h"

namespace tessera {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two SMs with an L1 each and one memory.
class StatisticsTest : public testing::Test {
protected:
    StatisticsTest() {
        for (std::uint32_t sm = 0; sm < 2; ++sm) {
            StatGroup& l1 = root.instance("sm", sm).child("l1");
            l1.counter("hits", hits[sm], "count", "found");
            l1.counter("reads", reads[sm], "count", "asked");
            l1.ratio("hit_rate", {"hits"}, {"reads"}, "percent", "found of asked", 100.0);
        }
        root.child("memory").counter("bytes", bytes, "bytes", "moved");
    }

    StatGroup root{"gpu"};
    std::uint64_t hits[2] = {1, 3};
    std::uint64_t reads[2] = {2, 30};
    std::uint64_t bytes = 7;
};

TEST_F(StatisticsTest, InstancesAreSummed) {
    EXPECT_EQ(root.sum("sm.l1.hits"), 4U);
    EXPECT_EQ(root.sum("memory.bytes"), 7U);
    const auto json = root.to_json();
    EXPECT_EQ(json.at("sm").at("l1").at("hits"), 4U);
    EXPECT_EQ(json.at("memory").at("bytes"), 7U);
    EXPECT_FALSE(json.contains("sm[0]"));
}

TEST_F(StatisticsTest, CountersAreReadWhenAsked) {
    hits[1] = 10;
    EXPECT_EQ(root.sum("sm.l1.hits"), 11U);
}

TEST_F(StatisticsTest, RatioIsFormedAfterTheSum) {
    // 4 of 32, not the mean of 50 % and 10 %.
    EXPECT_DOUBLE_EQ(root.to_json().at("sm").at("l1").at("hit_rate").get<double>(), 12.5);
    const auto full = root.to_json(StatGroup::Detail::kFull);
    EXPECT_DOUBLE_EQ(full.at("sm[0]").at("l1").at("hit_rate").get<double>(), 50.0);
    EXPECT_DOUBLE_EQ(full.at("sm[1]").at("l1").at("hit_rate").get<double>(), 10.0);
}

TEST_F(StatisticsTest, RatioOfNothingIsZero) {
    reads[0] = reads[1] = 0;
    EXPECT_DOUBLE_EQ(root.to_json().at("sm").at("l1").at("hit_rate").get<double>(), 0.0);
}

TEST_F(StatisticsTest, RatioOfAnUnknownCounterThrows) {
    root.child("memory").ratio("bad", {"bites"}, {"bytes"}, "percent", "typo");
    EXPECT_THROW((void)root.to_json(), std::out_of_range);
}

TEST_F(StatisticsTest, FullDetailListsInstances) {
    const auto full = root.to_json(StatGroup::Detail::kFull);
    EXPECT_EQ(full.at("sm[0]").at("l1").at("hits"), 1U);
    EXPECT_EQ(full.at("sm[1]").at("l1").at("hits"), 3U);
    EXPECT_FALSE(full.contains("sm"));
}

TEST_F(StatisticsTest, MarkStartsAnew) {
    root.mark();
    EXPECT_EQ(root.sum("sm.l1.hits"), 0U);
    hits[0] += 5;
    reads[0] += 20;
    EXPECT_EQ(root.sum("sm.l1.hits"), 5U);
    EXPECT_DOUBLE_EQ(root.to_json().at("sm").at("l1").at("hit_rate").get<double>(), 25.0);
    root.mark();
    EXPECT_EQ(root.sum("sm.l1.hits"), 0U);
}

TEST_F(StatisticsTest, ScaleLastsUntilTheNextMark) {
    root.mark();
    hits[0] += 5;
    reads[0] += 20;
    root.scale(1.5);
    EXPECT_EQ(root.sum("sm.l1.hits"), 8U);  // 7.5
    EXPECT_EQ(root.to_json().at("sm").at("l1").at("reads"), 30U);
    root.mark();
    hits[0] += 5;
    EXPECT_EQ(root.sum("sm.l1.hits"), 5U);
}

TEST_F(StatisticsTest, MissingPathThrows) {
    EXPECT_THROW((void)root.sum("sm.l1.hitz"), std::out_of_range);
    EXPECT_THROW((void)root.sum("sm.l2.hits"), std::out_of_range);
    EXPECT_THROW((void)root.sum("sm"), std::out_of_range);
    EXPECT_THROW((void)root.sum("hits"), std::out_of_range);
    EXPECT_THROW((void)root.sum(""), std::out_of_range);
    EXPECT_THROW((void)root.sum("sm.l1.hit_rate"), std::out_of_range) << "ratios have no sum";
}

TEST_F(StatisticsTest, ChildrenAreMadeOnceAndKeptApartFromInstances) {
    EXPECT_EQ(&root.child("memory"), &root.child("memory"));
    EXPECT_EQ(&root.instance("sm", 1), &root.instance("sm", 1));
    EXPECT_NE(&root.instance("sm", 0), &root.instance("sm", 1));
    EXPECT_NE(&root.child("sm"), &root.instance("sm", 0));
}

TEST_F(StatisticsTest, TextHasPathValueUnitAndMeaning) {
    const std::string text = root.to_text();
    EXPECT_THAT(text, testing::ContainsRegex("sm\\.l1\\.hits +4 +count +found\n"));
    EXPECT_THAT(text,
                testing::ContainsRegex("sm\\.l1\\.hit_rate +12\\.500 +percent +found of asked\n"));
    EXPECT_THAT(root.to_text(StatGroup::Detail::kFull),
                testing::ContainsRegex("sm\\[1\\]\\.l1\\.hits +3 +count"));
}

TEST_F(StatisticsTest, CsvHasAHeaderAndALineEach) {
    EXPECT_EQ(root.to_csv(),
              "path,value,unit,description\n"
              "sm.l1.hits,4,count,\"found\"\n"
              "sm.l1.reads,32,count,\"asked\"\n"
              "sm.l1.hit_rate,12.5,percent,\"found of asked\"\n"
              "memory.bytes,7,bytes,\"moved\"\n");
    EXPECT_THAT(root.to_csv(StatGroup::Detail::kFull), HasSubstr("sm[0].l1.hits,1,count"));
    EXPECT_THAT(root.to_csv(StatGroup::Detail::kFull), Not(HasSubstr("sm.l1")));
}

TEST_F(StatisticsTest, InstancesBelowInstancesAreSummedToo) {
    std::uint64_t issued[4] = {1, 2, 4, 8};
    for (std::uint32_t i = 0; i < 4; ++i) {
        root.instance("sm", i / 2).instance("sub_core", i % 2).counter("issued", issued[i], "", "");
    }
    EXPECT_EQ(root.sum("sm.sub_core.issued"), 15U);
    EXPECT_EQ(root.to_json().at("sm").at("sub_core").at("issued"), 15U);
    const auto full = root.to_json(StatGroup::Detail::kFull);
    EXPECT_EQ(full.at("sm[1]").at("sub_core[0]").at("issued"), 4U);
}

TEST(CounterList, RegistersInTheOrderOfTheNamesOnly) {
    const std::uint64_t first = 1;
    const std::uint64_t second = 2;
    CounterList list;
    list.add("second", second, "count", "counted by one module");
    list.add("first", first, "count", "counted by another");
    StatGroup group("both");
    list.register_in(group, {"first", "second"});
    EXPECT_EQ(group.to_csv(),
              "path,value,unit,description\n"
              "first,1,count,\"counted by another\"\n"
              "second,2,count,\"counted by one module\"\n");
    EXPECT_THROW(list.register_in(group, {"first"}), std::logic_error) << "one is left out";
    EXPECT_THROW(list.register_in(group, {"first", "third"}), std::logic_error) << "unknown";
}

}  // namespace
}  // namespace tessera

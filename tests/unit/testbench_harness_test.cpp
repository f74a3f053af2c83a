// Harness of the testbenches: a run passes only if something was checked and all bins are covered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/common/error.h"
#include "testbenches/harness/session.h"
#include "tests/support/temp_folder.h"

using namespace tessera;
using namespace tessera::testbench;
using tessera::test::TempFolder;
using testing::HasSubstr;

namespace {

Description small() {
    Description description;
    description.name = "small";
    description.sections = {"l1"};
    description.columns = {
        {"cycle", Column::Kind::kNumber, "time"},
        {"operation", Column::Kind::kChoice, "kind", {"read", "write"}},
        {"address", Column::Kind::kAddress, "first byte", {}, true},
    };
    return description;
}

Options model() {
    Options options;
    options.implementation = "model";
    return options;
}

TEST(TestbenchReport, PassesWithChecksAndAllBinsCovered) {
    const Description description = small();
    Session session(description, model());
    session.coverage.hit(session.coverage.add("bin", "meaning"));
    session.scoreboard.expect("pin", 1, 1);
    EXPECT_TRUE(session.report());
}

TEST(TestbenchReport, FailsWithoutAnyCheck) {
    const Description description = small();
    Session session(description, model());
    EXPECT_FALSE(session.report());
}

TEST(TestbenchReport, FailsWithABinThatIsNotCovered) {
    const Description description = small();
    Session session(description, model());
    session.coverage.hit(session.coverage.add("reached", "meaning"));
    session.coverage.add("missed", "meaning");
    session.scoreboard.expect("pin", 1, 1);
    EXPECT_FALSE(session.report());
    EXPECT_EQ(session.coverage.missed(), std::vector<std::string>{"missed"});
}

TEST(TestbenchReport, DoesNotRequireCoverageWithOtherSettings) {
    const Description description = small();
    Options options = model();
    options.sets = {"l1.ways=2"};
    Session session(description, options);
    EXPECT_EQ(session.config().l1.ways, 2U);
    session.coverage.add("missed", "meaning");
    session.scoreboard.expect("pin", 1, 1);
    EXPECT_TRUE(session.report());
}

TEST(TestbenchReport, FailsWithADifferenceOrAViolation) {
    const Description description = small();
    Session differs(description, model());
    differs.scoreboard.expect("pin", 1, 2);
    EXPECT_FALSE(differs.report());
    Session violates(description, model());
    violates.scoreboard.expect("pin", 1, 1);
    violates.violations({"a rule"});
    EXPECT_FALSE(violates.report());
}

class StimulusFile : public TempFolder {
protected:
    Stimulus read(const std::string& text) {
        file_ = write("s.csv", text);
        return Stimulus(file_, small().columns);
    }
    std::string error_of(const std::string& text) {
        try {
            read(text);
        } catch (const ConfigError& error) {
            return std::string(error.what()).substr(file_.size());
        }
        return "no error";
    }

    std::string file_;
};

TEST_F(StimulusFile, HasItsColumnsInAnyOrder) {
    const Stimulus stimulus =
        read("# comment\noperation, cycle ,address\nwrite,3,0xFF\r\n\nread,3,9\n");
    ASSERT_EQ(stimulus.rows().size(), 2U);
    EXPECT_EQ(stimulus.rows()[0].values, (std::vector<std::uint64_t>{3, 1, 0xFF}));
    EXPECT_EQ(stimulus.rows()[0].line, 3U);
    EXPECT_EQ(stimulus.rows()[1].values, (std::vector<std::uint64_t>{3, 0, 9}));
}

TEST_F(StimulusFile, LeavesOutAnOptionalColumn) {
    EXPECT_EQ(read("cycle,operation\n1,read\n").rows()[0].values,
              (std::vector<std::uint64_t>{1, 0, 0}));
}

TEST_F(StimulusFile, NamesThePlaceOfAnError) {
    EXPECT_EQ(error_of("cycle\n"), ":1:1: column 'operation' is missing");
    EXPECT_EQ(error_of("cycle,operation\n1, eat\n"),
              ":2:4: operation: got 'eat', expected one of {read, write}");
    EXPECT_EQ(error_of("cycle,operation\n5,read\n4,read\n"),
              ":3:1: got cycle 4 after cycle 5, expected times in order");
    EXPECT_EQ(error_of("operation,cycle\nread,0x\n"),
              ":2:6: cycle: got '0x', expected a whole number below 2^64");
    EXPECT_EQ(error_of("operation,cycle\nread,18446744073709551616\n"),
              ":2:6: cycle: got '18446744073709551616', expected a whole number below 2^64");
    EXPECT_EQ(error_of("cycle,operation,address\n1,read,1e3\n"),
              ":2:8: address: got '1e3', expected a whole number below 2^64");
}

TEST_F(StimulusFile, LetsATestbenchRefuseAValue) {
    const Stimulus stimulus = read("cycle,operation\n1,read\n2,write\n");
    try {
        stimulus.fail(stimulus.rows()[1], 1, "is not possible here");
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("s.csv:3:3: operation: is not possible here"));
    }
}

}  // namespace

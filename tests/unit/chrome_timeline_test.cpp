// Does the timeline hold the spans of its window, under the right names, in a form viewers take?
#include "sc_models/observe/chrome_timeline.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "tests/support/trace_events.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChromeTimelineTest : public ::testing::Test {
protected:
    void TearDown() override { std::filesystem::remove(path_); }
    [[nodiscard]] nlohmann::json read() const {
        std::ifstream in(path_);
        return nlohmann::json::parse(in);
    }
    const ClockDomain clock_{1200};
    const std::string path_ =
        ::testing::TempDir() + "chrome_timeline_" + std::to_string(getpid()) + ".json";
};

TEST_F(ChromeTimelineTest, SpansOfTheWindowUnderTheNamesOfTheirTracks) {
    ChromeTimeline timeline(path_, {100, 200}, "sm0.ldst", clock_);
    const auto a = timeline.add_track("SM 0", "LDST \"unit\"");
    const auto b = timeline.add_track("SM 0", "issue");
    const auto other = timeline.add_track("SM 1", "issue");
    EXPECT_EQ(other, TimelineRecorder::kNoTrack);
    timeline.span(a, "before", 10, 100, "");
    timeline.span(a, "first", 90, 110, R"({"warp":3})");
    timeline.span(b, "a \"name\"\n", 150, 160, "");
    timeline.span(a, "last", 190, 300, "");
    timeline.span(a, "after", 200, 210, "");
    timeline.span(other, "elsewhere", 150, 160, "");
    timeline.finish_elaboration();
    timeline.finish();

    const nlohmann::json trace = read();
    EXPECT_EQ(trace.at("otherData").at("core_clock_mhz"), 1200);
    const auto tracks = test::read_tracks(trace);
    ASSERT_EQ(tracks.size(), 2U);
    const auto& ldst = tracks.at("SM 0/LDST \"unit\"");
    ASSERT_EQ(ldst.size(), 2U);
    EXPECT_EQ(ldst[0].name, "first");
    EXPECT_EQ(ldst[0].begin, 100U) << "cut to the window";
    EXPECT_EQ(ldst[0].end, 110U);
    EXPECT_EQ(ldst[1].end, 200U);
    EXPECT_EQ(tracks.at("SM 0/issue").at(0).name, "a \"name\"\n");
    for (const auto& event : trace.at("traceEvents")) {
        if (event.at("name") == "first") {
            EXPECT_EQ(event.at("args").at("warp"), 3);
        }
    }
    EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
}

TEST_F(ChromeTimelineTest, MistakesOfTheUserAreOneError) {
    EXPECT_THROW(ChromeTimeline("/nowhere/at/all.json", {}, "*", clock_), ConfigError);
    ChromeTimeline timeline(path_, {100, 200}, "sm7", clock_);
    timeline.add_track("SM 0", "issue");
    timeline.add_track("SM 1", "issue");
    try {
        timeline.finish_elaboration();
        FAIL() << "no error";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(), "--wave-scope: 'sm7' matches nothing; there are sm{0..1}");
    }
    timeline.span(0, "early", 1, 50, "");
    EXPECT_THROW(timeline.finish(), ConfigError);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ChromeTimelineTest, AFullDiskIsAnError) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small{32768, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    ChromeTimeline timeline(path_, {}, "*", clock_);
    const auto track = timeline.add_track("SM 0", "issue");
    for (Cycle cycle = 0; cycle < 5000; ++cycle) timeline.span(track, "x", cycle, cycle + 1, "");
    try {
        timeline.finish();
        FAIL() << "no error";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot write " + path_));
    }
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(PartialOverlaps, AreFoundAndNestingIsNot) {
    EXPECT_THAT(
        test::partial_overlaps(
            {{"t", {{"parent", 0, 10}, {"child", 0, 4}, {"child", 4, 10}, {"next", 10, 11}}}}),
        IsEmpty());
    EXPECT_THAT(test::partial_overlaps({{"t", {{"a", 0, 10}, {"b", 9, 11}}}}),
                ElementsAre("t: a and b at 9"));
}

}  // namespace
}  // namespace tessera

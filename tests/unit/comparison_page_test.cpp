// Does the page of two runs say what changed most, and which settings differ?
#include "sc_models/report/comparison_page.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sc_models/report/comparison_sentences.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Json result(std::uint64_t cycles, std::uint64_t loads, std::uint64_t stores,
            const std::string& config) {
    return {{"workload", "layer"},
            {"config_hash", "h"},
            {"tool", {{"version", "1"}, {"git_revision", "abc"}}},
            {"metrics", {{"cycles", cycles}}},
            {"complete", true},
            {"violations", Json::array()},
            {"verification", {{"checked", false}}},
            {"kernels",
             {{{"name", "gemm"},
               {"cycles", cycles},
               {"issue_slots", {{"issued", 50}, {"stall_memory", cycles - 50}}},
               {"statistics",
                {{"sm",
                  {{"loads", loads},
                   {"stores", stores},
                   {"read_hit_rate", 1.0 / static_cast<double>(loads + 1)}}}}}}}},
            {"config", config}};
}

TEST(ComparisonPage, CyclesSettingsAndSpeedupStandOnTop) {
    const Json a = result(2000, 5000000, 2, "gpu:\n  sms: 80\n");
    const Json b = result(1000, 4999000, 4, "gpu:\n  sms: 40\n");
    const std::string page = comparison_page({"runs/<a>", a}, {"runs/b", b}, compare_results(a, b));
    EXPECT_THAT(page, HasSubstr("B takes 50.00 % fewer cycles than A: it is 2.000 times as fast."));
    EXPECT_THAT(page, HasSubstr("<td class='word '>gpu.sms</td><td class='word long'>80</td><td "
                                "class='word long'>40</td>"));
    EXPECT_THAT(page, HasSubstr("One setting differs, so all of what follows is its doing."));
    EXPECT_THAT(page, HasSubstr("runs/&lt;a&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("http")));
    // 50 of 2000 slots issued in A, 50 of 1000 in B.
    EXPECT_THAT(page, HasSubstr("<td class=''>2.50</td><td class=''>5.00</td>"));
}

/// A result with one kernel, whose DRAM reaches `percent` of its peak.
Json result_of_kernel(double cycles, double percent, const std::string& bound_by) {
    return {{"kernels",
             {{{"name", "gemm"},
               {"cycles", cycles},
               {"bound_by", bound_by},
               {"percent_of_peak",
                {{{"unit", "DRAM"}, {"percent", percent}, {"peak", "900 GB/s"}}}}}}}};
}

TEST(ComparisonSentences, NameACauseOnlyIfTheUnitBoundsTheSlowerRun) {
    // Work of 80 % of 1000 cycles against 50 % of 800.
    const Json slow = result_of_kernel(1000, 80, "DRAM: 80 % of 900 GB/s");
    const Json fast = result_of_kernel(800, 50, "latency: no unit");
    EXPECT_THAT(comparison_sentences(slow, fast, 1),
                ElementsAre("Work of DRAM, which bounds gemm, fell by 50.0 %, so the kernel is "
                            "25.0 % faster."));
    EXPECT_THAT(comparison_sentences(fast, slow, 1),
                ElementsAre("Work of DRAM, which bounds gemm, rose by 100.0 %, so the kernel is "
                            "20.0 % slower."));
    // Latency bounds the slower run, so that the traffic is no cause.
    const Json idle = result_of_kernel(1000, 80, "latency: no unit");
    EXPECT_THAT(comparison_sentences(idle, fast, 1),
                ElementsAre("gemm is 25.0 % faster.", "Change of its work: DRAM fell by 50.0 %."));
    // Work fell by less than the cycles.
    const Json little = result_of_kernel(800, 95, "latency: no unit");
    EXPECT_THAT(comparison_sentences(slow, little, 1).front(), "gemm is 25.0 % faster.");
    // The clock may be the cause.
    EXPECT_THAT(comparison_sentences(slow, fast, 2).front(), "gemm is 150.0 % faster.");
    EXPECT_TRUE(comparison_sentences(slow, slow, 1).empty());
}

TEST(ComparisonPage, LargestChangesAreSentencesByShareAndBySize) {
    const Json a = result(2000, 5000000, 2, "a: 1\n");
    const Json b = result(1600, 4999000, 4, "a: 2\n");
    const LargestChanges largest = largest_changes(compare_results(a, b), 2);
    // Two stores are too few for a share, and a rate has no size.
    EXPECT_THAT(largest.relative,
                ElementsAre("gemm.issue_slots.stall_memory fell from 1,950 to 1,550 (-20.5 %)",
                            "gemm.cycles fell from 2,000 to 1,600 (-20.0 %)"));
    EXPECT_THAT(largest.absolute,
                ElementsAre("gemm.sm.loads fell from 5,000,000 to 4,999,000 (-0.02 %)",
                            "gemm.issue_slots.stall_memory fell from 1,950 to 1,550 (-20.5 %)"));
}

TEST(ComparisonPage, WhatOnlyOneRunCountsAndSeveralSettings) {
    const Json a = result(2000, 0, 0, "a: 1\nb: 1\n");
    const Json b = result(2500, 700, 0, "a: 2\nb: 2\n");
    const ResultComparison comparison = compare_results(a, b);
    const std::string page = comparison_page({"a", a}, {"b", b}, comparison);
    EXPECT_THAT(page, HasSubstr("25.00 % more cycles than A: it is 0.800 times as fast"));
    EXPECT_THAT(page, HasSubstr("2 settings differ"));
    EXPECT_THAT(page, HasSubstr("<li>gemm.sm.loads: from none to 700</li>"));
}

TEST(ComparisonPage, SpeedupsAreOfTimeWhereClocksDiffer) {
    const Json a = result(2000, 5, 2, "gpu:\n  core_clock_mhz: 1200\n  sms: 1\n");
    const Json b = result(2500, 5, 2, "gpu:\n  core_clock_mhz: 1800\n  sms: 1\n");
    const std::string page = comparison_page({"a", a}, {"b", b}, compare_results(a, b));
    EXPECT_THAT(page, HasSubstr("B takes 25.00 % more cycles than A: with its core clock B is "
                                "1.200 times as fast."));
    EXPECT_THAT(page, HasSubstr("<td class=''>1.200</td>"));
    const Json c = result(2000, 5, 2, "gpu:\n  core_clock_mhz: 1800\n  sms: 1\n");
    EXPECT_THAT(comparison_page({"a", a}, {"c", c}, compare_results(a, c)),
                HasSubstr("Both take the same cycles: with its core clock B is 1.500 times"));
}

TEST(ComparisonPage, ARunThatFailedItsChecksIsNamed) {
    const Json a = result(2000, 10, 2, "a: 1\n");
    Json b = a;
    b["complete"] = false;
    const std::string page = comparison_page({"a", a}, {"b", b}, compare_results(a, b));
    EXPECT_THAT(page, HasSubstr("<p class='warning'>B must not be relied on: it was ended early."));
    EXPECT_THAT(page, Not(HasSubstr("A must not")));
}

TEST(ComparisonPage, EqualRunsAreReportedAsEqual) {
    const Json a = result(2000, 10, 2, "a: 1\n");
    const std::string page = comparison_page({"a", a}, {"b", a}, compare_results(a, a));
    EXPECT_THAT(page, HasSubstr("Both take the same cycles."));
    EXPECT_THAT(page, HasSubstr("None, and nothing came out differently."));
    EXPECT_THAT(page, HasSubstr("All statistics are equal."));
    EXPECT_THAT(page, Not(HasSubstr("What changed most")));
}

}  // namespace
}  // namespace tessera

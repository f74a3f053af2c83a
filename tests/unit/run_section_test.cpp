// Does the page of a run account for every issue slot, byte and kernel, and say what it does not
// know?
#include "sc_models/report/run_section.h"

#include <gmock/gmock.h>
#include <regex>

#include "sc_models/report/over_time.h"
#include "sc_models/report/run_traffic.h"
#include "sc_models/reproduction/html_report.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

Json kernel(const std::string& name, std::uint64_t cycles, double tensor_percent) {
    return {{"name", name},
            {"cycles", cycles},
            {"issue_slots", {{"issued", 1}, {"stall_memory", 2}, {"stall_operands", 3}}},
            {"bound_by", "latency: <none>"},
            {"percent_of_peak",
             {{{"unit", "tensor cores"}, {"percent", tensor_percent}, {"peak", "125.3 TFLOP/s"}},
              {{"unit", "L2"}, {"percent", 10.0}, {"peak", "2.84 TB/s"}},
              {{"unit", "DRAM"}, {"percent", 5.0}, {"peak", "898 GB/s"}}}},
            {"statistics",
             {{"sm", {{"l1", {{"bytes_read", 8 << 20}, {"bytes_written", 2 << 20}}}}},
              {"memory",
               {{"l2", {{"bytes_read", 4 << 20}, {"bytes_written", 1 << 20}}},
                {"dram", {{"bytes_read", 1 << 20}, {"bytes_written", 0}}}}}}}};
}

ReportedRun run() {
    return {"results/x",
            {{"workload", "layer & more"},
             {"config_hash", "0123"},
             {"tool", {{"version", "1"}, {"git_revision", "abc"}}},
             {"complete", true},
             {"violations", Json::array()},
             {"verification", {{"checked", false}}},
             {"mechanisms", Json::array()},
             {"kernels", {kernel("im2col", 100, 0), kernel("gemm", 300, 40)}},
             {"metrics", {{"cycles", 300}}},
             {"config", "gpu:\n  core_clock_mhz: 1000\n  sms: 2\n"}}};
}

TEST(RunPage, HeadlineIsThatOfTheLongestKernelAndOfAllTime) {
    const std::string page = run_page(run());
    EXPECT_THAT(page, HasSubstr("<dt>machine</dt><dd><strong>2 SMs</strong> at 1000 MHz</dd>"));
    EXPECT_THAT(page, HasSubstr("<dt>mechanism</dt><dd><strong>none</strong></dd>"));
    EXPECT_THAT(page, HasSubstr("<strong>0.4 µs</strong> 400 cycles of 2 kernels</dd>"));
    EXPECT_THAT(page, HasSubstr("<strong>latency</strong> gemm, 75 % of the time: &lt;none&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("<dt>energy</dt>")));  // the result has none
}

TEST(RunPage, ARunThatFailedItsChecksReportsIt) {
    EXPECT_THAT(run_page(run()), Not(HasSubstr("must not be relied on")));
    ReportedRun failed = run();
    failed.result["violations"] = {"L1 < 2", "L2"};
    failed.result["verification"] = {{"checked", true},
                                     {"outputs", 100},
                                     {"mismatches", 4},
                                     {"scalar_samples", 8},
                                     {"scalar_mismatches", 0}};
    EXPECT_THAT(run_page(failed),
                HasSubstr("<p class='warning'>This run must not be relied on: 2 invariants do not "
                          "hold: L1 &lt; 2; 4 of 100 values differ from the golden model."));
    failed.result["complete"] = false;
    EXPECT_THAT(run_page(failed), HasSubstr("relied on: it was ended early; 2 invariants"));
}

TEST(RunPage, EveryIssueSlotIsAccountedFor) {
    const std::string page = run_page(run());
    EXPECT_THAT(page, HasSubstr("<h2>Where every issue slot went</h2>"));
    EXPECT_THAT(page, HasSubstr("<td class='word '>stall_memory</td>"));
    // One, two and three of six, in each kernel and in both.
    for (const char* share : {"16.67", "33.33", "50.00", "100.00"}) {
        EXPECT_THAT(page, HasSubstr(std::string("<td class=''>") + share + "</td><td class=''>" +
                                    share + "</td><td class=''>" + share + "</td>"));
    }
}

TEST(RunPage, BytesBetweenLevelsAndWhatEachPassesOn) {
    const std::string page = traffic_html(run().result);
    EXPECT_THAT(page, HasSubstr("registers and L1, towards the SMs: 16.00"));
    EXPECT_THAT(page, HasSubstr("L2 and DRAM, towards the SMs: 2.00"));
    // A fifth of the 5 MiB between L1 and L2 went on to DRAM; half of the 10 MiB above went on to
    // L2.
    EXPECT_THAT(page,
                HasSubstr("<td class='word '>L1 and L2</td><td class=''>4.00</td><td "
                          "class=''>1.00</td><td class=''>52428.8</td><td class=''>50.0</td>"));
    EXPECT_THAT(page, HasSubstr("<td class=''>20.0</td>"));
    Json foreign = run().result;
    for (Json& of : foreign["kernels"]) of["statistics"].erase("memory");
    EXPECT_THAT(traffic_html(foreign), Not(HasSubstr("DRAM")));
}

TEST(RunPage, KernelsUnderTheirRoof) {
    const std::string chart = run_roofline_html(run().result);
    // 40 % of 125.3 TFLOP/s for 300 ns over a MiB of DRAM.
    EXPECT_THAT(chart, HasSubstr("<title>gemm: 50.1 TFLOP/s, 14.3 FLOP a byte</title>"));
    EXPECT_THAT(chart, HasSubstr("One kernel without such FLOP is not drawn"));
    Json idle = run().result;
    idle["kernels"] = {kernel("im2col", 100, 0)};
    EXPECT_THAT(run_roofline_html(idle), HasSubstr("Not drawn"));
    EXPECT_THAT(run_roofline_html(idle), Not(HasSubstr("<svg")));
}

TEST(RunPage, ExplainsHowToGetMissingParts) {
    EXPECT_THAT(run_page(run()), HasSubstr("--over-time"));
    EXPECT_THAT(run_page(run()), Not(HasSubstr("uPlot.js")));
    ReportedRun watched = run();
    watched.over_time =
        Json{{"schema_version", 1},
             {"kernels", Json::array()},
             {"at", {0, 10}},
             {"end", 40},
             {"figures", {{{"name", "IPC </script>"}, {"unit", "a cycle"}, {"values", {4, 8}}}}}};
    const std::string page = run_page(watched);
    EXPECT_THAT(page, Not(HasSubstr("Not recorded")));
    EXPECT_THAT(page, HasSubstr("Copyright (c) 2022 Leon Sorokin")) << "of uPlot";
    EXPECT_THAT(page, HasSubstr(R"("name":"IPC <\/script>")"));
    // Ten cycles of 4 and thirty of 8.
    EXPECT_THAT(page,
                HasSubstr("<td class=''>4.00</td><td class=''>7.00</td><td class=''>8.00</td>"));
}

TEST(RunPage, IsTheReportOfARunAlone) {
    EXPECT_EQ(html_report({}, {}, {run()}), run_page(run()));
    const std::string two = html_report({}, {}, {run(), run()});
    EXPECT_THAT(two, HasSubstr("<h2>layer &amp; more: results/x</h2>"));
    EXPECT_THAT(two, HasSubstr("<h3>Where every issue slot went</h3>"));
    EXPECT_THAT(two, HasSubstr("latency: &lt;none&gt;"));
}

/// No element of a page takes anything from elsewhere.
TEST(RunPage, LoadsNothing) {
    ReportedRun watched = run();
    watched.over_time = Json{
        {"kernels", Json::array()}, {"at", Json::array()}, {"end", 0}, {"figures", Json::array()}};
    const std::string page = run_page(watched);
    EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=|@import|url\\((?!#)")));
}

}  // namespace
}  // namespace tessera

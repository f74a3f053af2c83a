// Are results put together as the tables say?
#include "sc_models/results/summary.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "sc_models/reproduction/html_report.h"
#include "sc_models/reproduction/paper_comparison.h"
#include "sc_models/reproduction/paper_rules.h"
#include "sc_models/results/summary_text.h"
#include "sc_models/sm/stall_reason.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using test::error_of;

Json kernel(const char* name, std::uint64_t cycles) {
    Json json = {{"name", name},
                 {"cycles", cycles},
                 {"launch_cycles", 0},
                 {"queued_launch_cycles", 0},
                 {"ctas", 1},
                 {"issue_slots", Json::object()},
                 {"bound_by", "DRAM"},
                 {"percent_of_peak", Json::array()},
                 {"statistics", Json::object()}};
    for (const StallReasonText& reason : kStallReasonText) {
        json["issue_slots"][std::string(reason.name)] = 0;
    }
    return json;
}

/// A made-up result with the keys that summaries read.
Json result(const std::string& hash, std::uint64_t cycles, std::uint64_t im2col, double hit_rate) {
    Json metrics = {{"cycles", cycles},
                    {"l1_services", cycles * 10},
                    {"l2_services", 0},
                    {"l1_miss_rate_percent", 50.0},
                    {"loads_of_a", 1000}};
    if (hit_rate > 0) {
        metrics["hit_rate_percent"] = hit_rate;
        metrics["lhb_services"] = static_cast<std::uint64_t>(hit_rate * 10);
    }
    return {{"schema_version", 1},
            {"tool", {{"name", "tessera"}, {"version", "0"}, {"git_revision", "abc"}}},
            {"workload", "made up"},
            {"seed", 0},
            {"config_hash", hash},
            {"complete", true},
            {"metrics", metrics},
            {"verification", {{"checked", false}}},
            {"violations", Json::array()},
            {"kernels", {kernel("im2col", im2col), kernel("gemm", cycles)}},
            {"config", std::string("gpu:\n  core_clock_mhz: 1200\n  sms: 1\nduplo:\n  enabled: ") +
                           (hit_rate > 0 ? "on\n" : "off\n")}};
}

/// Two networks, three layers, a baseline and a variant.
class SummaryTest : public test::TempFolder {
protected:
    SummaryTest() {
        // layer, cycles and im2col of the baseline, cycles and hit rate of the variant
        add("a.C1", 2000, 500, 1000, 80);
        add("a.C2", 100, 100, 100, 40);
        add("b.C1", 300, 0, 200, 60);
    }

    void add(const std::string& layer, std::uint64_t base, std::uint64_t im2col,
             std::uint64_t cycles, double hit_rate) {
        put(layer, "baseline", result("a000000000000000", base, im2col, 0), "a000000000000000");
        put(layer, "lhb1024", result("a000000000000001", cycles, im2col, hit_rate),
            "a000000000000001");
    }
    void put(const std::string& layer, const std::string& variant, const Json& content,
             const std::string& hash) {
        PlannedRun run;
        run.layer = layer;
        run.variant = variant;
        run.baseline = "baseline";
        run.folder = std::filesystem::path("runs") / layer / variant;
        run.hash = hash;
        std::filesystem::create_directories(folder / run.folder);
        std::ofstream(folder / run.folder / "result.json") << content;
        plan_.runs.push_back(run);
    }
    /// A run of an experiment with seeds.
    void put_seed(const std::string& layer, const std::string& variant, std::uint64_t seed,
                  std::uint64_t cycles) {
        put(layer, variant + "/seed" + std::to_string(seed),
            result("a00000000000000f", cycles, 0, 0), "a00000000000000f");
        plan_.runs.back().variant = variant;
        plan_.runs.back().seed = seed;
    }
    [[nodiscard]] Summary summary() const { return Summary::of_runs(plan_, folder); }

    SweepPlan plan_{"duplo_fig9_fig10", "Trial", {}, {}};
};

TEST_F(SummaryTest, ValuesMeansTotalsAndNetworks) {
    const Summary s = summary();
    EXPECT_DOUBLE_EQ(s.value("a.C1", "lhb1024", "speedup_percent").value(), 100.0);
    EXPECT_DOUBLE_EQ(s.value("a.C1", "baseline", "speedup_percent").value(), 0.0);
    EXPECT_DOUBLE_EQ(s.value("a.C1", "lhb1024", "total_speedup_percent").value(),
                     100.0 * (2500.0 / 1500.0 - 1));
    EXPECT_DOUBLE_EQ(s.value("a.C1", "lhb1024", "l1_services_change_percent").value(), -50.0);
    EXPECT_DOUBLE_EQ(s.mean("lhb1024", "speedup_percent").value(), (100.0 + 0.0 + 50.0) / 3);
    EXPECT_DOUBLE_EQ(s.mean("lhb1024", "hit_rate_percent").value(), 60.0);
    EXPECT_NEAR(s.total_change("lhb1024", "cycles").value(), 100.0 * (1300.0 / 2400.0 - 1), 1e-9);
    const double a = 100.0 * (1100.0 / 2100.0 - 1), b = 100.0 * (200.0 / 300.0 - 1);
    EXPECT_NEAR(s.network_change("lhb1024", "cycles").value(), (a + b) / 2, 1e-9);
    EXPECT_EQ(s.networks(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SummaryTest, SpeedupsAreOfTimeWhereClocksDiffer) {
    Json fast = result("a000000000000002", 2400, 600, 0);
    fast["config"] = "gpu:\n  core_clock_mhz: 1500\n  sms: 1\n";
    Json slow = result("a000000000000000", 2000, 500, 0);
    slow["config"] = "gpu:\n  core_clock_mhz: 1200\n  sms: 1\n";
    plan_.runs.clear();
    put("a.C1", "baseline", slow, "a000000000000000");
    put("a.C1", "fast", fast, "a000000000000002");
    const auto check = [](const Summary& s) {
        // 2000 cycles at 1200 MHz are 1.667 us, 2400 at 1500 MHz are 1.6 us.
        EXPECT_NEAR(s.value("a.C1", "fast", "speedup_percent").value(), 100.0 / 24, 1e-9);
        EXPECT_NEAR(s.value("a.C1", "fast", "total_speedup_percent").value(), 100.0 / 24, 1e-9);
        EXPECT_NEAR(s.total_change("fast", "cycles").value(), -4.0, 1e-9);
        EXPECT_NEAR(s.network_change("fast", "total_cycles").value(), -4.0, 1e-9);
        EXPECT_DOUBLE_EQ(s.value("a.C1", "baseline", "speedup_percent").value(), 0.0);
    };
    put("a.C0", "baseline", result("a000000000000003", 1, 0, 0),
        "a000000000000000");  // of another configuration
    std::rotate(plan_.runs.begin(), plan_.runs.end() - 1, plan_.runs.end());
    put("a.C0", "fast", fast, "a000000000000002");
    std::rotate(plan_.runs.begin() + 1, plan_.runs.end() - 1, plan_.runs.end());
    check(summary());
    std::ofstream(folder / "summary.json") << summary().json();
    check(Summary::read(folder));
}

TEST_F(SummaryTest, WhatMeansNothingIsAbsent) {
    const Summary s = summary();
    EXPECT_FALSE(s.mean("baseline", "hit_rate_percent"));
    EXPECT_FALSE(s.value("a.C9", "lhb1024", "cycles"));
    EXPECT_FALSE(s.mean("lhb1024", "nonsense"));
    EXPECT_DOUBLE_EQ(s.value("a.C1", "lhb1024", "l2_services_change_percent").value(), 0.0);
    EXPECT_FALSE(percent_change(0, 5));
}

TEST_F(SummaryTest, SeedsOfALayerAreAveragedFirst) {
    for (auto& run : plan_.runs) run.seed = 1;
    PlannedRun again = plan_.runs[1];
    again.seed = 2;
    again.folder /= "seed2";
    put("a.C1", "lhb1024/seed2", result("a000000000000001", 500, 500, 90), "a000000000000001");
    plan_.runs.back() = again;
    EXPECT_DOUBLE_EQ(summary().value("a.C1", "lhb1024", "cycles").value(), 750.0);
}

TEST_F(SummaryTest, ARunWithoutAGoodResultIsLeftOut) {
    Json bad = result("a000000000000001", 1000, 500, 80);
    bad["violations"].push_back("something leaks");
    std::ofstream(folder / plan_.runs[1].folder / "result.json") << bad;
    std::filesystem::remove(folder / plan_.runs[4].folder / "result.json");  // baseline of b.C1
    const Summary s = summary();
    EXPECT_EQ(s.rows().size(), 4U);
    EXPECT_FALSE(s.value("a.C1", "lhb1024", "speedup_percent"));
    EXPECT_FALSE(s.value("b.C1", "lhb1024", "speedup_percent"));  // nothing to compare with
    EXPECT_TRUE(s.value("b.C1", "lhb1024", "cycles"));
    EXPECT_DOUBLE_EQ(s.mean("lhb1024", "speedup_percent").value(), 0.0);  // of a.C2 alone
}

TEST_F(SummaryTest, ReportsHowManyRunsAreMissing) {
    EXPECT_EQ(summary().missing(), 0U);
    EXPECT_EQ(missing_note(summary()), "");
    std::filesystem::remove(folder / plan_.runs[4].folder / "result.json");
    const Summary s = summary();
    EXPECT_EQ(s.missing(), 1U);
    EXPECT_EQ(missing_note(s).rfind("1 of 6 runs are missing: ", 0), 0U);
    EXPECT_NE(html_report({}, {s}, {}).find(missing_note(s)), std::string::npos);
    std::ofstream(folder / "summary.json") << s.json().dump(2);
    EXPECT_EQ(Summary::read(folder).missing(), 1U);
}

TEST_F(SummaryTest, AResultOfAnotherConfigurationIsLeftOut) {
    plan_.runs[1].hash = "a000000000000002";
    EXPECT_EQ(summary().rows().size(), 5U);
}

TEST_F(SummaryTest, CsvHasFixedColumnsThenOthers) {
    Json more = result("a000000000000001", 1000, 500, 80);
    more["metrics"]["energy_pj"] = 7;
    std::ofstream(folder / plan_.runs[1].folder / "result.json") << more;
    const std::string csv = summary().csv();
    EXPECT_EQ(csv.substr(0, 69),
              "layer,variant,baseline,seed,config_hash,cycles,speedup_percent,im2col");
    const std::string header = csv.substr(0, csv.find('\n'));
    EXPECT_EQ(header.substr(header.rfind(',')), ",energy_pj");
    EXPECT_NE(
        csv.find(
            "\na.C1,lhb1024,baseline,0,a000000000000001,1000,100.0000,500,1500,66.6667,80.0000,"),
        std::string::npos)
        << csv;
}

TEST_F(SummaryTest, JsonReadsBackToTheSame) {
    const Summary s = summary();
    std::ofstream(folder / "summary.json") << s.json().dump(2);
    const Summary again = Summary::read(folder);
    EXPECT_EQ(again.csv(), s.csv());
    EXPECT_EQ(summary_tables(again), summary_tables(s));
    EXPECT_EQ(again.json(), s.json());
    ASSERT_NE(again.variant("lhb1024"), nullptr);
    ASSERT_EQ(again.variant("lhb1024")->changes.size(), 1U);
    EXPECT_EQ(again.variant("lhb1024")->changes[0].key, "duplo.enabled");
    EXPECT_EQ(again.variant("lhb1024")->changes[0].text(), "off -> on");
}

TEST_F(SummaryTest, BadSummariesAreRefused) {
    EXPECT_EQ(error_of([&] { (void)Summary::read(folder / "nowhere"); }),
              (folder / "nowhere").string() + ": no sweep.json, so no sweep");
    std::ofstream(folder / "sweep.json") << "{}";
    EXPECT_EQ(error_of([&] { (void)Summary::read(folder); }),
              (folder / "sweep.json").string() + ": experiment: got none, expected a text");
    const std::string file = (folder / "summary.json").string();
    std::ofstream(file) << "{}";
    EXPECT_EQ(error_of([&] { (void)Summary::read(folder); }),
              file + ": schema_version: got 'none', expected '1'");
    Json changed = summary().json();
    changed["variants"][1]["changes"]["duplo.enabled"] = "on";
    std::ofstream(file) << changed;
    EXPECT_EQ(error_of([&] { (void)Summary::read(folder); }),
              file + ": variants[1].changes.duplo.enabled: got \"on\", expected 'A -> B'");
    std::ofstream(file) << R"({"schema_version": 99})";
    EXPECT_EQ(error_of([&] { (void)Summary::read(folder); }),
              file + ": schema_version: got '99', expected '1'");
}

TEST_F(SummaryTest, TablesShowMeansAndMissingValues) {
    std::filesystem::remove(folder / plan_.runs[3].folder / "result.json");
    const std::string text = summary_tables(summary());
    EXPECT_NE(text.find("  a.C2         -\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  mean      75.0\n"), std::string::npos) << text;
}

TEST_F(SummaryTest, ThePaperIsReadOffShippedExperiments) {
    const auto figures = read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                                            "/configs/reference/paper_results.yaml");
    EXPECT_GT(figures.size(), 20U);
    const PaperComparison papers = compare_with_papers(figures, {summary()});
    const auto found =
        std::find_if(papers.answers.begin(), papers.answers.end(),
                     [](const PaperAnswer& a) { return a.paper.id == "D.fig9.lhb1024.speedup"; });
    ASSERT_NE(found, papers.answers.end());
    EXPECT_DOUBLE_EQ(found->ours->mean, 50.0);
    EXPECT_NEAR(found->total.value(), 100.0 * (2400.0 / 1300.0 - 1), 1e-9);
    EXPECT_EQ(found->verdict, Verdict::kNot);
    EXPECT_EQ(found->layers, 3U);
    // No oracle was run, so nothing is said of it.
    for (const PaperAnswer& a : papers.answers)
        EXPECT_EQ(a.paper.id.find("oracle"), std::string::npos);
    EXPECT_FALSE(papers.unanswered.empty());

    plan_.experiment = "something_else";
    EXPECT_TRUE(compare_with_papers(figures, {summary()}).answers.empty());
}

TEST_F(SummaryTest, SeedsAreMeasuredByThemselvesAndLayersOfOneSeedWithEach) {
    const auto figures = read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                                            "/configs/reference/paper_results.yaml");
    plan_.experiment = "duplo_fig9_fig10";
    plan_.runs.clear();
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        put_seed("a.x", "baseline", seed, 100);
        if (seed != 3) put_seed("a.x", "lhb1024", seed, seed == 1 ? 50 : 80);  // 100 and 25 %
    }
    put_seed("b.once", "baseline", 1, 100);
    put_seed("b.once", "lhb1024", 1, 50);
    const Summary all = summary();
    EXPECT_EQ(all.whole_seeds(), (std::vector<std::uint64_t>{1, 2}));  // 3 lacks a run
    const PaperComparison papers = compare_with_papers(figures, {all});
    const auto found =
        std::find_if(papers.answers.begin(), papers.answers.end(),
                     [](const PaperAnswer& a) { return a.paper.id == "D.fig9.lhb1024.speedup"; });
    ASSERT_NE(found, papers.answers.end());
    EXPECT_EQ(found->ours->samples, 2U);
    EXPECT_DOUBLE_EQ(found->ours->mean, (100 + 62.5) / 2);  // with b.once's 100 % in both
}

TEST_F(SummaryTest, AVariantOfALayerMayBeRunWithOneSeed) {
    plan_.runs.clear();
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        put_seed("a.x", "drawn", seed, 10 * seed);
    }
    put_seed("a.x", "once", 1, 7);
    EXPECT_EQ(summary().whole_seeds(), (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(summary().of_seed(2).value("a.x", "drawn", "cycles"), 20);
    EXPECT_EQ(summary().of_seed(2).value("a.x", "once", "cycles"), 7);
    // One of two planned seeds is there, which does not stand for the other.
    put_seed("b.x", "drawn", 1, 20);
    put_seed("b.x", "drawn", 2, 20);
    std::filesystem::remove(folder / plan_.runs.back().folder / "result.json");
    EXPECT_EQ(summary().whole_seeds(), std::vector<std::uint64_t>{1});
    EXPECT_EQ(summary().of_seed(2).value("b.x", "drawn", "cycles"), std::nullopt);
}

TEST_F(SummaryTest, RepeatedRunsAreComparedByTheirWarmCycles) {
    plan_.runs.clear();
    for (const auto& [variant, cycles, warm] :
         {std::tuple("baseline", 100U, 450.0), std::tuple("lhb1024", 90U, 300.0)}) {
        Json json = result("a00000000000001a", cycles, 10, 0);
        json["metrics"]["warm_cycles"] = warm;
        put("a.x", variant, json, "a00000000000001a");
        plan_.runs.back().variant = variant;
        plan_.runs.back().baseline = "baseline";
    }
    const Summary all = summary();
    EXPECT_STREQ(all.time_column(), "total_cycles");
    EXPECT_STREQ(all.timed(), "all kernels");
    EXPECT_EQ(all.value("a.x", "lhb1024", "total_cycles"), 300);
    EXPECT_EQ(all.value("a.x", "lhb1024", "cycles"), 90);
    EXPECT_EQ(all.value("a.x", "lhb1024", "im2col_cycles"), 10);
    EXPECT_DOUBLE_EQ(all.value("a.x", "lhb1024", "total_speedup_percent").value_or(0), 50);
}

TEST_F(SummaryTest, BreakEvenOfFigure21LiesBetweenItsPoints) {
    const auto figures = read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                                            "/configs/reference/paper_results.yaml");
    plan_.experiment = "dual_side_fig21";
    const std::pair<const char*, std::uint64_t> points[] = {{"fig21.a0000_b0000", 150},
                                                            {"fig21.a0100_b0000", 130},
                                                            {"fig21.a0300_b0000", 90},
                                                            {"fig21.a0000_b0990", 8}};
    for (const auto& [layer, cycles] : points) {
        put(layer, "cutlass", result("a00000000000001c", 100, 0, 0), "a00000000000001c");
        put(layer, "paper", result("a00000000000001e", cycles, 0, 0), "a00000000000001e");
    }
    const PaperComparison papers = compare_with_papers(figures, {summary()});
    ASSERT_EQ(papers.answers.size(), 2U);
    EXPECT_EQ(papers.answers[0].paper.id, "S.fig21.b99_a0");
    EXPECT_DOUBLE_EQ(papers.answers[0].ours->mean, 12.5);
    EXPECT_EQ(papers.answers[1].paper.id, "S.fig21.b0_breakeven_a");
    EXPECT_DOUBLE_EQ(papers.answers[1].ours->mean, 25);  // 30 and -10 over at 10 and 30 %
}

/// All kernels count: 40 cycles more than CUTLASS at 50 % zeros, 10 fewer at 60 %.
TEST_F(SummaryTest, BreakEvenOfCsrLiesBetweenItsPoints) {
    const auto figures = read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                                            "/configs/reference/paper_results.yaml");
    plan_ = {"dual_side_csr", "Trial", {}, {}};
    const std::tuple<const char*, std::uint64_t, std::uint64_t> runs[] = {
        {"cutlass", 100, 0}, {"csr_a50", 90, 50}, {"csr_a60", 60, 30}, {"csr_a90", 20, 5}};
    std::uint64_t number = 10;
    for (const auto& [variant, cycles, before] : runs) {
        const std::string hash = "a0000000000000" + std::to_string(number++);
        put("fig21", variant, result(hash, cycles, before, 0), hash);
        plan_.runs.back().baseline = "cutlass";
    }
    const PaperComparison papers = compare_with_papers(figures, {summary()});
    const auto found =
        std::find_if(papers.answers.begin(), papers.answers.end(), [](const PaperAnswer& answer) {
            return answer.paper.id == "S.fig21.cusparse_b99_breakeven_a";
        });
    ASSERT_NE(found, papers.answers.end());
    EXPECT_DOUBLE_EQ(found->ours->mean, 58);
}

TEST_F(SummaryTest, Figure22CountsTheIm2colKernel) {
    const auto figures = read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                                            "/configs/reference/paper_results.yaml");
    plan_.experiment = "dual_side_fig22";
    plan_.runs.clear();
    put("vgg16.a", "dense", result("a00000000000001d", 300, 0, 0), "a00000000000001d");
    put("vgg16.a", "single_explicit", result("a00000000000001b", 100, 50, 0), "a00000000000001b");
    put("vgg16.a", "dual_paper", result("a00000000000001e", 60, 0, 0), "a00000000000001e");
    put("resnet18.c", "dense", result("a00000000000001d", 300, 0, 0), "a00000000000001d");
    put("resnet18.c", "dual_paper", result("a00000000000001e", 100, 0, 0), "a00000000000001e");
    for (PlannedRun& run : plan_.runs) run.baseline = "dense";
    const PaperComparison papers = compare_with_papers(figures, {summary()});
    const auto ours = [&papers](std::string_view id) -> double {
        for (const PaperAnswer& a : papers.answers) {
            if (a.paper.id == id) return a.ours->mean;
        }
        return -1;
    };
    EXPECT_DOUBLE_EQ(ours("S.fig22.cnn.single_explicit.mean"), 2);
    EXPECT_DOUBLE_EQ(ours("S.fig22.cnn.dual_implicit.mean"), 4);
    EXPECT_DOUBLE_EQ(ours("S.fig22.cnn.dual_implicit.range.least"), 3);
    EXPECT_DOUBLE_EQ(ours("S.fig22.cnn.dual_implicit.range.most"), 5);
    EXPECT_DOUBLE_EQ(ours("S.fig22.cnn.dual_over_single_explicit"), 1);
    EXPECT_EQ(ours("S.fig22.nlp.single.mean"), -1);  // of another experiment
    EXPECT_EQ(ours("S.fig22.nlp.dual.mean"), -1);    // not run

    // Chart, tables and the paper's rows are of the same time, and say of which.
    const std::string page = html_report(papers, {summary()}, {});
    const std::string words = "speedup over the baseline, of all kernels";
    EXPECT_NE(page.find("<h3>" + words), std::string::npos);
    EXPECT_NE(page.find("<td class='word '>vgg16.a</td><td class=''>100.0</td>"),
              std::string::npos);  // 300 against 100 + 50
    EXPECT_NE(layer_tables(summary()).find(words), std::string::npos);
}

/// Every rule reads a figure that the reference file has, and every number of the dual-side sparse
/// tensor core's tables and ranges has an id of its own.
TEST(PaperRules, NameFiguresOfTheReference) {
    const auto figures = read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                                            "/configs/reference/paper_results.yaml");
    const auto value_of = [&figures](std::string_view id) -> std::optional<double> {
        for (const PaperFigure& figure : figures) {
            if (figure.id == id) return figure.value;
        }
        return std::nullopt;
    };
    for (const auto* rules : {&duplo_rules(), &dual_side_rules(), &opportunistic_rules()}) {
        for (const PaperRule& rule : *rules) EXPECT_TRUE(value_of(rule.id)) << rule.id;
    }
    EXPECT_EQ(value_of("S.fig22.cnn.dual_implicit.range.most"), 7.49);
    EXPECT_EQ(value_of("S.table3.csr.99.9"), 1.2);
    EXPECT_EQ(value_of("S.table4.area_mm2.accumulation_buffer"), 11.215);
}

TEST_F(SummaryTest, ThePageIsWholeAndEscaped) {
    plan_.title = "a < b & c";
    const std::string page = html_report({}, {summary()}, {});
    EXPECT_NE(page.find("<h2>a &lt; b &amp; c</h2>"), std::string::npos);
    EXPECT_NE(page.find("</body></html>"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos);  // loads nothing
    std::size_t opened = 0, closed = 0;
    for (std::size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) ++opened;
    for (std::size_t at = 0; (at = page.find("</svg>", at)) != std::string::npos; ++at) ++closed;
    EXPECT_EQ(opened, closed);
    EXPECT_GE(opened, 2U);
}

}  // namespace
}  // namespace tessera

// Does the page draw every figure, and does it list what is missing?
#include "sc_models/reproduction/reproduction_page.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "sc_models/chart/svg_drawing.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"
#include "tests/unit/svg_labels.h"

namespace tessera::test {
namespace {

using Json = nlohmann::ordered_json;

const ConfigCatalog& catalog() {
    static const ConfigCatalog kCatalog;
    return kCatalog;
}

std::vector<PaperFigure> reference() {
    return read_paper_figures((catalog().root() / "reference" / "paper_results.yaml").string());
}

/// The part of a page from its anchor to the end of the section.
std::string section(const std::string& page, const std::string& anchor) {
    const std::size_t begin = page.find("<section id='" + anchor + "'>");
    if (begin == std::string::npos) return "";
    return page.substr(begin, page.find("</section>", begin) - begin);
}

/// All charts of a page, each on its own.
void expect_no_overprint(const std::string& page) {
    for (std::size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) {
        EXPECT_EQ(overprinted(page.substr(at, page.find("</svg>", at) - at)), "");
    }
}

/// Summaries in files, as sweeps leave them.
class ReproductionPage : public TempFolder {
protected:
    struct Row {
        std::string layer, variant;
        Json values;
        std::uint64_t seed = 1;
    };

    Summary summary(const std::string& experiment, const std::string& baseline,
                    const std::vector<Row>& rows, std::size_t missing = 0,
                    const std::string& title = "Trial") {
        Json j = {{"schema_version", 1},
                  {"experiment", experiment},
                  {"title", title},
                  {"set", Json::array()},
                  {"tool", "tessera 0 (abc)"},
                  {"config", "a: 1\n"},
                  {"planned_runs", rows.size() + missing},
                  {"variants", Json::array()},
                  {"rows", Json::array()}};
        std::set<std::string> variants;
        for (const Row& row : rows) {
            j["rows"].push_back({{"layer", row.layer},
                                 {"variant", row.variant},
                                 {"baseline", baseline},
                                 {"seed", row.seed},
                                 {"config_hash", "h"},
                                 {"values", row.values}});
            if (!variants.insert(row.variant).second) continue;
            j["variants"].push_back(
                {{"name", row.variant}, {"baseline", baseline}, {"changes", Json::object()}});
        }
        write("summary.json", j.dump());
        return Summary::read(folder);
    }
    /// Two layers at three seeds; of the second the infinite buffer was not run.
    Summary figure9(std::size_t missing = 3) {
        std::vector<Row> rows;
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            for (const char* layer : {"resnet.C1", "resnet.C2"}) {
                rows.push_back({layer, "baseline", {{"cycles", 1000}}, seed});
                rows.push_back({layer, "lhb1024", {{"cycles", 800 + 10 * seed}}, seed});
            }
            rows.push_back({"resnet.C1", "oracle", {{"cycles", 700}}, seed});
        }
        return summary("duplo_fig9_fig10", "baseline", rows, missing);
    }
    static std::string page(const std::vector<std::string>& names,
                            const std::vector<Summary>& summaries,
                            const ReproductionPlan& plan = {}, const std::string& docs = "") {
        const Reproduction reproduction(plan, selected_figures(reference(), names), summaries,
                                        catalog());
        return reproduction_html(reproduction, {}, summaries, {points(), docs});
    }
    static std::vector<Figure21Point> points() {
        return read_figure21_points(
            (catalog().root() / "reference" / "dstc_fig21_points.csv").string());
    }
};

TEST_F(ReproductionPage, EveryFigureHasAnAnchorAndIsInTheContents) {
    const std::string all = page({}, {});
    std::size_t sections = 0;
    for (const auto& figures :
         {duplo_page_figures(), dual_side_page_figures(), opportunistic_page_figures()}) {
        for (const PageFigure& figure : figures) {
            EXPECT_NE(section(all, figure.anchor), "") << figure.anchor;
            EXPECT_NE(all.find("<a href='#" + figure.anchor + "'>"), std::string::npos);
            ++sections;
        }
    }
    // No row is left over.
    EXPECT_EQ(count_of(all, "<section id="), sections);
    for (const char* rest : {"D-other", "S-other", "O-other"}) {
        EXPECT_EQ(all.find(rest), std::string::npos) << rest;
    }
    // Only what was asked for.
    EXPECT_EQ(count_of(page({"D.fig9"}, {}), "<section id="), 1U);
}

TEST_F(ReproductionPage, EveryNumberOfThePapersIsThereWithWords) {
    const std::string all = page({}, {});
    std::set<std::string> captions;
    for (const PaperFigure& figure : reference()) {
        const std::size_t at = all.find("<small class='id'>" + figure.id + "</small>");
        ASSERT_NE(at, std::string::npos) << figure.id;
        const std::string row = all.substr(at, all.find("</tr>", at) - at);
        EXPECT_NE(row.find(">" + markup_escaped(with_unit(figure.stated, figure)) + "</td>"),
                  std::string::npos)
            << figure.id << ": " << row;
        PaperAnswer answer;
        answer.paper = figure;
        EXPECT_NE(caption_of(answer), figure.id);
        EXPECT_TRUE(captions.insert(caption_of(answer)).second ||
                    figure.id == "D.fig10.hit_rate.saturation")
            << figure.id << " is told like another: " << caption_of(answer);
    }
}

TEST_F(ReproductionPage, ThePapersMeansAreMarksInTheChart) {
    const std::string of9 = section(page({}, {figure9()}), "D-fig9");
    EXPECT_NE(of9.find("<title>paper: 22.1</title>"), std::string::npos);
    EXPECT_NE(of9.find("<title>paper: 25.9</title>"), std::string::npos);
    // Ours with an interval over three seeds: (23.46 + 21.95 + 20.48) / 3, twice the deviation of
    // 1.49 / sqrt(3) times 4.303.
    EXPECT_NE(of9.find("mean, 1024 entries: 21.96 +- 3.70"), std::string::npos) << of9;
    EXPECT_GE(count_of(of9, "class='interval'"), 3U);
    EXPECT_NE(of9.find("<td class=''>22.1 %</td><td class=''>22.0 ± 3.7 %</td>"),
              std::string::npos);
}

TEST_F(ReproductionPage, APartOfASweepIsShownAndWhatIsMissingNamed) {
    const std::string all = page({}, {figure9()});
    EXPECT_NE(all.find("<strong>3 of 18 runs are missing</strong>"), std::string::npos);
    EXPECT_NE(all.find(" simulated speedups and times come out on the shipped machine"),
              std::string::npos);
    const std::string of9 = section(all, "D-fig9");
    EXPECT_NE(of9.find("3 of 18 runs are missing"), std::string::npos);
    EXPECT_NE(of9.find("Not run: 256 entries, 512 entries, 2048 entries."), std::string::npos);
    EXPECT_NE(of9.find("No result with infinite buffer: resnet.C2."), std::string::npos);
    EXPECT_NE(of9.find("resnet.C1, infinite buffer: "), std::string::npos);
    EXPECT_EQ(of9.find("resnet.C2, infinite buffer: "), std::string::npos);
    const std::string of13 = section(all, "D-fig13");
    EXPECT_NE(of13.find("<strong>Not run:</strong> experiment <code>duplo_fig13</code>"),
              std::string::npos);
    EXPECT_EQ(of13.find("<svg"), std::string::npos);
    EXPECT_EQ(page({}, {figure9(0)}).find("runs are missing"), std::string::npos);
}

TEST_F(ReproductionPage, Figure21IsLinesOverZeros) {
    const std::vector<Row> rows = {{"fig21.a0000_b0990", "cutlass", {{"cycles", 1000}}},
                                   {"fig21.a0000_b0990", "paper", {{"cycles", 125}}},
                                   {"fig21.a0999_b0990", "cutlass", {{"cycles", 1000}}},
                                   {"fig21.a0999_b0990", "paper", {{"cycles", 50}}}};
    const std::string of21 =
        section(page({}, {summary("dual_side_fig21", "cutlass", rows)}), "S-fig21");
    EXPECT_NE(of21.find("B 99 % zeros, dual_side_paper, at 0.0: 8.00"), std::string::npos);
    EXPECT_NE(of21.find("B 99 % zeros, dual_side_paper, at 99.9: 20.00"), std::string::npos);
    EXPECT_NE(of21.find("paper, B 60 % zeros (stated only), at 70.0: 3.18"), std::string::npos);
    EXPECT_EQ(count_of(of21, "<path d='M"), 1U);  // one line, of two points
    EXPECT_NE(of21.find("(0, 0), (10, 0), (30, 0), (50, 0), (70, 0), (0, 60)"), std::string::npos);
}

TEST_F(ReproductionPage, PointsOfFigure21AreRead) {
    const auto all = points();
    ASSERT_EQ(all.size(), 12U);
    EXPECT_DOUBLE_EQ(all.back().zeros_of_a, 99.9);
    EXPECT_DOUBLE_EQ(all.back().zeros_of_b, 99);
    EXPECT_NEAR(all.back().speedup, 23.03, 0.01);
    const std::string path = write("points.csv", "dA,dB,time_units\n1.0,1.0\n");
    EXPECT_EQ(error_of([&] { (void)read_figure21_points(path); }), path + ": no point: 1.0,1.0");
    EXPECT_NE(error_of([&] { (void)read_figure21_points(path + "x"); }), "");
}

TEST_F(ReproductionPage, Figure22IsRatiosByNetwork) {
    const std::vector<Row> rows = {
        {"vgg16.a", "dense", {{"cycles", 300}, {"im2col_cycles", 0}, {"total_cycles", 300}}},
        {"vgg16.a",
         "single_explicit",
         {{"cycles", 100}, {"im2col_cycles", 50}, {"total_cycles", 150}}}};
    const std::vector<Row> products = {{"lstm.b", "dense", {{"cycles", 300}}},
                                       {"lstm.b", "dual_paper", {{"cycles", 60}}}};
    const std::string of22 = section(page({}, {summary("dual_side_fig22", "dense", rows),
                                               summary("dual_side_fig22_nlp", "dense", products)}),
                                     "S-fig22");
    EXPECT_NE(of22.find("vgg16.a, single, explicit im2col: 2.00"), std::string::npos);
    EXPECT_NE(of22.find("lstm.b, dual: 5.00"), std::string::npos);
    EXPECT_EQ(of22.find("lstm.b, single, explicit"), std::string::npos);
    EXPECT_NE(of22.find("The time of im2col kernels is included"), std::string::npos);
    EXPECT_NE(of22.find("Not run: single, implicit, dual, implicit"), std::string::npos);
}

TEST_F(ReproductionPage, IsWholeEscapedAndOffline) {
    ReproductionPlan plan;
    plan.explanations["S.table4.power_w.total"] = {"<script>alert('x')</script> & more",
                                                   "docs/a.md#b"};
    const std::vector<Summary> summaries = {summary("duplo_fig9_fig10", "baseline",
                                                    {{"<i>.\"C1'&", "baseline", {{"cycles", 100}}},
                                                     {"<i>.\"C1'&", "lhb1024", {{"cycles", 90}}}},
                                                    0, "a < b")};
    const std::string all = page({}, summaries, plan);
    EXPECT_EQ(count_of(all, "<script"), 1U) << "but that of all pages";
    EXPECT_EQ(all.find("<script>alert"), std::string::npos);
    EXPECT_EQ(all.find("<i>"), std::string::npos);
    EXPECT_NE(all.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; more"),
              std::string::npos);
    EXPECT_NE(all.find("a &lt; b"), std::string::npos);
    for (const char* load : {"http", "src=", "@import", "<link"}) {
        EXPECT_EQ(all.find(load), std::string::npos) << load;
    }
    EXPECT_EQ(count_of(all, "url("), count_of(all, "url(#")) << "but to parts of the page";
    EXPECT_EQ(all.rfind("<!DOCTYPE html>", 0), 0U);
    for (const char* tag : {"svg", "section", "table", "figure", "details", "ul", "li", "td"}) {
        EXPECT_EQ(count_of(all, std::string("<") + tag + " ") +
                      count_of(all, std::string("<") + tag + ">"),
                  count_of(all, std::string("</") + tag + ">"))
            << tag;
    }
    EXPECT_EQ(all, page({}, summaries, plan));
    // Links only where a prefix says how to get there.
    EXPECT_NE(all.find("<code>docs/a.md#b</code>"), std::string::npos);
    EXPECT_NE(page({}, summaries, plan, "../../").find("<a href='../../docs/a.md#b'>"),
              std::string::npos);
}

/// Made-up results of everything that the shipped experiments could run, by their own names.
TEST_F(ReproductionPage, DrawsEveryShippedExperimentWithoutOverprints) {
    const std::vector<const char*> metrics = {"cycles",
                                              "total_cycles",
                                              "ipc",
                                              "stall_cycles",
                                              "energy_uj",
                                              "energy_storage_uj",
                                              "l1_services",
                                              "l2_services",
                                              "dram_services",
                                              "ldst_stall_cycles",
                                              "hit_rate_percent",
                                              "l1_miss_rate_percent",
                                              "l2_miss_rate_percent",
                                              "predicted_percent",
                                              "assigned_percent",
                                              "prediction_accuracy_percent",
                                              "found_elsewhere_percent",
                                              "sharing_misses",
                                              "sharing_found_elsewhere",
                                              "block_pairs_over_800_percent",
                                              "block_pairs_over_100_percent",
                                              "accumulation_buffer_area_mm2",
                                              "accumulation_buffer_power_w",
                                              "accumulation_adders_power_w"};
    const auto plan =
        read_reproduction_plan((catalog().root() / "reproduction.yaml").string(), reference());
    std::vector<Summary> summaries;
    unsigned state = 1;
    for (const ReproductionStudy& study : plan.studies) {
        const Experiment experiment =
            read_experiment(catalog().experiment_file(study.experiment), catalog());
        std::vector<std::string> layers = experiment.layers;
        if (layers.empty()) layers = {"gemm.2048x2048x4096.dense"};
        std::vector<Row> rows;
        for (const std::string& layer : layers) {
            for (const ExperimentVariant& variant : experiment.variants) {
                for (const std::uint64_t seed : {1U, 2U}) {
                    Json values = Json::object();
                    for (const char* metric : metrics) {
                        state = state * 1103515245U + 12345U;
                        values[metric] = 20.0 + 60.0 * ((state >> 16U) % 1000) / 1000.0;
                    }
                    rows.push_back({layer, variant.name, values, seed});
                }
            }
        }
        summaries.push_back(summary(study.experiment, experiment.variants.front().name, rows));
    }
    const std::string all = page({}, summaries);
    EXPECT_EQ(all.find("Not run: "), std::string::npos);
    expect_no_overprint(all);
    for (const auto& figures :
         {duplo_page_figures(), dual_side_page_figures(), opportunistic_page_figures()}) {
        for (const PageFigure& figure : figures) {
            EXPECT_GE(count_of(section(all, figure.anchor), "<svg"), figure.charts.size())
                << figure.anchor;
        }
    }
    // Each row of the dual-side paper's five networks, as ratios.
    for (const char* layer :
         {"vgg16.conv5_3", "maskrcnn.fpn.inner_blocks.1", "lstm.weight_hh_l1"}) {
        EXPECT_NE(section(all, "S-fig22").find(std::string(layer) + ", dual"), std::string::npos);
    }
}

TEST_F(ReproductionPage, HasNumbersOnlyAndNoOverprints) {
    std::vector<Row> rows;
    for (const char* layer :
         {"lenet5.C1.forward", "lenet5.C2.forward", "lenet5.C3.backward_data"}) {
        for (const char* variant : {"baseline", "intra_c1", "intra_c2", "both_c2"}) {
            rows.push_back({layer,
                            variant,
                            {{"cycles", 0},
                             {"ipc", 0.0},
                             {"stall_cycles", 0},
                             {"energy_uj", 0},
                             {"predicted_percent", 0.0},
                             {"assigned_percent", 0.0}}});
        }
    }
    const Summary zeros = summary("opportunistic", "baseline", rows);
    const std::string all = page({}, {zeros, figure9()});
    static const std::regex kNoNumber("[^a-z](nan|inf)[^a-z]");
    std::smatch found;
    EXPECT_FALSE(std::regex_search(all, found, kNoNumber)) << found.str();
    EXPECT_GT(count_of(all, "<svg"), 10U);
    expect_no_overprint(all);
}

}  // namespace
}  // namespace tessera::test

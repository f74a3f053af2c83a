// Does a sensitivity study vary the given settings, and report which moved the figure?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/error.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/reproduction/atlas.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::vector<PaperFigure> reference() {
    return read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                              "/configs/reference/paper_results.yaml");
}

constexpr const char* kHead =
    "duplo:\n"
    "  figures: [D.fig9.lhb1024.speedup]\n"
    "  experiment: duplo_fig9_fig10\n";

class AtlasTest : public TempFolder {
protected:
    std::vector<AtlasStudy> read(const std::string& text) {
        return read_atlas(write("atlas.yaml", text), reference());
    }
    std::string error(const std::string& text) {
        const std::string said = error_of([&] { (void)read(text); });
        return said.substr(std::min(said.size(), (folder / "atlas.yaml").string().size()));
    }
};

TEST_F(AtlasTest, PointsAreTheShippedOneEachSettingAndThoseTogether) {
    const auto studies = read(std::string(kHead) +
                              "  seeds: 2\n"
                              "  settings:\n"
                              "    port: {source: chosen, low: {ldst.sectors_per_cycle: 1},\n"
                              "           high: {ldst.sectors_per_cycle: 8}}\n"
                              "    ways: {source: a card, high: {l1.ways: 64, l1.set_hash: none}}\n"
                              "  together: [[port.low, ways.high]]\n");
    ASSERT_EQ(studies.size(), 1U);
    EXPECT_EQ(studies[0].part.seeds, (std::vector<std::uint64_t>{1, 2}));
    const auto points = points_of(studies[0]);
    std::vector<std::string> names;
    for (const AtlasPoint& point : points) names.push_back(point.name);
    EXPECT_EQ(names, (std::vector<std::string>{"shipped", "port.low", "port.high", "ways.high",
                                               "port.low+ways.high"}));
    EXPECT_TRUE(points[0].sets.empty());
    EXPECT_EQ(points[3].source, "a card");
    EXPECT_EQ(points[4].sets, (std::vector<std::string>{"ldst.sectors_per_cycle=1", "l1.ways=64",
                                                        "l1.set_hash=none"}));
}

TEST_F(AtlasTest, MistakesAreNamed) {
    const std::string head(kHead);
    EXPECT_NE(error("").find("got no studies, expected at least one"), std::string::npos);
    EXPECT_EQ(error(head), ":2:3: duplo.settings: missing");
    EXPECT_EQ(error("x:\n  figures: [D.none]\n  experiment: duplo_fig9_fig10\n"),
              ":2:13: x.figures: no figure 'D.none'");
    EXPECT_EQ(error("x:\n  figures: [D.fig12.8way_over_direct]\n  experiment: duplo_knobs\n"),
              ":2:13: x.figures: D.fig12.8way_over_direct cannot be read off duplo_knobs, but off "
              "duplo_fig12");
    EXPECT_EQ(error(head + "  settings:\n    a: {low: {l1.ways: 1}}\n"),
              ":5:8: duplo.settings.a.source: missing, expected a source or 'chosen'");
    EXPECT_EQ(error(head + "  settings:\n    a: {source: chosen}\n"),
              ":5:8: duplo.settings.a: expected low or high");
    EXPECT_EQ(error(head + "  settings:\n    a: {source: chosen, low: {l1.ways: 1}}\n"
                           "  together: [[a.lo]]\n"),
              ":6:15: duplo.together: no setting 'a.lo' (did you mean 'a.low'?)");
}

/// Every point of the shipped atlas can be planned: its keys, values, layers and variants are
/// there.
TEST_F(AtlasTest, TheShippedOneCanBeRun) {
    const ConfigCatalog catalog;
    const auto studies = read_atlas((catalog.root() / "atlas.yaml").string(), reference());
    std::size_t figures = 0;
    for (const AtlasStudy& study : studies) {
        figures += study.figures.size();
        Experiment experiment = narrowed(
            read_experiment(catalog.experiment_file(study.experiment), catalog), study.part);
        experiment.layers.resize(1);  // all take their time
        for (const AtlasPoint& point : points_of(study)) {
            EXPECT_NO_THROW((void)plan_runs(experiment, catalog, point.sets)) << point.name;
        }
    }
    EXPECT_EQ(figures, 15U);
}

/// Results of a baseline of 100 cycles and a variant of so many, as a sweep leaves them.
Summary results(const fs::path& folder, int cycles) {
    const auto row = [](const char* variant, int value) {
        return nlohmann::ordered_json{{"layer", "resnet.C2"},   {"variant", variant},
                                      {"baseline", "baseline"}, {"seed", 1},
                                      {"config_hash", variant}, {"values", {{"cycles", value}}}};
    };
    const nlohmann::ordered_json j = {
        {"schema_version", kSummarySchemaVersion},
        {"experiment", "duplo_fig9_fig10"},
        {"title", ""},
        {"set", nlohmann::ordered_json::array()},
        {"tool", ""},
        {"variants",
         {{{"name", "baseline"}, {"baseline", "baseline"}, {"changes", nlohmann::json::object()}},
          {{"name", "lhb1024"}, {"baseline", "baseline"}, {"changes", nlohmann::json::object()}}}},
        {"rows", {row("baseline", 100), row("lhb1024", cycles)}},
        {"config", ""}};
    std::ofstream(folder / "summary.json") << j.dump();
    return Summary::read(folder);
}

TEST_F(AtlasTest, WhatMovesTheFigureMostComesFirst) {
    const auto studies = read(std::string(kHead) +
                              "  settings:\n"
                              "    a: {source: chosen, low: {l1.ways: 1}, high: {l1.ways: 8}}\n"
                              "    b: {source: chosen, low: {l1.ways: 2}}\n");
    // 10 % faster as shipped (the paper: 22.1), then 23.5, 12.4 and 100 %.
    const std::vector<Summary> summaries = {results(folder, 90), results(folder, 81),
                                            results(folder, 89), results(folder, 50)};
    const Atlas atlas(studies[0].figures[0], studies[0], summaries);
    std::vector<std::string> order;
    for (const AtlasResult& r : atlas.results()) order.push_back(r.point.name);
    EXPECT_EQ(order, (std::vector<std::string>{"shipped", "b.low", "a.low", "a.high"}));
    EXPECT_FALSE(atlas.carries_claim(atlas.results()[0]));
    EXPECT_TRUE(atlas.carries_claim(atlas.results()[1]));   // by 88.9 points, over 22.1
    EXPECT_FALSE(atlas.carries_claim(atlas.results()[2]));  // by 12.3
    EXPECT_EQ(atlas.results()[2].verdict, Verdict::kReproduced);
    EXPECT_NEAR(atlas.moved_by(atlas.results()[3]).value(), 100.0 / 89 * 100 - 100.0 / 90 * 100,
                1e-9);
    EXPECT_NE(atlas.text().find("b.low"), std::string::npos);
    const std::string chart = standalone(atlas.svg());
    EXPECT_EQ(chart.find("<svg xmlns="), 0U);
    EXPECT_NE(chart.find("paper 22.1"), std::string::npos);
    EXPECT_NE(chart.find("shipped 11.1"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test

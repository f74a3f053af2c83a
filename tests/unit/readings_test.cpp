// Does a reading change all experiments of its paper, and are its results compared with the shipped
// machine's?
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "sc_models/common/error.h"
#include "sc_models/reproduction/reading.h"
#include "sc_models/reproduction/readings_comparison.h"
#include "sc_models/reproduction/reproduction_studies.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = "paper: duplo\ntitle: a title\nwhy: a reason\nsource: chosen\n";

/// Shipped configurations with a folder of readings of the test's own.
class ReadingsTest : public TempFolder {
protected:
    void SetUp() override {
        TempFolder::SetUp();
        root_ = fs::path(folder) / "configs";
        fs::create_directories(root_ / "readings");
        for (const auto& entry : fs::directory_iterator(shipped())) {
            if (entry.path().filename() == "readings") continue;
            fs::create_directory_symlink(entry.path(), root_ / entry.path().filename());
        }
    }
    static fs::path shipped() { return fs::path(TESSERA_SOURCE_DIR) / "configs"; }
    Reading read(const std::string& text) {
        (void)write("configs/readings/one.yaml", text);
        return read_readings({"one"}, ConfigCatalog(root_)).at(0);
    }
    std::string error(const std::string& text) {
        const std::string said = error_of([&] { (void)read(text); });
        const std::size_t place = said.find("one.yaml");
        return place == std::string::npos ? said : said.substr(place + 8);
    }
    static std::vector<PaperFigure> figures(const std::vector<std::string>& names) {
        return selected_figures(
            read_paper_figures((shipped() / "reference" / "paper_results.yaml").string()), names);
    }
    static ReproductionPlan plan() {
        return read_reproduction_plan((shipped() / "reproduction.yaml").string(), figures({}));
    }

    fs::path root_;
};

Experiment trial() {
    Experiment experiment;
    experiment.name = "duplo_fig9_fig10";
    experiment.base = {"duplo_titan_v", "workspace_ready"};
    ConfigNode entries;
    entries.kind = ConfigNode::Kind::kScalar;
    entries.scalar = "2048";
    experiment.variants = {
        {"baseline", {"baseline"}, {}, "baseline"},
        {"lhb2048", {"duplo_paper"}, {{"duplo.lhb.entries", {}, entries}}, "baseline"}};
    return experiment;
}

TEST_F(ReadingsTest, AReadingChangesEveryVariantBelowItsOwnSettings) {
    const Reading reading =
        read(std::string(kHead) +
             "replace: {duplo_titan_v: [gpgpusim_titan_v, tlb_volta]}\n"
             "set: {duplo.lhb.entries: 64, l1.bank_hash: none}\n"
             "variants:\n"
             "  duplo_fig9_fig10:\n"
             "    baseline: {configs: [baseline_buildable], set: {sm.max_ctas: 8}}\n");
    const Experiment read = under_reading(trial(), reading);
    EXPECT_EQ(read.name, "duplo_fig9_fig10");
    EXPECT_EQ(read.base,
              (std::vector<std::string>{"gpgpusim_titan_v", "tlb_volta", "workspace_ready"}));
    const auto text = [](const ExperimentVariant& variant) {
        std::string all;
        for (const ConfigNode::Member& one : variant.set)
            all += one.key + "=" + one.value.scalar + " ";
        return all;
    };
    EXPECT_EQ(text(read.variants[0]), "duplo.lhb.entries=64 l1.bank_hash=none sm.max_ctas=8 ");
    EXPECT_EQ(read.variants[0].configs, (std::vector<std::string>{"baseline_buildable"}));
    // The variant's own value comes last, so that it holds.
    EXPECT_EQ(text(read.variants[1]),
              "duplo.lhb.entries=64 l1.bank_hash=none duplo.lhb.entries=2048 ");
    EXPECT_EQ(read.variants[1].configs, (std::vector<std::string>{"duplo_paper"}));
}

TEST_F(ReadingsTest, MistakesAreNamed) {
    EXPECT_EQ(error("title: x\n"), ":1:1: paper: missing");
    EXPECT_NE(error("paper: dupla\n").find("duplo"), std::string::npos);
    EXPECT_EQ(error("paper: duplo\ntitle: x\nsource: chosen\n"), ":1:1: why: missing");
    EXPECT_EQ(error("paper: duplo\ntitle: x\nwhy: y\n"), ":1:1: source: missing");
    EXPECT_NE(error(kHead).find("expected replace, set or variants"), std::string::npos);
    EXPECT_NE(error(std::string(kHead) + "replace: {titan: [titan_v]}\n").find("titan"),
              std::string::npos);
    EXPECT_NE(error(std::string(kHead) + "set: {seed: 2}\n").find("got seed"), std::string::npos);
    EXPECT_NE(error(std::string(kHead) + "variants: {duplo_fig9: {}}\n").find("duplo_fig9_fig10"),
              std::string::npos);
    EXPECT_NE(
        error(std::string(kHead) + "variants: {duplo_fig9_fig10: {lhb10: {configs: [baseline]}}}\n")
            .find("lhb1024"),
        std::string::npos);
    EXPECT_NE(error_of([&] { (void)read_readings({"won"}, ConfigCatalog(root_)); }).find("one"),
              std::string::npos);
}

TEST_F(ReadingsTest, ShippedReadingsPlanOnlyWhatTheyChange) {
    const ConfigCatalog catalog(shipped());
    const auto readings = read_readings({"all"}, catalog);
    EXPECT_EQ(readings.size(), catalog.names("readings").size());
    ASSERT_GE(readings.size(), 5U);
    const ReproductionExtent quick{true, 0};
    std::map<std::string, std::set<std::string>> shipped_runs;  // by paper
    for (const Reading& reading : readings) {
        const std::string paper(paper_name(reading.letter));
        const std::vector<PaperFigure> of_paper = figures({paper});
        const auto studies = plan_studies(plan(), of_paper, catalog, quick, reading);
        std::set<std::string>& hashes = shipped_runs[paper];
        if (hashes.empty()) {
            const auto as_shipped = plan_studies(plan(), of_paper, catalog, quick);
            for (const PlannedRun& run : runs_of(as_shipped)) hashes.insert(run.acting);
        }
        std::size_t others = 0;
        for (const PlannedRun& run : runs_of(studies)) {
            EXPECT_EQ(run.folder.string().rfind("readings/" + reading.name + "/", 0), 0U);
            others += hashes.count(run.acting) == 0 ? 1 : 0;
        }
        EXPECT_GT(others, 0U) << reading.name;
    }
}

PaperAnswer answered(const PaperFigure& paper, double ours) {
    PaperAnswer answer;
    answer.paper = paper;
    answer.ours = Estimate{ours, std::nullopt, 1};
    answer.verdict = verdict_of(paper, *answer.ours);
    return answer;
}

TEST_F(ReadingsTest, WhatAReadingMovesIsNamed) {
    // Nothing was run, so that the shipped machine's rows are the stored ones.
    const auto duplo = figures({"D.fig9.lhb1024.speedup", "D.fig11.l1_services"});
    const Reproduction as_shipped({}, figures({"duplo"}), {}, ConfigCatalog(shipped()), true);
    const auto at = [&](const char* id) {
        for (const ReproducedFigure& row : as_shipped.figures()) {
            if (row.answer.paper.id == id && !row.answer.is_other_reading) return row.answer;
        }
        return PaperAnswer{};
    };
    ASSERT_EQ(at("D.fig9.lhb1024.speedup").verdict, Verdict::kPartly);
    Reading reading = read(std::string(kHead) + "set: {l1.bank_hash: none}\n");
    ReadingResult result{reading, {}};
    for (const PaperFigure& figure : duplo) {
        const bool is_speedup = figure.id == "D.fig9.lhb1024.speedup";
        result.answers.push_back(answered(figure, is_speedup ? *figure.value : 0));
    }
    const ReadingsComparison comparison(as_shipped, {result});
    const auto json = comparison.json();
    ASSERT_EQ(json.size(), 2U);
    EXPECT_EQ(json[0]["name"], "shipped");
    EXPECT_EQ(json[1]["nearer"].dump(), R"(["D.fig9.lhb1024.speedup"])");
    EXPECT_EQ(json[1]["further"].dump(), R"(["D.fig11.l1_services"])");
    const std::string text = comparison.text();
    EXPECT_NE(text.find("nearer to the paper: D.fig9.lhb1024.speedup\n"), std::string::npos)
        << text;
    EXPECT_NE(best_readings({comparison}).find("under the best reading of each paper (duplo "),
              std::string::npos);
    EXPECT_EQ(best_readings({}), "");
}

}  // namespace
}  // namespace tessera::test

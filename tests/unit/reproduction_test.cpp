// Are the papers' figures judged by the rule, and is what the plan says of them sound?
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sc_models/common/error.h"
#include "sc_models/reproduction/documented_results.h"
#include "sc_models/reproduction/reason.h"
#include "sc_models/reproduction/reproduction.h"
#include "sc_models/reproduction/worked_examples.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera::test {
namespace {

std::vector<PaperFigure> reference() {
    return read_paper_figures(std::string(TESSERA_SOURCE_DIR) +
                              "/configs/reference/paper_results.yaml");
}

TEST(Estimate, IntervalsFollowStudentsDistribution) {
    EXPECT_FALSE(estimate_of({}));
    EXPECT_FALSE(estimate_of({3})->half_width);
    EXPECT_DOUBLE_EQ(estimate_of({3})->mean, 3);
    // Deviations -2 .. 2: a variance of 2.5, so sqrt(2.5 / 5) = 0.7071, times 2.776.
    const auto five = estimate_of({8, 9, 10, 11, 12});
    EXPECT_DOUBLE_EQ(five->mean, 10);
    EXPECT_NEAR(*five->half_width, 1.9629, 1e-3);
    EXPECT_EQ(five->samples, 5U);
    EXPECT_DOUBLE_EQ(*estimate_of({4, 4, 4})->half_width, 0);
}

PaperFigure figure(std::string stated, std::string unit, Measure measure = Measure::kTime,
                   FigureKind kind = FigureKind::kMeasured) {
    PaperFigure f;
    f.id = f.entry = "X.y";
    f.value = std::stod(stated);
    f.stated = std::move(stated);
    f.unit = std::move(unit);
    f.measure = measure;
    f.nothing = f.unit == "x" ? 1 : 0;
    f.kind = kind;
    return f;
}

Verdict judge(const PaperFigure& paper, double ours, std::optional<double> half_width = {}) {
    return verdict_of(paper, {ours, half_width, half_width ? 5U : 1U});
}

TEST(Verdict, SpeedupsHaveToBeWithinTenPercent) {
    const PaperFigure speedup = figure("22.1", "percent");
    EXPECT_EQ(judge(speedup, 19.9), Verdict::kReproduced);
    EXPECT_EQ(judge(speedup, 19.8), Verdict::kPartly);  // 2.3 points are more than 10 %
    EXPECT_EQ(judge(speedup, 24.3), Verdict::kReproduced);
    EXPECT_EQ(judge(speedup, 11.1), Verdict::kPartly);
    EXPECT_EQ(judge(speedup, 11.0), Verdict::kNot);  // below half
    EXPECT_EQ(judge(speedup, 44.3), Verdict::kNot);
    EXPECT_EQ(judge(speedup, -20), Verdict::kNot);
    const PaperFigure ratio = figure("13.4", "x");
    EXPECT_EQ(judge(ratio, 12.1), Verdict::kReproduced);
    EXPECT_EQ(judge(ratio, 12.0), Verdict::kPartly);
    EXPECT_EQ(judge(ratio, 6.6), Verdict::kNot);
}

TEST(Verdict, OnlySharesHaveFivePoints) {
    EXPECT_EQ(judge(figure("26.2", "percent", Measure::kShare), 21.3), Verdict::kReproduced);
    EXPECT_EQ(judge(figure("26.2", "percent", Measure::kShare), 21.1), Verdict::kPartly);
    EXPECT_EQ(judge(figure("80", "percent", Measure::kShare), 73), Verdict::kReproduced);  // 10 %
    for (const Measure measure : {Measure::kTime, Measure::kEffect, Measure::kCost}) {
        EXPECT_EQ(judge(figure("26.2", "percent", measure), 21.3), Verdict::kPartly);
    }
}

TEST(Verdict, NoEffectReproducesNothing) {
    EXPECT_EQ(judge(figure("-0.9", "percent"), 0), Verdict::kNot);
    EXPECT_EQ(judge(figure("-0.9", "percent"), -0.9), Verdict::kReproduced);
    // An interval that holds the paper's number and no effect, too.
    EXPECT_EQ(judge(figure("-0.9", "percent"), -0.5, 0.6), Verdict::kPartly);
    EXPECT_EQ(judge(figure("1.8", "percent_points"), 2.2, 0.6), Verdict::kReproduced);
    // A ratio of 1 is no effect, whatever the tolerance, and less is the opposite of a gain.
    EXPECT_EQ(judge(figure("1.05", "x"), 1), Verdict::kNot);
    EXPECT_EQ(judge(figure("1.05", "x"), 0.99), Verdict::kNot);
    EXPECT_EQ(judge(figure("0.63", "x"), 0.84), Verdict::kPartly);
    // 93.6 % of the stalls are left, which is an effect of 6.4.
    PaperFigure left = figure("93.6", "percent", Measure::kEffect);
    left.nothing = 100;
    EXPECT_EQ(judge(left, 100), Verdict::kNot);
    EXPECT_EQ(judge(left, 108.8), Verdict::kNot);
    EXPECT_EQ(judge(left, 96), Verdict::kPartly);
    EXPECT_EQ(judge(left, 94), Verdict::kReproduced);
    // A paper's "nearly zero" is compared as printed.
    EXPECT_EQ(judge(figure("0", "percent", Measure::kEffect), -0.3), Verdict::kReproduced);
    EXPECT_EQ(judge(figure("0", "percent", Measure::kEffect), -0.6), Verdict::kNot);
}

TEST(Verdict, AnIntervalThatHoldsTheNumberReproducesIt) {
    EXPECT_EQ(judge(figure("22.1", "percent"), 12, 10.2), Verdict::kReproduced);
    EXPECT_EQ(judge(figure("22.1", "percent"), 12, 10.0), Verdict::kPartly);
}

TEST(Verdict, WhatIsExactHasToEqualTheDigitsPrinted) {
    const auto exact = [](const char* stated, const char* unit) {
        return figure(stated, unit, Measure::kExample, FigureKind::kExact);
    };
    EXPECT_EQ(judge(exact("1.3", "x"), 32.0 / 24), Verdict::kReproduced);
    EXPECT_EQ(judge(exact("1.3", "x"), 1.36), Verdict::kNot);
    EXPECT_EQ(judge(exact("3136", "bytes"), 3136), Verdict::kReproduced);
    EXPECT_EQ(judge(exact("3136", "bytes"), 3137), Verdict::kNot);
}

TEST(Verdict, AMedianStandsBesideAMeanOfOneLayer) {
    EXPECT_FALSE(median_beside_mean({1, 2, 3}));  // 3 is half of 6
    EXPECT_EQ(median_beside_mean({0, 152, 1, 2}), 1.5);
    EXPECT_EQ(median_beside_mean({-18, 15, 0}), 0);  // a sum of little, made of much
    EXPECT_FALSE(median_beside_mean({5}));
    EXPECT_FALSE(median_beside_mean({}));
}

/// The papers' drawn examples come out of the blocks of the model as they are.
TEST(WorkedExamples, AreAsThePapersDrawThem) {
    const auto answers = worked_examples(reference(), ConfigCatalog());
    EXPECT_EQ(answers.size(), 11U + 2 * 6U);
    for (const PaperAnswer& answer : answers) {
        if (answer.paper.kind != FigureKind::kExact) continue;
        EXPECT_EQ(answer.verdict, Verdict::kReproduced)
            << answer.paper.id << ": " << answer.words << ours_cell(answer);
    }
}

TEST(Reproduction, CountsEntriesByTheirWorstNumber) {
    const auto figures = reference();
    const Reproduction reproduction({}, selected_figures(figures, {"D.fig3", "S.fig22.cnn"}), {},
                                    ConfigCatalog());
    const VerdictCounts counts = reproduction.counts();
    EXPECT_EQ(counts.entries, 4U + 7U);
    EXPECT_EQ(counts.with_ours, 4U);
    EXPECT_EQ(counts.repeated, 2U);
    EXPECT_EQ(counts.total(Verdict::kNotMeasured), 6U);
    EXPECT_NE(reproduction.text().find("11 figures, 2 of them measured by another: "),
              std::string::npos);
    EXPECT_EQ(reproduction.json().at("figures").size(), reproduction.figures().size());
    EXPECT_EQ(reproduction.text().rfind("no speedup or time was simulated\n", 0), 0U);
}

/// The results that the documentation shows. Their verdicts are those of the rule, and each
/// measurement counts once.
TEST(Reproduction, DocumentedResultsAreJudgedByTheRule) {
    const ConfigCatalog catalog;
    const auto figures = reference();
    const auto plan =
        read_reproduction_plan((catalog.root() / "reproduction.yaml").string(), figures);
    const Reproduction reproduction(plan, figures, {}, catalog, true);
    std::ifstream in(catalog.root() / "reference" / "results" / "reproduction.json");
    const auto stored = nlohmann::ordered_json::parse(in);
    EXPECT_EQ(reproduction.json(), stored);
    const VerdictCounts counts = reproduction.counts();
    std::size_t counted = 0;
    for (const auto verdict :
         {Verdict::kReproduced, Verdict::kPartly, Verdict::kNot, Verdict::kNotMeasured}) {
        counted += counts.total(verdict);
    }
    EXPECT_EQ(counted + counts.repeated, counts.entries);
    for (const ReproducedFigure& figure : reproduction.figures()) {
        if (figure.answer.is_other_reading || figure.answer.paper.repeats.empty()) continue;
        EXPECT_NE(verdict_cell(figure.answer).find('*'), std::string::npos);
    }
}

TEST(Reproduction, StoredVerdictsOfTheAtlasAreOfTheRule) {
    const ConfigCatalog catalog;
    const auto figures = reference();
    std::ifstream in(catalog.root() / "reference" / "results" / "atlas.json");
    std::size_t points = 0;
    for (const auto& study : nlohmann::ordered_json::parse(in)) {
        const auto paper = std::find_if(figures.begin(), figures.end(), [&](const PaperFigure& f) {
            return f.id == study.at("figure");
        });
        ASSERT_NE(paper, figures.end());
        for (const auto& point : study.at("points")) {
            std::optional<double> half_width;
            if (point.contains("half_width_95_percent")) {
                half_width = point.at("half_width_95_percent").get<double>();
            }
            EXPECT_EQ(point.at("verdict"),
                      verdict_name(judge(*paper, point.at("ours"), half_width)))
                << paper->id << ", " << point.at("name");
            ++points;
        }
    }
    EXPECT_GT(points, 300U);
}

/// A reason's numbers come from rows, stored sweeps and atlases, or stand in the paper's words.
TEST(Reasons, HoldNoTypedNumbers) {
    const auto typed = [](const std::string& reason) {
        return mistake_in_reason(reason).find("typed number") != std::string::npos;
    };
    EXPECT_TRUE(typed("it is 29.7 % here"));
    EXPECT_TRUE(typed("it falls by 5 points"));
    EXPECT_TRUE(typed("it takes (293 us)"));
    EXPECT_TRUE(typed("it goes from 3 to {ours D.table2}"));
    EXPECT_TRUE(typed("-28.1 % of services"));
    EXPECT_TRUE(typed("a warp has 768 predictions"));
    EXPECT_FALSE(typed("{ours D.base.l1_miss_rate} % and {paper D.fig9.lhb1024.speedup}"));
    EXPECT_FALSE(typed("C1 and A3 in FP16, 8x8 halves of a product of 4096^3, batch 32, Figure 3"));
    EXPECT_FALSE(typed("VI-C: \"higher than 25%\""));
    EXPECT_EQ(mistake_in_reason("VI-A: \"the words\", {ours D.table2}"), "");
    EXPECT_NE(mistake_in_reason("it says \"the words\""), "");
    EXPECT_EQ(mistake_in_reason("{our D.table2}").substr(0, 39),
              "got '{our D.table2}', expected one of {");
    EXPECT_EQ(mistake_in_reason("{ours A B}"), "got '{ours A B}', expected {ours FIGURE}");
}

/// Every place of the shipped reasons has a number in the stored results.
TEST(Reasons, OfTheShippedPlanAreFilled) {
    const ConfigCatalog catalog;
    const auto figures = reference();
    ReproductionPlan plan =
        read_reproduction_plan((catalog.root() / "reproduction.yaml").string(), figures);
    const DocumentedResults stored(catalog.root() / "reference" / "results");
    std::size_t places = 0;
    for (const auto& [id, explanation] : plan.explanations) {
        std::string error;
        for (const ReasonPlace& place : places_of(explanation.why, error)) {
            const auto& a = place.arguments;
            ++places;
            if (place.kind == "cell") {
                EXPECT_TRUE(stored.cell(a[0], a[1], a[2], a[3])) << id << ": " << a[3];
            } else if (place.kind == "atlas") {
                EXPECT_TRUE(stored.atlas(a[0], a[1])) << id << ": " << a[1];
            } else {
                EXPECT_EQ(selected_figures(figures, {a[0]}).size(), 1U) << id << ": " << a[0];
            }
        }
    }
    EXPECT_GT(places, 10U);
    const Reproduction reproduction(plan, figures, {}, catalog, true);
    for (const ReproducedFigure& figure : reproduction.figures()) {
        EXPECT_EQ(figure.explanation.why.find('{'), std::string::npos);
        EXPECT_EQ(figure.explanation.why.find(" - "), std::string::npos) << figure.explanation.why;
    }
}

class StoredTables : public TempFolder {};

TEST_F(StoredTables, CellsAreMeansOverSeedsAndLayers) {
    write("trial.csv",
          "layer,variant,baseline,seed,cycles\na.x,b,b,1,100\na.x,v,b,1,50\na.x,v,b,2,30\n"
          "a.y,b,b,1,90\na.y,v,b,1,60\nc.z,v,b,1,\n");
    const DocumentedResults stored(folder);
    EXPECT_EQ(stored.cell("trial", "a.x", "v", "cycles"), 40);
    EXPECT_EQ(stored.cell("trial", "mean", "v", "cycles"), 50);
    EXPECT_EQ(stored.cell("trial", "mean", "v", "times:cycles"), 2);  // 2.5 and 1.5
    EXPECT_EQ(stored.cell("trial", "mean:a.y+c.*", "v", "cycles"), 60);
    EXPECT_FALSE(stored.cell("trial", "c.z", "v", "cycles"));
    EXPECT_FALSE(stored.cell("trial", "mean", "w", "cycles"));
    EXPECT_FALSE(stored.cell("trial", "mean", "v", "hits"));
    EXPECT_FALSE(stored.cell("other", "mean", "v", "cycles"));
    EXPECT_FALSE(stored.atlas("D.table2", "shipped"));
    write("atlas.json", R"([{"figure": "D.a", "points": [{"name": "shipped", "ours": 3.5}]}])");
    const DocumentedResults with_atlas(folder);
    EXPECT_EQ(with_atlas.atlas("D.a", "shipped"), 3.5);
    EXPECT_FALSE(with_atlas.atlas("D.a", "other"));
}

TEST(Reproduction, DescribesEveryFigure) {
    const Reproduction nothing_measured({}, reference(), {}, ConfigCatalog());
    const auto all = nothing_measured.json();
    EXPECT_EQ(all.at("figures").size(), reference().size());
    for (const auto& row : all.at("figures")) EXPECT_NE(row.at("what"), "") << row.at("id");
}

TEST(Reproduction, FiguresAreSelectedByPaperEntryAndBeginning) {
    const auto figures = reference();
    EXPECT_EQ(selected_figures(figures, {}).size(), figures.size());
    for (const PaperFigure& f : selected_figures(figures, {"duplo"})) EXPECT_EQ(f.paper(), "D");
    EXPECT_EQ(selected_figures(figures, {"O.fig5.inter.mean"}).size(), 2U);
    EXPECT_EQ(selected_figures(figures, {"O.fig5.inter.mean.c1"}).size(), 1U);
    EXPECT_EQ(selected_figures(figures, {"D.fig9", "D.fig9.oracle"}).size(), 5U);
    EXPECT_EQ(error_of([&] { (void)selected_figures(figures, {"duplos"}); }),
              "got 'duplos', expected one of {duplo, dual_side, opportunistic}, a figure of the "
              "table, or "
              "the beginning of its id (did you mean 'duplo'?)");
    EXPECT_NE(error_of([&] { (void)selected_figures(figures, {"D.fig"}); }), "");
}

class ReproductionPlan : public TempFolder {
protected:
    /// The error that reading the plan gives.
    std::string plan_error(const std::string& text) const {
        const std::string path = write("plan.yaml", text);
        const std::string error =
            error_of([&] { (void)read_reproduction_plan(path, reference()); });
        return error.substr(std::min(error.size(), path.size()));
    }
};

TEST_F(ReproductionPlan, MistakesAreNamed) {
    EXPECT_EQ(plan_error("studies: []\nextra: 1\n").substr(0, 4), ":2:1");
    EXPECT_EQ(plan_error("studies:\n  - experiment: resnet_c2\n    full: {layers: [a.b]}\n"),
              ":3:11: studies.full.seeds: missing, expected their number");
    EXPECT_NE(plan_error("studies:\n  - experiment: resnet_c2\n    full: {seeds: 0}\n"), "");
    EXPECT_EQ(
        plan_error("studies:\n  - experiment: resnet_c2\n    full: {seeds: 1, once: [a.b]}\n"),
        ":3:11: studies.full.once: got layers, expected none with one seed");
    EXPECT_EQ(plan_error("studies: []\nexplanations:\n  D.fig99: {why: x}\n"),
              ":3:3: explanations.D.fig99: no such figure");
    EXPECT_EQ(
        plan_error("studies: []\nexplanations:\n  D.table2: {why: 29.7 % here}\n").substr(0, 75),
        ":3:19: explanations.D.table2.why: got the typed number '29.7', expected a p");
    EXPECT_EQ(plan_error("studies: []\nexplanations:\n  D.table2: {see: x}\n"),
              ":3:13: explanations.D.table2.why: missing");
    EXPECT_EQ(plan_error("studies: []\n"), "");
}

/// Every experiment from which a figure is read is in the shipped plan, and its parts name layers
/// and variants that it has. Where a page is named, it is there.
TEST_F(ReproductionPlan, TheShippedOneIsWhole) {
    const ConfigCatalog catalog;
    const auto figures = reference();
    const auto plan =
        read_reproduction_plan((catalog.root() / "reproduction.yaml").string(), figures);
    for (const ReproductionStudy& study : plan.studies) {
        const Experiment experiment =
            read_experiment(catalog.experiment_file(study.experiment), catalog);
        EXPECT_NO_THROW((void)study.full.layers_of(experiment)) << study.experiment;
        EXPECT_NO_THROW((void)study.quick.value_or(study.full).layers_of(experiment));
    }
    for (const PaperFigure& f : figures) {
        for (const std::string& experiment : experiments_for(f)) {
            EXPECT_TRUE(std::any_of(plan.studies.begin(), plan.studies.end(),
                                    [&](const auto& s) { return s.experiment == experiment; }))
                << f.id << ": " << experiment;
        }
    }
    for (const auto& [id, explanation] : plan.explanations) {
        const std::string page = explanation.see.substr(0, explanation.see.find('#'));
        EXPECT_TRUE(page.empty() ||
                    std::filesystem::exists(std::filesystem::path(TESSERA_SOURCE_DIR) / page))
            << id << ": " << page;
    }
}

TEST(ReproductionPart, LayersThatHardlyMoveAreRunOnce) {
    const ConfigCatalog catalog;
    const Experiment all = read_experiment(catalog.experiment_file("duplo_fig13"), catalog);
    const auto plan_of = [&](const ReproductionPart& part) {
        std::vector<std::pair<std::string, std::size_t>> seeds;
        for (const Experiment& one : part.layers_of(all)) {
            EXPECT_EQ(one.layers.size(), 1U);
            seeds.emplace_back(one.layers.front(), one.seeds.size());
        }
        return seeds;
    };
    using Seeds = std::vector<std::pair<std::string, std::size_t>>;
    const std::vector<std::string> three = {"yolo.C2", "resnet.C1", "gan.C1"};
    EXPECT_EQ(plan_of({{three, {}, {1, 2, 3}}, {"yolo", "resnet.C5"}}),
              (Seeds{{"resnet.C1", 3}, {"gan.C1", 3}, {"yolo.C2", 1}}));
    EXPECT_EQ(plan_of({{{}, {}, {1, 2}}, {}}).size(), all.layers.size());
    EXPECT_EQ(error_of([&] {
                  (void)plan_of({{three, {}, {1, 2}}, {"resnet.C99"}});
              }),
              "duplo_fig13 has no layer 'resnet.C99'");
}

TEST(Experiment, APartKeepsTheOrderAndTheBaselines) {
    const ConfigCatalog catalog;
    const Experiment all = read_experiment(catalog.experiment_file("duplo_fig13"), catalog);
    const Experiment part = narrowed(all, {{"yolo.C2", "resnet.C1"}, {"batch32"}, {4, 5}});
    EXPECT_EQ(part.layers, (std::vector<std::string>{"resnet.C1", "yolo.C2"}));
    ASSERT_EQ(part.variants.size(), 2U);
    EXPECT_EQ(part.variants[0].name, "baseline32");
    EXPECT_EQ(part.variants[1].name, "batch32");
    EXPECT_EQ(part.seeds, (std::vector<std::uint64_t>{4, 5}));
    EXPECT_EQ(error_of([&] {
                  (void)narrowed(all, {{"resnet.C99"}, {}, {}});
              }),
              "duplo_fig13 has no layer 'resnet.C99'");
    EXPECT_EQ(error_of([&] {
                  (void)narrowed(all, {{}, {"batch64"}, {}});
              }),
              "duplo_fig13 has no variant 'batch64'");
}

}  // namespace
}  // namespace tessera::test

// Are the papers' figures judged by the rule, and is what the plan says of them sound?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sc_models/common/error.h"
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

PaperFigure figure(std::string stated, std::string unit, FigureKind kind = FigureKind::kMeasured) {
    PaperFigure f;
    f.id = f.entry = "X.y";
    f.value = std::stod(stated);
    f.stated = std::move(stated);
    f.unit = std::move(unit);
    f.kind = kind;
    return f;
}

Verdict judge(const PaperFigure& paper, double ours, std::optional<double> half_width = {}) {
    return verdict_of(paper, {ours, half_width, half_width ? 5U : 1U});
}

TEST(Verdict, PercentagesAreComparedInPointsAndRatiosRelatively) {
    const PaperFigure speedup = figure("22.1", "percent");
    EXPECT_EQ(judge(speedup, 17.2), Verdict::kReproduced);  // 4.9 points
    EXPECT_EQ(judge(speedup, 27.0), Verdict::kReproduced);
    EXPECT_EQ(judge(speedup, 17.0), Verdict::kPartly);
    EXPECT_EQ(judge(speedup, 11.1), Verdict::kPartly);
    EXPECT_EQ(judge(speedup, 11.0), Verdict::kNot);  // below half
    EXPECT_EQ(judge(speedup, 44.3), Verdict::kNot);
    EXPECT_EQ(judge(speedup, -20), Verdict::kNot);
    // For large percentages a tolerance of 10 % exceeds 5 points.
    EXPECT_EQ(judge(figure("80", "percent"), 73), Verdict::kReproduced);
    const PaperFigure ratio = figure("13.4", "x");
    EXPECT_EQ(judge(ratio, 12.1), Verdict::kReproduced);
    EXPECT_EQ(judge(ratio, 12.0), Verdict::kPartly);
    EXPECT_EQ(judge(ratio, 6.6), Verdict::kNot);
}

TEST(Verdict, AnIntervalThatHoldsTheNumberReproducesIt) {
    EXPECT_EQ(judge(figure("22.1", "percent"), 12, 10.2), Verdict::kReproduced);
    EXPECT_EQ(judge(figure("22.1", "percent"), 12, 10.0), Verdict::kPartly);
}

TEST(Verdict, WhatIsExactHasToEqualTheDigitsPrinted) {
    EXPECT_EQ(judge(figure("1.3", "x", FigureKind::kExact), 32.0 / 24), Verdict::kReproduced);
    EXPECT_EQ(judge(figure("1.3", "x", FigureKind::kExact), 1.36), Verdict::kNot);
    EXPECT_EQ(judge(figure("3136", "bytes", FigureKind::kExact), 3136), Verdict::kReproduced);
    EXPECT_EQ(judge(figure("3136", "bytes", FigureKind::kExact), 3137), Verdict::kNot);
}

TEST(Verdict, ClaimsBelowTheToleranceAreMarked) {
    EXPECT_TRUE(is_below_tolerance(figure("-0.9", "percent")));
    EXPECT_FALSE(is_below_tolerance(figure("5.1", "percent")));
    EXPECT_FALSE(is_below_tolerance(figure("1.3", "x")));
}

/// The papers' drawn examples come out of the blocks of the model as they are.
TEST(WorkedExamples, AreAsThePapersDrawThem) {
    const auto answers = worked_examples(reference(), ConfigCatalog());
    EXPECT_EQ(answers.size(), 9U + 2 * 6U);
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
    EXPECT_EQ(counts.with_ours, 2U);
    EXPECT_EQ(counts.of[static_cast<std::size_t>(Verdict::kNotMeasured)], 9U);
    EXPECT_NE(reproduction.text().find("11 figures: "), std::string::npos);
    EXPECT_EQ(reproduction.json().at("figures").size(), reproduction.figures().size());
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

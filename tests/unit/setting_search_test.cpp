// Does the search find the fewest settings that do, within its budget?
#include <gtest/gtest.h>

#include <algorithm>

#include "sc_models/reproduction/setting_search.h"

namespace tessera::test {
namespace {

std::vector<SearchSetting> settings() {
    return {{"a.low", "a", "", {}},
            {"a.high", "a", "", {}},
            {"b.high", "b", "", {}},
            {"c.high", "c", "", {}}};
}

/// One figure comes out with a.high and one more with b.high in addition; a.low leads astray.
SearchScore score(const SearchSet& set) {
    const auto has = [&set](std::size_t i) { return std::count(set.begin(), set.end(), i) != 0; };
    SearchScore score;
    score.figures = 3;
    score.reproduced = has(1) ? 1 : 0;
    score.reproduced += has(1) && has(2) ? 1 : 0;
    score.distance = 1 - 0.1 * (has(0) ? 1 : 0);
    return score;
}

struct Trial {
    SearchResult result;
    std::vector<SearchSet> tried;
};
Trial search(std::size_t budget, SearchScore (*scored)(const SearchSet&) = score) {
    Trial trial;
    trial.result = search_settings(settings(), budget, [&](const std::vector<SearchSet>& sets) {
        std::vector<SearchScore> scores;
        for (const SearchSet& set : sets) {
            trial.tried.push_back(set);
            scores.push_back(scored(set));
        }
        return scores;
    });
    return trial;
}

TEST(SettingSearch, SettingsThatBringFiguresOutAreAddedOneByOne) {
    const Trial trial = search(100);
    EXPECT_EQ(trial.result.best().set, (SearchSet{1, 2}));
    EXPECT_EQ(trial.result.best().score.reproduced, 2U);
    ASSERT_EQ(trial.result.steps.size(), 3U);
    EXPECT_TRUE(trial.result.steps[0].set.empty());
    EXPECT_EQ(trial.result.steps[1].set, (SearchSet{1}));
    EXPECT_EQ(trial.result.tried, trial.tried.size());
    EXPECT_FALSE(trial.result.budget_spent);
    // Never two sides of one setting.
    for (const SearchSet& set : trial.tried) {
        EXPECT_FALSE(std::count(set.begin(), set.end(), 0U) != 0 &&
                     std::count(set.begin(), set.end(), 1U) != 0);
    }
}

TEST(SettingSearch, WhatIsNotNeededIsLeftOut) {
    // c alone is nearest; with b it is not needed any more.
    const Trial trial = search(100, [](const SearchSet& set) {
        const bool b = std::count(set.begin(), set.end(), 2U) != 0;
        const bool c = std::count(set.begin(), set.end(), 3U) != 0;
        SearchScore score;
        score.figures = 2;
        score.reproduced = b ? 2 : (c ? 1 : 0);
        if (b && !c && set.size() == 1) score.reproduced = 2;
        score.distance = b && c ? 0.1 : 0.2;
        return score;
    });
    EXPECT_EQ(trial.result.best().set, (SearchSet{2}));
}

TEST(SettingSearch, TheBudgetIsKept) {
    for (const std::size_t budget : {1U, 2U, 4U, 6U}) {
        const Trial trial = search(budget);
        EXPECT_LE(trial.tried.size(), budget);
        EXPECT_TRUE(trial.result.budget_spent) << budget;
    }
    EXPECT_TRUE(search(1).result.best().set.empty());
}

TEST(SettingSearch, AnInterruptionEndsIt) {
    const SearchResult result = search_settings(
        settings(), 10, [](const std::vector<SearchSet>&) { return std::vector<SearchScore>(); });
    EXPECT_TRUE(result.interrupted);
    EXPECT_TRUE(result.steps.empty());
}

TEST(SettingSearch, ScoresCountFiguresFirst) {
    PaperAnswer near;
    near.paper.value = 10;
    near.ours = Estimate{11, std::nullopt, 1};
    near.verdict = Verdict::kReproduced;
    PaperAnswer opposite = near;
    opposite.ours = Estimate{-30, std::nullopt, 1};
    opposite.verdict = Verdict::kNot;
    const SearchScore score = score_of({near, opposite});
    EXPECT_EQ(score.reproduced, 1U);
    EXPECT_EQ(score.figures, 2U);
    EXPECT_NEAR(score.distance, (0.1 + 1) / 2, 1e-12);  // none counts more than 1
    EXPECT_TRUE((SearchScore{2, 0, 3, 0.9}.better_than({1, 2, 3, 0.1})));
    EXPECT_TRUE((SearchScore{1, 2, 3, 0.9}.better_than({1, 1, 3, 0.1})));
    EXPECT_TRUE((SearchScore{1, 1, 3, 0.1}.better_than({1, 1, 3, 0.9})));
}

TEST(SettingSearch, WhatWeChoseIsNoSource) {
    AtlasStudy study;
    study.settings = {{"port", "low: a simulator; high: chosen", {{"k", "1"}}, {{"k", "8"}}},
                      {"mine", "chosen", {{"l", "1"}}, {}},
                      {"theirs", "the paper", {}, {{"m", "2"}, {"n", "3"}}}};
    AtlasStudy again = study;
    const auto found = sourced_settings({study, again});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "port.low");
    EXPECT_EQ(found[1].sets, (std::vector<std::string>{"m=2", "n=3"}));
}

}  // namespace
}  // namespace tessera::test

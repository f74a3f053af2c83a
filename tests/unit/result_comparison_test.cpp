// Does a comparison of two runs show what differs and nothing else?
#include "sc_models/results/result_comparison.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

Json result() {
    return {{"schema_version", 1},
            {"tool", {{"version", "1"}}},
            {"metrics", {{"cycles", 100}, {"hit_rate_percent", 50.0}}},
            {"kernels",
             {{{"name", "gemm"},
               {"cycles", 100},
               {"statistics", {{"sm", {{"loads", 10}, {"stores", 4}, {"new", 0}}}}}}}},
            {"config", "gpu:\n  sms: 80\n"}};
}

TEST(ResultComparison, EqualButForTheTool) {
    Json other = result();
    other["tool"]["version"] = "2";
    const ResultComparison c = compare_results(result(), other);
    EXPECT_TRUE(c.equal);
    EXPECT_TRUE(c.statistics.empty());
    EXPECT_NE(comparison_text(c, 20).find("all statistics are equal"), std::string::npos);
}

TEST(ResultComparison, AnyOtherDifferenceIsSeen) {
    Json other = result();
    other["violations"] = Json::array({"x"});
    EXPECT_EQ(compare_results(result(), other).unequal, std::vector<std::string>{"violations"});
    EXPECT_EQ(compare_results(other, result()).unequal, std::vector<std::string>{"violations"});
    EXPECT_FALSE(compare_results(result(), other).equal);
}

TEST(ResultComparison, SortsByRelativeDifference) {
    Json other = result();
    other["config"] = "gpu:\n  sms: 40\n";
    other["metrics"]["cycles"] = 150;
    other["metrics"]["extra"] = 1;
    Json& kernel = other["kernels"][0];
    kernel["cycles"] = 150;
    kernel["statistics"]["sm"] = {{"loads", 11}, {"stores", 8}, {"only_here", 3}, {"nothing", 0}};
    const ResultComparison c = compare_results(result(), other);
    EXPECT_FALSE(c.equal);
    ASSERT_EQ(c.config.size(), 1U);
    EXPECT_EQ(c.config[0].key, "gpu.sms");
    EXPECT_EQ(c.config[0].text(), "80 -> 40");
    ASSERT_EQ(c.metrics.size(), 3U);
    EXPECT_DOUBLE_EQ(c.metrics[0].change().value(), 50.0);
    EXPECT_FALSE(c.metrics[1].differs());
    EXPECT_FALSE(c.metrics[2].change());
    EXPECT_EQ(change_cell(c.metrics[0]), "+50.00");
    EXPECT_EQ(change_cell(c.metrics[1]), "=");
    EXPECT_EQ(change_cell(c.metrics[2]), "-");
    EXPECT_EQ(change_cell({"nothing", std::nullopt, 0.0}), "-");
    std::vector<std::string> names;
    for (const NumberPair& pair : c.statistics) names.push_back(pair.name);
    // 4 to 8 is half, 100 to 150 a third; a zero that only one run counts is no difference.
    EXPECT_EQ(names, (std::vector<std::string>{"gemm.sm.stores", "gemm.cycles", "gemm.sm.loads",
                                               "gemm.sm.only_here"}));
    const std::string text = comparison_text(c, 2);
    EXPECT_NE(text.find("4 statistics differ, the largest 2"), std::string::npos) << text;
    EXPECT_EQ(text.find("gemm.sm.loads"), std::string::npos);
    EXPECT_NE(comparison_text(c, 100).find("gemm.sm.loads"), std::string::npos);
}

}  // namespace
}  // namespace tessera

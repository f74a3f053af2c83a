// Are the differences of two configurations named, read back, and their clocks compared?
#include "sc_models/results/config_differences.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera {
namespace {

TEST(ConfigDifferencesTest, NamesWhatDiffers) {
    std::vector<std::string> found;
    for (const ConfigDifference& one :
         config_differences("a: 1\nb: {c: 2, d: 3}\n", "a: 1\nb: {c: 4, e: 5}\n")) {
        found.push_back(one.key + ": " + one.text());
    }
    EXPECT_EQ(found, (std::vector<std::string>{"b.c: 2 -> 4", "b.d: 3 -> -", "b.e: - -> 5"}));
    EXPECT_TRUE(config_differences("a: 1\n", "a: 1\n").empty());
}

TEST(ConfigDifferencesTest, AreReadBackFromText) {
    const auto read = ConfigDifference::of_text("a.b", "1 -> -");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->key, "a.b");
    EXPECT_EQ(read->a, "1");
    EXPECT_EQ(read->b, "-");
    EXPECT_FALSE(ConfigDifference::of_text("a.b", "1"));
}

TEST(ConfigDifferencesTest, RatioOfTheCoreClock) {
    const auto ratio = [](const char* a, const char* b) {
        return core_clock_ratio({{"gpu.sms", "1", "8"}, {"gpu.core_clock_mhz", a, b}});
    };
    EXPECT_DOUBLE_EQ(ratio("1000", "1500"), 1.5);
    EXPECT_DOUBLE_EQ(ratio("1500", "-"), 1.0);
    EXPECT_DOUBLE_EQ(core_clock_ratio({{"gpu.sms", "1", "8"}}), 1.0);
}

}  // namespace
}  // namespace tessera

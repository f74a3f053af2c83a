// Does every number of a machine name its source?
#include "sc_models/configure/value_sources.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_models/configure/config_text.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

ConfigCatalog catalog() {
    return ConfigCatalog(std::string(TESSERA_SOURCE_DIR) + "/configs");
}

std::vector<ValueSource> sources_of(const std::vector<std::string>& names,
                                    const std::vector<std::string>& sets = {}) {
    ConfigSource source;
    for (const std::string& name : names) catalog().add_to(source, name);
    for (const std::string& set : sets) source.add_set(set);
    const Config config = load_config(source);
    return value_sources(config, source, catalog());
}

ValueSource find(const std::vector<ValueSource>& values, const std::string& key) {
    for (const ValueSource& value : values) {
        if (value.key == key) return value;
    }
    ADD_FAILURE() << key << " is not listed";
    return {};
}

TEST(ValueSources, EveryValueOfEveryShippedMachineHasOne) {
    for (const std::string& name : catalog().names("gpus")) {
        const std::vector<ValueSource> values = sources_of({name});
        EXPECT_GT(values.size(), 100U);
        for (const ValueSource& value : values) {
            EXPECT_FALSE(value.source.empty())
                << name << ": " << value.key << " from " << value.from;
        }
    }
}

TEST(ValueSources, OfAFileADefaultAndASetting) {
    const auto values = sources_of({"titan_v"}, {"l1.ways=8"});
    const ValueSource l1 = find(values, "l1.hit_latency_cycles");
    EXPECT_EQ(l1.value, "34");
    EXPECT_EQ(l1.from, "titan_v");
    EXPECT_EQ(l1.source, "l1_hit_latency 33.7");
    const ValueSource sms = find(values, "gpu.sms");
    EXPECT_EQ(sms.from, "default");
    EXPECT_EQ(sms.source, "Duplo, Table III");
    const ValueSource ways = find(values, "l1.ways");
    EXPECT_EQ(ways.value, "8");
    EXPECT_EQ(ways.from, "--set");
    EXPECT_EQ(ways.source, "");
}

using ValueSourcesOfAFile = test::TempFolder;

TEST_F(ValueSourcesOfAFile, ACommentGoesOnBelowInItsColumn) {
    const std::string path = write("machine.yaml",
                                   "part: gpu\n"
                                   "l1:\n"
                                   "  ways: 8   # a data sheet,\n"
                                   "            # page 7\n"
                                   "  # of the next\n"
                                   "  banks: 2  # chosen\n"
                                   "l2:\n"
                                   "  ways: 16\n");
    const auto values = sources_of({path});
    EXPECT_EQ(find(values, "l1.ways").source, "a data sheet, page 7");
    EXPECT_EQ(find(values, "l1.ways").from, path);
    EXPECT_EQ(find(values, "l1.banks").source, "chosen");
    EXPECT_EQ(find(values, "l2.ways").source, "");
    const std::string text = value_sources_text(values);
    EXPECT_NE(text.find("l2.ways"), std::string::npos);
    EXPECT_NE(text.find("(none given)"), std::string::npos);
}

}  // namespace
}  // namespace tessera

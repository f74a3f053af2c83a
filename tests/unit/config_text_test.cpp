// Does the effective configuration print, read back and hash faithfully, key by key?
#include "sc_models/configure/config_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tessera {
namespace {

Config load_text(const std::string& text) {
    ConfigSource source;
    source.add_text(text, "f.yaml");
    return source.load<Config>();
}
Config load_set(const std::string& assignment) {
    ConfigSource source;
    source.add_set(assignment);
    return source.load<Config>();
}

std::vector<ConfigEntry> keys() {
    std::vector<ConfigEntry> found;
    for (ConfigEntry& entry : config_entries_of(Config())) {
        if (!entry.is_section) found.push_back(std::move(entry));
    }
    return found;
}

/// A legal value other than the default, from what the key says is allowed; empty if there is none.
std::string alternative(const ConfigEntry& key) {
    if (key.allowed == "text") return key.value == "\"debug\"" ? "info" : "debug";
    if (key.allowed == "{name: text, ...}") return "{sm: debug}";
    if (key.allowed.front() == '{') {
        std::string label;
        for (const char c : key.allowed.substr(1)) {
            if (c != ',' && c != '}' && c != ' ') {
                label += c;
                continue;
            }
            if (!label.empty() && label != key.value) return label;
            label.clear();
        }
        return {};
    }
    const std::size_t dots = key.allowed.find("..");
    const std::string min = key.allowed.substr(0, dots);
    const std::string max = key.allowed.substr(dots + 2, key.allowed.find(" or ") - dots - 2);
    // Zero may be what a word stands for.
    const bool word = key.allowed.find(" or ") != std::string::npos;
    return word || key.value == min ? max : min;
}

TEST(ConfigText, EveryKeyHasHelpAndIsDistinct) {
    std::set<std::string> paths;
    for (const ConfigEntry& key : keys()) {
        EXPECT_TRUE(paths.insert(key.path).second) << key.path;
        EXPECT_GT(key.help.size(), 10U) << key.path;
        EXPECT_EQ(key.help.back(), '.') << key.path;
    }
    EXPECT_GT(paths.size(), 110U);
}

TEST(ConfigText, EveryKeyCanBeSetPrintedAndReadBack) {
    const Config default_config;
    const std::string defaults = to_yaml(default_config);
    const std::string default_hash = config_hash(default_config);
    std::set<std::string> hashes = {default_hash};
    for (const ConfigEntry& key : keys()) {
        const std::string value = alternative(key);
        ASSERT_NE(value, "") << key.path;
        const Config changed = load_set(key.path + "=" + value);
        const std::string printed = to_yaml(changed);
        if (key.path.rfind("host.", 0) == 0) {  // no part of a result
            EXPECT_EQ(printed, defaults) << key.path << "=" << value;
            const std::string all = effective_yaml(changed);
            EXPECT_NE(all, effective_yaml(default_config)) << key.path;
            EXPECT_EQ(effective_yaml(load_text(all)), all) << key.path;
            EXPECT_EQ(config_hash(changed), default_hash) << key.path;
            continue;
        }
        EXPECT_NE(printed, defaults) << key.path << "=" << value;
        EXPECT_EQ(to_yaml(load_text(printed)), printed) << key.path;
        if (key.path.rfind("logging.", 0) == 0) {
            EXPECT_EQ(config_hash(changed), default_hash) << key.path;
        } else {
            EXPECT_TRUE(hashes.insert(config_hash(changed)).second) << key.path;
        }
    }
}

TEST(ConfigText, EveryRangeEndsAtItsStatedLimits) {
    for (const ConfigEntry& key : keys()) {
        const std::size_t dots = key.allowed.find("..");
        if (dots == std::string::npos || key.allowed.front() == '{') continue;
        const std::string max = key.allowed.substr(dots + 2, key.allowed.find(" or ") - dots - 2);
        if (max == "2^64-1") continue;
        const std::string beyond = std::to_string(std::stoull(max) + 1);
        EXPECT_NO_THROW((void)load_set(key.path + "=" + max)) << key.path;
        EXPECT_THROW((void)load_set(key.path + "=" + beyond), ConfigError) << key.path;
        EXPECT_THROW((void)load_set(key.path + "=-1"), ConfigError) << key.path;
    }
}

TEST(ConfigText, PrintsInSchemaOrderAndReadsBack) {
    const std::string printed = to_yaml(Config());
    const std::string first =
        "seed: 1\ntiming: lt\nprotocol_check: off\nvalues: off\ngpu:\n  sms: 80\n";
    EXPECT_EQ(printed.substr(0, first.size()), first);
    EXPECT_NE(printed.find("duplo:\n  enabled: off\n"), std::string::npos);
    EXPECT_NE(printed.find("  lhb:\n    entries: 1024\n    ways: 1\n    shift_bits: auto\n"),
              std::string::npos);
    EXPECT_NE(printed.find("    ctas_per_sm: auto\n"), std::string::npos);
    EXPECT_EQ(to_yaml(load_text(printed)), printed);
}

TEST(ConfigText, WordsStandForSpecialValues) {
    const Config config = load_text(
        "duplo: {lhb: {entries: infinite, shift_bits: auto}}\n"
        "workload: {tiling: {ctas_per_sm: auto, cta_limit: all}}\n");
    EXPECT_EQ(config.duplo.lhb_entries, DuploConfig::kInfiniteEntries);
    EXPECT_EQ(config.duplo.lhb_shift_bits, DuploConfig::kAutoShift);
    EXPECT_EQ(config.workload.tiling.ctas_per_sm, 0U);
    EXPECT_EQ(config.workload.tiling.cta_limit, 0U);
    EXPECT_THROW((void)load_set("duplo.lhb.entries=0"), ConfigError);
    EXPECT_THROW((void)load_set("duplo.lhb.shift_bits=255"), ConfigError);
}

TEST(ConfigText, HashIgnoresOrderOfKeysAndOfLayers) {
    const Config a = load_text("seed: 2\ngpu: {sms: 4, core_clock_mhz: 1000}\n");
    const Config b = load_text("gpu:\n  core_clock_mhz: 1000\n  sms: 4\nseed: 2\n");
    EXPECT_EQ(config_hash(a), config_hash(b));
    EXPECT_NE(config_hash(a), config_hash(Config()));
    EXPECT_EQ(config_hash(a).size(), 16U);
}

TEST(ConfigText, ListAlignsItsColumns) {
    const std::string list = list_config_keys();
    std::size_t lines = 0;
    std::size_t start = 0;
    const std::size_t meaning = list.find("MEANING");
    while (start < list.size()) {
        const std::size_t end = list.find('\n', start);
        ASSERT_NE(end, std::string::npos);
        ASSERT_GT(end - start, meaning);
        EXPECT_EQ(list[start + meaning - 1], ' ');
        EXPECT_NE(list[start + meaning], ' ');
        start = end + 1;
        ++lines;
    }
    EXPECT_EQ(lines, keys().size() + 1);
    EXPECT_NE(list.find("duplo.lhb.entries "), std::string::npos);
    EXPECT_NE(list.find("1..1048576 or infinite"), std::string::npos);
}

}  // namespace
}  // namespace tessera

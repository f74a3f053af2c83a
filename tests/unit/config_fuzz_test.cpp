// Does damaged configuration text ever do anything but load or give one located line?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sc_models/configure/config_text.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSeed = 20201017;
constexpr int kMutants = 2000;

/// Loads, or throws ConfigError with one line; anything else is a failure. Returns whether it
/// loaded.
bool survives(const std::string& text) {
    try {
        ConfigSource source;
        source.add_text(text, "f.yaml");
        const Config config = load_config(source);
        ConfigSource again;
        again.add_text(to_yaml(config), "printed.yaml");
        EXPECT_EQ(to_yaml(load_config(again)), to_yaml(config)) << text;
        return true;
    } catch (const ConfigError& error) {
        const std::string line = error.what();
        EXPECT_FALSE(line.empty());
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_TRUE(line.rfind("f.yaml:", 0) == 0 || line.rfind("default:", 0) == 0) << line;
        return false;
    }
}

/// Every key, some of them through anchors and a merge key.
std::string valid_text() {
    std::string text = to_yaml(Config());
    text.erase(text.find("logging:"));
    return text + "logging: {<<: {modules: {sm: &level debug}}, level: *level}  # comment\n";
}

TEST(ConfigFuzz, TruncatedText) {
    const std::string text = valid_text();
    ASSERT_TRUE(survives(text));
    for (std::size_t length = 0; length < text.size(); length += 3)
        survives(text.substr(0, length));
}

TEST(ConfigFuzz, MutatedText) {
    using namespace std::string_literals;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937 random(kSeed);
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    static const auto kAlphabet = "\0\t\n\r :-,#&*!|>'\"%@`{}[]<?~\\ax09.\x80\xff\xc3"s;
    int loaded = 0;
    for (int mutant = 0; mutant < kMutants; ++mutant) {
        std::string text = valid_text();
        for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
            const std::size_t at = below(text.size());
            switch (below(4)) {
                case 0:
                    text[at] = kAlphabet[below(kAlphabet.size())];
                    break;
                case 1:
                    text.insert(at, 1, kAlphabet[below(kAlphabet.size())]);
                    break;
                case 2:
                    text.erase(at, 1 + below(20));
                    break;
                default:
                    text.insert(at, text.substr(below(text.size()), below(40)));
                    break;
            }
        }
        if (survives(text)) ++loaded;
    }
    // Some mutants must be harmless (edits in the comment, a digit for a digit), most are not.
    EXPECT_GT(loaded, 0);
    EXPECT_LT(loaded, kMutants / 2);
}

}  // namespace
}  // namespace tessera

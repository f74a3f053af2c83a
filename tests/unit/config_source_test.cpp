// Do layers merge key by key, and does every mistake give its one located line?
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;

enum class Colour { kRed, kGreen };

/// One key of every kind.
struct Sample {
    std::uint32_t width = 4;
    std::uint32_t size_entries = 0;
    double rate = 0.5;
    bool on = false;
    Colour colour = Colour::kRed;
    std::string name = "none";
    std::vector<std::pair<std::string, std::string>> levels;
    std::uint32_t deep = 7;

    void bind(ConfigVisitor& v) {
        v.integer("width", width, 1, 100, "Width.");
        v.integer_or("size_entries", size_entries, 1, 1000, "infinite", 0, "Size.");
        v.real("rate", rate, -1.0, 2.5, "Rate.");
        v.boolean("on", on, "Switch.");
        v.choice("colour", colour, {{"red", Colour::kRed}, {"green", Colour::kGreen}}, "Colour.");
        v.text("name", name, "Name.");
        v.text_map("levels", levels, "Levels.");
        v.section("outer", "Outer.", [&] {
            v.section("inner", "Inner.", [&] { v.integer("deep", deep, 0, 9, "Deep."); });
        });
    }
};

Sample load_text(const std::string& text) {
    ConfigSource source;
    source.add_text(text, "f.yaml");
    return source.load<Sample>();
}
std::string text_error(const std::string& text) {
    return error_of([&] { (void)load_text(text); });
}
std::string set_error(const std::string& assignment) {
    return error_of([&] {
        ConfigSource source;
        source.add_set(assignment);
        (void)source.load<Sample>();
    });
}

TEST(ConfigSource, ReadsEveryKindOfKey) {
    const Sample s = load_text(
        "width: 100\nsize_entries: infinite\nrate: -2.5e-1\non: true\ncolour: green\n"
        "name: a b\nlevels: {x: y}\nouter:\n  inner:\n    deep: 0\n");
    EXPECT_EQ(s.width, 100U);
    EXPECT_EQ(s.size_entries, 0U);
    EXPECT_EQ(s.rate, -0.25);
    EXPECT_TRUE(s.on);
    EXPECT_EQ(s.colour, Colour::kGreen);
    EXPECT_EQ(s.name, "a b");
    ASSERT_EQ(s.levels.size(), 1U);
    EXPECT_EQ(s.levels[0], std::make_pair(std::string("x"), std::string("y")));
    EXPECT_EQ(s.deep, 0U);
}

TEST(ConfigSource, EmptyFilesAndSectionsSetNothing) {
    for (const char* text : {"", "\n", "# only a comment\n", "---\n", "outer:\n", "~\n"}) {
        EXPECT_EQ(entries_to_yaml(config_entries_of(load_text(text))),
                  entries_to_yaml(config_entries_of(Sample{})))
            << text;
    }
}

TEST(ConfigSource, LaterLayersWinKeyByKey) {
    ConfigSource source;
    source.add_text("width: 5\nlevels: {a: one, b: two}\nouter: {inner: {deep: 1}}\n", "a.yaml");
    source.add_text("rate: 1\nlevels: {b: three}\nouter:\n  inner:\n    deep: 2\n", "b.yaml");
    source.add_set("width=6");
    source.add_set("outer={inner: {deep: 3}}");
    const auto s = source.load<Sample>();
    EXPECT_EQ(s.width, 6U);
    EXPECT_EQ(s.rate, 1.0);
    EXPECT_EQ(s.deep, 3U);
    const std::vector<std::pair<std::string, std::string>> levels = {{"a", "one"}, {"b", "three"}};
    EXPECT_EQ(s.levels, levels);
    EXPECT_EQ(source.where("rate").str(), "b.yaml:1:7");
    EXPECT_EQ(source.where("width").str(), "--set width=6");
    EXPECT_EQ(source.where("outer.inner.deep").str(), "--set outer={inner: {deep: 3}}");
    EXPECT_EQ(source.where("levels.a").str(), "a.yaml:2:13");
    EXPECT_EQ(source.where("name").str(), "default");
    EXPECT_FALSE(source.is_set("name"));
}

TEST(ConfigSource, ChecksAlsoWhatALaterLayerOverrides) {
    ConfigSource source;
    source.add_text("width: many\n", "a.yaml");
    source.add_set("width=6");
    EXPECT_EQ(error_of([&] { (void)source.load<Sample>(); }),
              "a.yaml:1:8: width: got 'many', expected an integer from 1 to 100");
}

TEST(ConfigSource, AnchorsAliasesAndMergeKeysWork) {
    const Sample s =
        load_text("levels: &l {a: one, b: two}\nouter:\n  inner: {deep: &d 5}\nwidth: *d\n");
    EXPECT_EQ(s.width, 5U);
    const ConfigNode merged =
        parse_yaml("base: &b {x: 1, y: 2}\ntop: {<<: *b, y: 3}\nmore: {<<: [*b, {z: 4}]}", "f");
    EXPECT_EQ(merged.find("top")->find("x")->scalar, "1");
    EXPECT_EQ(merged.find("top")->find("y")->scalar, "3");
    EXPECT_EQ(merged.find("more")->find("z")->scalar, "4");
    EXPECT_EQ(error_of([] { (void)parse_yaml("a: {<<: 3}", "f"); }),
              "f:1:9: <<: got '3', expected a mapping");
}

TEST(ConfigSource, UnknownKeysNameTheNearestOfTheirSection) {
    EXPECT_EQ(text_error("widht: 3"),
              "f.yaml:1:1: widht: unknown key, expected one of {width, size_entries, rate, on, "
              "colour, name, levels, outer} (did you mean 'width'?)");
    EXPECT_EQ(text_error("outer:\n  inner:\n    deeep: 3"),
              "f.yaml:3:5: outer.inner.deeep: unknown key, expected one of {deep} (did you mean "
              "'deep'?)");
    EXPECT_EQ(text_error("outer: {rate: 3}"),
              "f.yaml:1:9: outer.rate: unknown key, expected one of {inner} (did you mean "
              "'rate'?)");
    EXPECT_EQ(text_error("outer: {qqqqqqqq: 3}"),
              "f.yaml:1:9: outer.qqqqqqqq: unknown key, expected one of {inner}");
    EXPECT_EQ(set_error("outer.iner.deep=3"),
              "--set outer.iner.deep=3: outer.iner: unknown key, expected one of {inner} (did you "
              "mean 'inner'?)");
    EXPECT_EQ(set_error("outer.inner.dep=3"),
              "--set outer.inner.dep=3: unknown key, expected one of {deep} (did you mean "
              "'deep'?)");
}

TEST(ConfigSource, RefusesWhatIsNoInteger) {
    for (const char* bad : {"-1", "0", "101", "1e99", "1e1", "0x10", "010", "5x", "5.0", "'5 '",
                            "+5", "five", "18446744073709551616", "99999999999999999999999999"}) {
        std::string shown = bad;
        if (shown == "'5 '") shown = "5 ";
        EXPECT_EQ(text_error(std::string("width: ") + bad),
                  "f.yaml:1:8: width: got '" + shown + "', expected an integer from 1 to 100");
    }
    EXPECT_EQ(text_error("width: [5]"),
              "f.yaml:1:8: width: got a list, expected an integer from 1 to 100");
    EXPECT_EQ(text_error("width: {a: 5}"),
              "f.yaml:1:8: width: got a mapping, expected an integer from 1 to 100");
    EXPECT_EQ(text_error("rate: 1\nwidth:\n"),
              "f.yaml:2:1: width: got nothing, expected an integer from 1 to 100");
    EXPECT_EQ(set_error("width=-3"), "--set width=-3: got '-3', expected an integer from 1 to 100");
    EXPECT_EQ(set_error("width="), "--set width=: got nothing, expected an integer from 1 to 100");
    EXPECT_EQ(set_error("width.x=1"),
              "--set width.x=1: width: got a mapping, expected an integer from 1 to 100");
}

TEST(ConfigSource, RefusesOtherWrongValues) {
    EXPECT_EQ(text_error("size_entries: infinit"),
              "f.yaml:1:15: size_entries: got 'infinit', expected an integer from 1 to 1000 or "
              "'infinite' (did you mean 'infinite'?)");
    EXPECT_EQ(text_error("size_entries: 0"),
              "f.yaml:1:15: size_entries: got '0', expected an integer from 1 to 1000 or "
              "'infinite'");
    for (const char* bad : {"2.6", "-1.1", "1e99", "nan", "inf", "1.0x", "0x1", "1e999"}) {
        EXPECT_EQ(
            text_error(std::string("rate: ") + bad),
            "f.yaml:1:7: rate: got '" + std::string(bad) + "', expected a number from -1 to 2.5");
    }
    EXPECT_EQ(text_error("on: fales"),
              "f.yaml:1:5: on: got 'fales', expected one of {on, off, true, false} (did you mean "
              "'false'?)");
    EXPECT_EQ(text_error("colour: gren"),
              "f.yaml:1:9: colour: got 'gren', expected one of {red, green} (did you mean "
              "'green'?)");
    EXPECT_EQ(text_error("colour: [red]"),
              "f.yaml:1:9: colour: got a list, expected one of {red, green}");
    EXPECT_EQ(text_error("name: {a: b}"), "f.yaml:1:7: name: got a mapping, expected text");
    EXPECT_EQ(text_error("levels: high"), "f.yaml:1:9: levels: got 'high', expected a mapping");
    EXPECT_EQ(text_error("levels: {a: [b]}"), "f.yaml:1:13: levels.a: got a list, expected text");
    EXPECT_EQ(text_error("outer: 3"), "f.yaml:1:8: outer: got '3', expected a mapping");
    EXPECT_EQ(text_error("outer: [inner]"), "f.yaml:1:8: outer: got a list, expected a mapping");
    EXPECT_EQ(text_error("- width: 3"), "f.yaml:1:1: got a list, expected a mapping");
    EXPECT_EQ(text_error("just text"), "f.yaml:1:1: got 'just text', expected a mapping");
}

TEST(ConfigSource, RefusesWhatIsNoYaml) {
    EXPECT_EQ(text_error("width: 3\nrate: 1\nwidth: 4"),
              "f.yaml:3:1: key 'width' occurs twice in one mapping");
    EXPECT_EQ(text_error("outer: {inner: {deep: 1, deep: 1}}"),
              "f.yaml:1:26: key 'deep' occurs twice in one mapping");
    EXPECT_EQ(text_error("width: [1"),
              "f.yaml:1:8: malformed YAML: end of sequence flow not found");
    EXPECT_EQ(text_error("a: b: c"), "f.yaml:1:5: malformed YAML: illegal map value");
    EXPECT_EQ(text_error("width: *nobody"),
              "f.yaml:1:8: malformed YAML: the referenced anchor is not defined");
    EXPECT_EQ(text_error("&a [*a]"), "f.yaml:1:5: malformed YAML: an alias inside its own anchor");
    EXPECT_EQ(text_error("{[a]: b}"), "f.yaml:1:2: malformed YAML: a key must be plain text");
    EXPECT_EQ(text_error("width: 3\n---\nwidth: 4\n"),
              "f.yaml: malformed YAML: more than one document");
    EXPECT_EQ(text_error(std::string(70, '[') + std::string(70, ']')),
              "f.yaml:1:65: malformed YAML: nested more than 64 levels deep");
    std::string bomb = "a: &a0 [x, x]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string below = "*a" + std::to_string(i - 1);
        bomb += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below + ", " + below +
                "]\n";
    }
    EXPECT_NE(text_error(bomb).find("malformed YAML: more than 20000 values"), std::string::npos);
}

TEST(ConfigSource, RefusesTextThatIsNotUtf8) {
    for (const char* const good : {"caf\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80",
                                   "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(text_error("name: " + std::string(good)), "no error") << good;
    }
    const std::vector<std::string> bad = {"caf\xe9",           // Latin-1
                                          "\x80",              // continuation of nothing
                                          "\xc3",              // the end is missing
                                          "\xc3(",             // no continuation
                                          "\xc1\xbf",          // longer than need be
                                          "\xe0\x9f\xbf",      // likewise
                                          "\xf0\x8f\xbf\xbf",  // likewise
                                          "\xed\xa0\x80",      // half a pair of UTF-16
                                          "\xf4\x90\x80\x80",  // beyond Unicode
                                          "\xf8\x88\x80\x80\x80"};
    for (const std::string& text : bad) {
        const std::size_t first_bad = text.find_first_not_of("caf");
        EXPECT_EQ(text_error("name: x" + text), "f.yaml:1:" + std::to_string(8 + first_bad) +
                                                    ": malformed YAML: text that is not UTF-8");
        EXPECT_NE(set_error("name=x" + text).find("malformed YAML: text that is not UTF-8"),
                  std::string::npos);
    }
}

TEST(ConfigSource, RefusesBadAssignments) {
    EXPECT_EQ(set_error("width"), "--set width: got no '=', expected key.path=value");
    EXPECT_EQ(set_error("=3"), "--set =3: got key '', expected key.path=value");
    EXPECT_EQ(set_error("outer..deep=3"),
              "--set outer..deep=3: got key 'outer..deep', expected key.path=value");
    EXPECT_EQ(set_error("width=[1"),
              "--set width=[1: malformed YAML: end of sequence flow not found");
    EXPECT_EQ(set_error("colour=blue"),
              "--set colour=blue: got 'blue', expected one of {red, green}");
    EXPECT_NE(set_error(std::string(500000, 'a') + ".b=1"), "no error");
    std::string dots;
    for (int i = 0; i < 100000; ++i) dots += "a.";
    EXPECT_NE(set_error(dots + "a=1"), "no error");
}

TEST(ConfigSource, ErrorsAreOneLineWhateverTheInput) {
    const std::string error =
        text_error(R"(colour: "red\nX\tY\x07)" + std::string(100, 'z') + "\"");
    EXPECT_EQ(error.find('\n'), std::string::npos);
    EXPECT_EQ(error.find('\x07'), std::string::npos);
    EXPECT_NE(error.find("got 'red\\nX\\tY\\u0007zzz"), std::string::npos) << error;
    EXPECT_NE(error.find("zzz...'"), std::string::npos) << error;
    EXPECT_EQ(set_error("a\nb=1").find('\n'), std::string::npos);
}

TEST(ConfigSource, RefusesUnreadableFiles) {
    ConfigSource source;
    EXPECT_EQ(error_of([&] { source.add_file("/nowhere/x.yaml"); }),
              "/nowhere/x.yaml: cannot read: No such file or directory");
    EXPECT_EQ(error_of([&] { source.add_file("/"); }), "/: cannot read: Is a directory");
    const std::string big =
        testing::TempDir() + "tessera_big_" + std::to_string(getpid()) + ".yaml";
    std::ofstream(big) << std::string(2 << 20, '#');
    EXPECT_EQ(error_of([&] { source.add_file(big); }),
              big + ": cannot read: larger than 1 MiB, which no configuration is");
    std::remove(big.c_str());
}

TEST(ConfigSource, ContradictionsAreLocatedAtTheKeySetLast) {
    ConfigSource source;
    source.add_text("width: 5\nrate: 1\n", "a.yaml");
    (void)source.load<Sample>();
    EXPECT_EQ(error_of([&] {
                  source.fail({"width", "rate", "outer.inner.deep"}, "peace");
              }),
              "a.yaml:2:7: rate: got '1', expected peace");
    source.add_set("width=9");
    (void)source.load<Sample>();
    EXPECT_EQ(error_of([&] {
                  source.fail({"rate", "width"}, "peace");
              }),
              "--set width=9: got '9', expected peace");
    EXPECT_EQ(error_of([&] { source.fail({"name"}, "peace"); }),
              "default: name: got '\"none\"', expected peace");
}

TEST(ConfigSource, GivesErrorsOfBlocksTheirPlace) {
    ConfigSource source;
    source.add_text("\nwidth: 5\n", "a.yaml");
    (void)source.load<Sample>();
    EXPECT_STREQ(source.located(ConfigError("width: got '5', expected 4")).what(),
                 "a.yaml:2:8: width: got '5', expected 4");
    EXPECT_STREQ(source.located(ConfigError("kernel x: fits no SM")).what(),
                 "kernel x: fits no SM");
}

TEST(ConfigNode, ChecksKeysOfFreeFormats) {
    const ConfigNode node = parse_yaml("axes: [1]\nmetrc: x\n", "e.yaml");
    EXPECT_EQ(
        error_of([&] {
            node.expect_keys("sweep", {"axes", "metric"});
        }),
        "e.yaml:2:1: sweep: unknown key 'metrc', expected one of {axes, metric} (did you mean "
        "'metric'?)");
    EXPECT_EQ(error_of([&] { node.find("metrc")->expect_list("metric"); }),
              "e.yaml:2:8: metric: got 'x', expected a list");
}

TEST(EditDistance, CountsEditsAndSwaps) {
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("widht", "width"), 1U);
    EXPECT_EQ(edit_distance("ABC", "abc"), 0U);
    EXPECT_EQ(nearest_name("zzz", {"abc", "def"}), "");
    EXPECT_EQ(nearest_name("abd", {"xbd", "abc", "abdd"}), "xbd");
}

TEST(ConfigEntries, KeysTellTheirUnit) {
    EXPECT_EQ(unit_of_key("hit_latency_cycles"), "cycles");
    EXPECT_EQ(unit_of_key("request_bytes_per_cycle"), "bytes/cycle");
    EXPECT_EQ(unit_of_key("entries"), "entries");
    EXPECT_EQ(unit_of_key("core_clock_mhz"), "MHz");
    EXPECT_EQ(unit_of_key("bicycles"), "");
    EXPECT_EQ(unit_of_key("sms"), "");
}

TEST(ConfigEntries, TextPrintsSoThatItReadsBack) {
    Sample sample;
    sample.name = "a \"b\" \\ # c: [d]\n\t\x01 \xc3\xa9";
    sample.levels = {{"x: y", "{z}"}, {"", " "}};
    sample.rate = 0.1;
    const std::string yaml = entries_to_yaml(config_entries_of(sample));
    const Sample again = load_text(yaml);
    EXPECT_EQ(again.name, sample.name);
    EXPECT_EQ(again.levels, sample.levels);
    EXPECT_EQ(again.rate, sample.rate);
}

TEST(ConfigEntries, FnvMatchesItsPublishedVectors) {
    EXPECT_EQ(fnv1a_hex(""), "cbf29ce484222325");
    EXPECT_EQ(fnv1a_hex("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(fnv1a_hex("foobar"), "85944171f73967e8");
}

TEST(ErrorText, QuotesWhatATerminalTakes) {
    EXPECT_EQ(in_quotes("caf\u00e9 \u20ac \U0001f600"), "'caf\u00e9 \u20ac \U0001f600'");
    EXPECT_EQ(in_quotes("a\n\t\x1b\x7f\\"), "'a\\n\\t\\u001b\\u007f\\'");
    // Not UTF-8: a lone byte, a character cut off, one written longer than needed, a surrogate.
    EXPECT_EQ(in_quotes("\xff(\xe2\x82(\xc0\xaf(\xed\xa0\x80"),
              "'\\xff(\\xe2\\x82(\\xc0\\xaf(\\xed\\xa0\\x80'");
    EXPECT_EQ(in_quotes(std::string("a\0b", 3)), "'a\\u0000b'");
}

TEST(ErrorText, LongTextIsCutBetweenCharacters) {
    for (const std::size_t before : {57U, 58U, 59U}) {
        const std::string text = std::string(before, 'x');
        const std::string cut = before == 57 ? text + "\u20ac" : text;
        EXPECT_EQ(in_quotes(text + "\u20ac and more"), "'" + cut + "...'");
    }
}

}  // namespace
}  // namespace tessera

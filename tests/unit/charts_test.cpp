// Is no label written upon another, has every variant a colour, and is what is missing not drawn?
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "sc_models/chart/bar_chart.h"
#include "sc_models/chart/heat_map.h"
#include "sc_models/chart/layer_chart.h"
#include "sc_models/chart/line_chart.h"
#include "sc_models/chart/roofline_chart.h"
#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "tests/unit/svg_labels.h"

namespace tessera::test {
namespace {

BarChart wide_chart(std::size_t groups, std::size_t variants) {
    BarChart chart;
    chart.unit = "times as fast as dense";
    const std::vector<std::string> colours = series_colours(variants);
    for (std::size_t g = 0; g < groups; ++g) {
        chart.groups.push_back("network" + std::to_string(g / 9) + ".layer" + std::to_string(g) +
                               ".block.convolution");
    }
    for (std::size_t s = 0; s < variants; ++s) {
        BarSeries series{"variant " + std::to_string(s),
                         colours[s],
                         {},
                         40.0 + 3.0 * static_cast<double>(s),
                         41};
        for (std::size_t g = 0; g < groups; ++g) {
            series.values.emplace_back(10.0 + 2.0 * static_cast<double>(g));
            series.stated.emplace_back(11.0 + 2.0 * static_cast<double>(g));
        }
        series.stated_range = {12, 80};
        chart.series.push_back(series);
    }
    return chart;
}

TEST(Charts, NoLabelIsWrittenUponAnother) {
    for (const std::size_t groups : {1U, 3U, 10U, 22U, 37U, 90U}) {
        for (const std::size_t variants : {1U, 4U, 7U}) {
            const BarChart chart = wide_chart(groups, variants);
            EXPECT_EQ(overprinted(chart.svg()), "") << groups << " groups, " << variants;
        }
    }
    // All 37 names are there, upright.
    const std::string svg = wide_chart(37, 4).svg();
    for (std::size_t g = 0; g < 37; ++g) {
        EXPECT_NE(svg.find(">layer" + std::to_string(g) + ".block.convolution</text>"),
                  std::string::npos);
    }
    LineChart lines;
    lines.is_logarithmic = true;
    lines.reference = {1, "as fast"};
    for (int s = 0; s < 4; ++s) {
        LineSeries series{"series " + std::to_string(s), series_colours(4)[s], false, {}, {}};
        for (const double x : {0.0, 1.0, 50.0, 99.0, 99.9}) {
            series.points.push_back({x, 1.0 + s});
            series.stated.push_back({x, 1.1 + 0.1 * s});
        }
        lines.series.push_back(series);
    }
    EXPECT_EQ(overprinted(lines.svg()), "");
    StackedChart rows;
    rows.unit = "points";
    rows.colours = series_colours(1);
    for (const double value : {-30.0, -1.0, 0.0, 2.0, 50.0}) {
        rows.bars.push_back({"a row of many words to say what it is", {value}, 3.0, -value});
    }
    EXPECT_EQ(overprinted(rows.svg()), "");
}

TEST(Charts, TheCheckSeesOverprints) {
    const std::string open = "<svg viewBox='0 0 1120 100'>";
    const std::string a = "<text x='10.0' y='50.0' text-anchor='start' >abcdef</text>";
    EXPECT_EQ(overprinted(open + a), "");
    EXPECT_NE(overprinted(open + a + "<text x='70.0' y='55.0' text-anchor='end' >gh</text>"), "gh");
    EXPECT_EQ(overprinted(open + a + "<text x='40.0' y='55.0' text-anchor='middle' >gh</text>"),
              "abcdef on gh");
    EXPECT_EQ(overprinted(open + a +
                          "<text x='20.0' y='20.0' text-anchor='end' transform='rotate(-90 20 "
                          "20)'>ghij</text>"),
              "abcdef on ghij");
    EXPECT_EQ(overprinted(open + "<text x='10.0' y='50.0' text-anchor='end' >abcdef</text>"),
              "abcdef leaves");
}

TEST(Charts, EveryVariantHasAColourOfItsOwn) {
    for (std::size_t count = 1; count <= 60; ++count) {
        const auto colours = series_colours(count);
        EXPECT_EQ(std::set<std::string>(colours.begin(), colours.end()).size(), count);
    }
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) names.push_back("entries" + std::to_string(i));
    for (char c = 'a'; c < 'a' + 20; ++c) names.emplace_back(1, c);
    for (std::size_t count = 1; count <= names.size(); ++count) {
        const std::vector<std::string> some(names.end() - static_cast<std::ptrdiff_t>(count),
                                            names.end());
        const auto colours = variant_colours(some);
        EXPECT_EQ(std::set<std::string>(colours.begin(), colours.end()).size(), count);
    }
    const std::string svg = wide_chart(3, 12).svg();
    std::set<std::string> fills;
    static const std::regex kFill("<rect [^>]*fill='(#[0-9a-f]{6})'");
    for (std::sregex_iterator at(svg.begin(), svg.end(), kFill), end; at != end; ++at) {
        fills.insert((*at)[1]);
    }
    EXPECT_EQ(fills.size(), 12U);
}

TEST(Charts, WhatIsNotThereIsNotDrawnAndZeroIs) {
    BarChart chart;
    chart.groups = {"a.one", "a.two", "a.three"};
    chart.series = {{"ours", "#123456", {1.0, std::nullopt, 0.0}, {}, {}}};
    const std::string svg = chart.svg();
    EXPECT_NE(svg.find("a.one, ours: 1.00"), std::string::npos);
    EXPECT_EQ(svg.find("a.two, ours"), std::string::npos);
    EXPECT_NE(svg.find("height='1.0' fill='#123456'><title>a.three, ours: 0.00"),
              std::string::npos);
    EXPECT_EQ(svg.find(">mean<"), std::string::npos);
    EXPECT_EQ(count_of(svg, "class='interval'"), 0U);
    chart.series[0].half_widths = {0.5, std::nullopt, std::nullopt};
    EXPECT_EQ(count_of(chart.svg(), "class='interval'"), 1U);
}

// Percentages are sums, which are rarely 100 to the last bit.
TEST(Axis, EndsAtTheTickThatASumMisses) {
    double all = 0;
    for (int i = 0; i < 700; ++i) all += 1.0 / 7;
    for (const double largest : {all, 100.0, 100 + 1e-9, 100 - 1e-9}) {
        const svg::Axis axis(0, largest);
        EXPECT_EQ(axis.ticks(), (std::vector<double>{0, 20, 40, 60, 80, 100})) << largest;
    }
    EXPECT_EQ(svg::Axis(0, 101).ticks().back(), 150);
    EXPECT_EQ(svg::Axis(-100 - 1e-9, 0).ticks().front(), -100);
}

TEST(Charts, LogarithmicAxesHoldTheirValues) {
    const svg::Axis axis(0.57, 23, true);
    EXPECT_EQ(axis.label(axis.ticks().front()), "0.5");
    EXPECT_EQ(axis.label(axis.ticks().back()), "50");
    EXPECT_DOUBLE_EQ(axis.share(0.5), 0);
    EXPECT_DOUBLE_EQ(axis.share(50), 1);
    EXPECT_DOUBLE_EQ(axis.share(5), 0.5);
    const svg::Axis single(1, 1, true);
    EXPECT_TRUE(std::isfinite(single.share(1)));
}

HeatMap heat_map(std::size_t rows, std::size_t columns, std::size_t panels) {
    HeatMap map;
    map.unit = "%";
    map.row_key = "entries";
    map.column_key = "ways";
    for (std::size_t r = 0; r < rows; ++r) map.rows.push_back(std::to_string(1U << r));
    for (std::size_t c = 0; c < columns; ++c) map.columns.push_back(std::to_string(100 + c));
    for (std::size_t p = 0; p < panels; ++p) {
        HeatPanel panel{"a layer of a network " + std::to_string(p), {}};
        for (std::size_t r = 0; r < rows; ++r) {
            panel.values.emplace_back();
            for (std::size_t c = 0; c < columns; ++c)
                panel.values.back().emplace_back(-20.0 + 7.0 * static_cast<double>(r + c + p));
        }
        map.panels.push_back(std::move(panel));
    }
    return map;
}

TEST(HeatMaps, NoLabelIsWrittenUponAnother) {
    for (const std::size_t columns : {1U, 3U, 12U, 90U}) {
        for (const std::size_t panels : {1U, 5U}) {
            EXPECT_EQ(overprinted(heat_map(4, columns, panels).svg()), "")
                << columns << " columns, " << panels << " panels";
        }
    }
}

TEST(HeatMaps, CellsHaveNumbersNamesAndColoursBySize) {
    HeatMap map = heat_map(2, 2, 1);
    map.panels[0].values = {{{-10.0}, {}}, {{0.0}, {40.0}}};
    const std::string svg = map.svg();
    EXPECT_NE(svg.find("<title>a layer of a network 0, entries=1, ways=100: -10.00</title>"),
              std::string::npos);
    EXPECT_EQ(svg.find("entries=1, ways=101"), std::string::npos) << "a missing value is drawn";
    EXPECT_NE(svg.find("fill='#08306b' stroke='#fff'><title>a layer of a network 0, entries=2, "
                       "ways=101: 40.00"),
              std::string::npos)
        << "the largest value is the darkest blue";
    EXPECT_NE(svg.find("fill='#f1f6fb' stroke='#fff'><title>a layer of a network 0, entries=2, "
                       "ways=100: 0.00"),
              std::string::npos);
    EXPECT_NE(svg.find("fill='#fff'>40.0</text>"), std::string::npos) << "white on dark blue";
    EXPECT_NE(svg.find("fill='#000'>0.0</text>"), std::string::npos) << "black on light blue";
    EXPECT_NE(svg.find(">-10.0 %</text>"), std::string::npos) << "the scale begins there";
}

TEST(Charts, WithoutAValueAreNotDrawn) {
    HeatMap map = heat_map(1, 1, 1);
    map.panels[0].values = {{std::nullopt}};
    EXPECT_EQ(map.svg(), "");
    LineChart lines;
    lines.series.push_back({"nothing", "#000000", false, {}, {}});
    lines.reference = {1, "as fast"};
    EXPECT_EQ(lines.svg(), "");
    LayerColumns columns;
    columns.names = {"layer"};
    columns.kinds = {0};
    columns.legend = {"kind"};
    columns.colours = {"#000000"};
    columns.panels.push_back({"time", {std::nullopt}});
    EXPECT_EQ(columns.svg(), "");
    TornadoChart tornado;
    tornado.paper = 3;
    EXPECT_EQ(tornado.svg(), "");
    RooflineChart roofline;
    roofline.flop_per_second = 1e12;
    roofline.memories.push_back({});
    EXPECT_EQ(roofline.svg(), "");
}

TEST(Charts, StandAloneOnWhiteInFontsThatTheyName) {
    const std::string svg = standalone(heat_map(2, 2, 1).svg());
    EXPECT_EQ(svg.rfind("<svg xmlns='http://www.w3.org/2000/svg' ", 0), 0U);
    EXPECT_NE(svg.find(">\n<rect width='100%' height='100%' fill='#fff'/>"), std::string::npos);
    EXPECT_EQ(svg.find("inherit"), std::string::npos);
    EXPECT_LT(svg.find("<rect width='100%'"), svg.find("<text")) << "behind everything";
}

}  // namespace
}  // namespace tessera::test

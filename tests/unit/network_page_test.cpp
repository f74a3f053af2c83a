// Does the page of a network say what its results say, however many layers and machines there are?
#include "sc_models/report/network_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "sc_models/chart/layer_chart.h"
#include "sc_models/chart/roofline_chart.h"
#include "sc_models/common/error.h"
#include "sc_models/report/limit_class.h"
#include "sc_models/reproduction/html_report.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/svg_labels.h"

namespace tessera::test {
namespace {

using Json = nlohmann::ordered_json;

/// Results of so many layers on a machine of 1000 MHz and on it with a mechanism that halves the
/// time of every second layer. Times are very unequal.
Json network_of(std::size_t layers) {
    Json network;
    network["schema_version"] = 2;
    network["tool"] = {{"name", "tessera"}, {"version", "1.2.3"}, {"git_revision", "abc"}};
    network["network"] = "net<work>";
    network["command"] = "tessera network net.onnx v100 duplo --dim batch=1";
    network["core_clock_mhz"] = 1000;
    network["sampled"] = false;
    network["peaks"] = {{"compute", "tensor cores"},
                        {"flop_per_cycle", 1000},
                        {"l2_bytes_per_cycle", 200},
                        {"dram_bytes_per_cycle", 50}};
    double alone = 0;
    double with = 0;
    for (std::size_t i = 0; i < layers; ++i) {
        const double cycles = 1000 * std::pow(1.01, static_cast<double>(i % 97));
        const bool own = i % 2 == 0;
        Json layer = {{"name", "layer_with_a_long_name_" + std::to_string(i)},
                      {"node", "node"},
                      {"operator", i % 5 == 4 ? "Softmax" : "Conv+Relu"},
                      {"is_product", i % 5 != 4},
                      {"shape", "1x2x3"},
                      {"flop", i % 5 == 4 ? 0.0 : cycles * 100},
                      {"bytes", 2048}};
        if (i % 5 != 4) layer["zeros_a"] = 0.25;
        if (i % 2 == 0) layer["type"] = "int8";  // results of older versions have none
        for (const bool mechanism : {false, true}) {
            const double taken = mechanism && own ? cycles / 2 : cycles;
            (mechanism ? with : alone) += taken;
            layer["times"].push_back({{"variant", mechanism ? "duplo" : "v100"},
                                      {"own", !mechanism || own},
                                      {"cycles", taken},
                                      {"cycles_half_width", taken / 100},
                                      {"speedup", cycles / taken},
                                      {"speedup_same_launches", cycles / (taken + 100)},
                                      {"launch_cycles", mechanism && own ? 150 : 250},
                                      {"kernel", "gemm"},
                                      {"bound_by", "DRAM: 80.0 % of 50 GB/s"},
                                      {"l2_bytes", 3000},
                                      {"dram_bytes", 1000},
                                      {"checked", true},
                                      {"runs", {"runs/layer"}}});
        }
        if (!own) layer["times"][1]["why_not"] = "no <kernel> for it";
        network["layers"].push_back(std::move(layer));
    }
    for (const bool mechanism : {false, true}) {
        const double cycles = mechanism ? with : alone;
        network["variants"].push_back({{"name", mechanism ? "duplo" : "v100"},
                                       {"configs", {"v100"}},
                                       {"sets", {"a.b=c"}},
                                       {"cycles", cycles},
                                       {"cycles_half_width", 2500},
                                       {"cycles_with_faster_kernels", cycles},
                                       {"speedup", alone / cycles},
                                       {"speedup_half_width", 0.25},
                                       {"speedup_with_faster_kernels", alone / cycles},
                                       {"speedup_same_launches", 1.125},
                                       {"speedup_with_faster_kernels_same_launches", 1.25},
                                       {"launch_percent", 12.5},
                                       {"layers_of_its_own", layers},
                                       {"layers_checked", layers}});
    }
    return network;
}

/// The charts of a page.
std::vector<std::string> charts_of(const std::string& page) {
    std::vector<std::string> charts;
    for (std::size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) {
        charts.push_back(page.substr(at, page.find("</svg>", at) - at));
    }
    return charts;
}

TEST(NetworkPage, NoLabelIsWrittenUponAnother) {
    for (const std::size_t layers : {1U, 2U, 20U, 54U, 300U, 1000U}) {
        const std::vector<std::string> charts = charts_of(network_page(network_of(layers)));
        ASSERT_EQ(charts.size(), 5U);  // totals, times, limits, zeros, roofline
        for (const std::string& chart : charts) EXPECT_EQ(overprinted(chart), "") << layers;
    }
}

TEST(LimitClass, UnitsAreMemoryOrComputeAndFewCtasLatency) {
    EXPECT_EQ(limit_class("launch: launches of 1 kernel take 60 % of the time"),
              LimitClass::kLaunch);
    EXPECT_EQ(limit_class("latency: no unit"), LimitClass::kLatency);
    EXPECT_EQ(limit_class("few CTAs (1 on 80 SMs): 90 %"), LimitClass::kLatency);
    EXPECT_EQ(limit_class("tensor cores: 80 % of 125 TFLOP/s"), LimitClass::kCompute);
    EXPECT_EQ(limit_class("FP32 lanes: 80 % of 15 TFLOP/s"), LimitClass::kCompute);
    for (const char* unit : {"DRAM", "L2", "L2 to SMs", "L1", "LDST units", "shared memory"}) {
        EXPECT_EQ(limit_class(std::string(unit) + ": 80 % of its peak"), LimitClass::kMemory);
    }
}

TEST(NetworkPage, HasEveryLayerAndLoadsNothing) {
    const std::string page = network_page(network_of(300));
    for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_NE(page.find(">layer_with_a_long_name_" + std::to_string(i) + "</td>"),
                  std::string::npos);
    }
    EXPECT_EQ(page.find("http"), std::string::npos);
    EXPECT_NE(page.find("<title>net&lt;work&gt; on v100</title>"), std::string::npos);
    EXPECT_EQ(page.find("<work>"), std::string::npos);
    EXPECT_EQ(page.find("<kernel>"), std::string::npos);
    EXPECT_NE(page.find("</body></html>"), std::string::npos);
}

TEST(NetworkPage, ShowsTheResults) {
    Json network = network_of(2);
    std::string page = network_page(network);
    // 1000 and 1010 cycles at 1000 MHz; with the mechanism 500 and 1010, which it did not run.
    EXPECT_NE(page.find("<td class=''>2.0 ± 2.5</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class=''>1.331 ± 0.250</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class='near'>2.00</td>"), std::string::npos);
    // The first layer says its type, and the second is of a version that had none.
    EXPECT_NE(page.find("<td class='word '>1x2x3</td><td class='word '>int8</td>"),
              std::string::npos);
    EXPECT_NE(page.find("<td class='word '>1x2x3</td><td class='word '>-</td>"), std::string::npos);
    // Launches: 12.5 % in all, 250 of 1000 cycles; with as many on the mechanism it takes 600.
    EXPECT_NE(page.find("<td class=''>12.5</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class=''>1.125</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class=''>1.250</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class=''>25.0</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class='near'>1.67</td>"), std::string::npos);
    EXPECT_NE(page.find("<span title='no &lt;kernel&gt; for it'>-</span>"), std::string::npos);
    EXPECT_NE(page.find("<span title='DRAM: 80.0 % of 50 GB/s'>DRAM</span>"), std::string::npos);
    EXPECT_EQ(page.find("Left out"), std::string::npos);
    network["not_simulated"] = {{{"node", "gather"},
                                 {"operator", "Gather"},
                                 {"flop", 5},
                                 {"percent_of_flop", 1.25},
                                 {"reason", "node 'gather': no kernel"}}};
    network["seeds"] = {1, 2, 3};
    page = network_page(network);
    EXPECT_NE(page.find("<h2>Left out</h2>\n<p>1 nodes are not simulated. They are 1.25 %"),
              std::string::npos);
    EXPECT_NE(page.find("means of 3 launches"), std::string::npos);
    // Nothing is known of zeros, and nothing has FLOP.
    for (Json& layer : network["layers"]) {
        layer.erase("zeros_a");
        layer["flop"] = 0;
    }
    page = network_page(network);
    EXPECT_NE(page.find("Not known: nothing in these runs depends on them."), std::string::npos);
    EXPECT_EQ(page.find("<h2>Roofline</h2>"), std::string::npos);
}

TEST(NetworkPage, IsPartOfAReportWithOthers) {
    EXPECT_EQ(html_report({}, {}, {}, {network_of(3)}), network_page(network_of(3)));
    const std::string both = html_report({}, {}, {}, {network_of(3), network_of(4)});
    EXPECT_EQ(count_of(both, "<h1>net&lt;work&gt; on v100</h1>"), 2U);
}

TEST(NetworkText, HasALineAMachine) {
    const std::string text = network_text(network_of(2));
    EXPECT_NE(text.find("net<work>: 2 layers"), std::string::npos);
    EXPECT_NE(text.find("duplo"), std::string::npos);
    EXPECT_NE(text.find("1.331"), std::string::npos);
    EXPECT_NE(text.find("12.5"), std::string::npos);
    EXPECT_NE(text.find("1.125"), std::string::npos);
    EXPECT_NE(text.find("1.250"), std::string::npos);
}

class StoredNetwork : public TempFolder {};

TEST_F(StoredNetwork, IsReadOrRefused) {
    EXPECT_THROW((void)read_network(folder), ConfigError);
    const auto write = [this](const std::string& text) {
        std::ofstream(std::filesystem::path(folder) / "network.json") << text;
    };
    write(network_of(1).dump());
    EXPECT_EQ(read_network(folder), network_of(1));
    for (const char* text : {"{", "[]", "{}", "{\"schema_version\": 99}"}) {
        write(text);
        EXPECT_THROW((void)read_network(folder), ConfigError) << text;
    }
}

TEST(LayerColumns, DrawsWhatIsThere) {
    LayerColumns chart;
    chart.unit = "us";
    chart.names = {"first", "second", "third"};
    chart.kinds = {0, 0, 1};
    chart.legend = {"one", "two", "three"};
    chart.colours = {"#111111", "#222222", "#333333"};
    chart.mark_name = "alone";
    chart.panels = {{"machine", {4.0, std::nullopt, 2.0}, {1.0, 0.0, 0.0}, {8.0, {}, {}}}};
    const std::string svg = chart.svg();
    EXPECT_NE(svg.find("<title>1 first: 4.00 ± 1.00, alone 8.00</title>"), std::string::npos);
    EXPECT_EQ(svg.find("second: "), std::string::npos);
    EXPECT_NE(svg.find("<title>3 third: 2.00</title>"), std::string::npos);
    EXPECT_EQ(count_of(svg, "class='interval'"), 1U);
    EXPECT_EQ(svg.find(">three<"), std::string::npos);  // no layer is of that kind
    EXPECT_NE(svg.find(">two<"), std::string::npos);
    EXPECT_NE(svg.find(">8<"), std::string::npos);  // the axis reaches the mark at 8
}

TEST(Roofline, HasItsCornerWhereComputingTakesAsLongAsBytes) {
    RooflineChart chart;
    chart.unit_name = "tensor cores";
    chart.flop_per_second = 1e12;
    chart.memories = {{"DRAM", 1e10}, {"L2", 1e11}};
    chart.points = {{"1 a", "1", 1e6, 1e-3, {1e5, 1e6}, 1, "#111111"},
                    {"2 no flop", "2", 0, 1e-3, {1e5, 1e6}, 1, "#111111"},
                    {"3 in the L2", "3", 1e6, 1e-3, {0, 1e6}, 1, "#111111"}};
    const std::string svg = chart.svg();
    EXPECT_EQ(overprinted(svg), "");
    EXPECT_EQ(svg.find("2 no flop"), std::string::npos);
    EXPECT_EQ(count_of(svg, "<title>3 in the L2"), 1U);
    EXPECT_NE(svg.find("<title>1 a: 1 GFLOP/s, 10.0 FLOP a byte</title>"), std::string::npos);
    // From 10 to 1000 FLOP a byte of DRAM and 1 to 10 TFLOP/s, the corner is at 100 and 1.
    EXPECT_NE(svg.find("L306.0 125.0H546.0"), std::string::npos);
    EXPECT_EQ(rate_cell(8.98e11, "B/s"), "898 GB/s");
    EXPECT_EQ(rate_cell(1e12, "FLOP/s"), "1 TFLOP/s");
    EXPECT_EQ(rate_cell(5, "B/s"), "5 B/s");
}

}  // namespace
}  // namespace tessera::test

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sc_models/chart/line_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"
#include "sc_models/report/html_page.h"
#include "sc_models/reproduction/paper_charts.h"
#include "sc_models/results/summary_text.h"

namespace tessera {
namespace {

/// Name of the layer in configs/networks/fig21.yaml with these percentages of zeros in A and B.
std::string fig21_layer(double zeros_of_a, double zeros_of_b) {
    return fmt::format("fig21.a{:04}_b{:04}", std::lround(10 * zeros_of_a),
                       std::lround(10 * zeros_of_b));
}

std::string zeros_text(double zeros) {
    return number_cell(zeros, zeros == std::floor(zeros) ? 0 : 1);
}

/// Points of cuSPARSE's curve at 99 % zeros in B that the paper's text states.
LineSeries cusparse(const ChartData& data, std::set<std::string>& marked) {
    LineSeries series;
    series.name = "cuSPARSE, B 99 % zeros (stated only)";
    series.colour = "#bbbbbb";
    const auto add = [&](const char* id, double zeros, std::optional<double> speedup) {
        if (!speedup) return;
        series.stated.push_back({zeros, *speedup});
        marked.insert(id);
    };
    add("S.fig21.cusparse_b99_a90", 90, data.stated("S.fig21.cusparse_b99_a90"));
    if (const auto zeros = data.stated("S.fig21.cusparse_b99_breakeven_a")) {
        add("S.fig21.cusparse_b99_breakeven_a", *zeros, 1);
    }
    add("S.fig21.cusparse_b99_a99_9", 99.9, data.stated("S.fig21.cusparse_b99_a99_9"));
    return series;
}

/// Figure 21: lines over the zeros of A, one for each preset and percentage of zeros of B.
std::optional<FigureChart> figure21(const ChartData& data) {
    const SeededSummary* const sweep = data.sweep("dual_side_fig21");
    if (sweep == nullptr) return std::nullopt;
    FigureChart found;
    LineChart chart;
    chart.x_unit = "zeros of A [%]";
    chart.y_unit = "times as fast as CUTLASS";
    chart.is_logarithmic = true;
    chart.reference = {1, "CUTLASS"};
    std::vector<double> zeros_of_b;
    for (const Figure21Point& point : data.figure21()) {
        const auto& all = zeros_of_b;
        if (std::find(all.begin(), all.end(), point.zeros_of_b) == all.end()) {
            zeros_of_b.push_back(point.zeros_of_b);
        }
    }
    const std::vector<std::string> colours = series_colours(zeros_of_b.size());
    const LayerValue speedup = times_as_fast_as("cutlass");
    HtmlTable table(
        {"zeros of A [%]", "zeros of B [%]", "paper", "dual_side_paper", "dual_side_ideal"}, 0, 0,
        "Times as fast as CUTLASS");
    std::string not_run;
    for (std::size_t i = 0; i < zeros_of_b.size(); ++i) {
        const std::string b = fmt::format("B {} % zeros", zeros_text(zeros_of_b[i]));
        LineSeries paper{b + ", dual_side_paper", colours[i], false, {}, {}};
        LineSeries ideal{b + ", dual_side_ideal", colours[i], true, {}, {}};
        for (const Figure21Point& point : data.figure21()) {
            if (point.zeros_of_b != zeros_of_b[i]) continue;
            const std::string layer = fig21_layer(point.zeros_of_a, point.zeros_of_b);
            const auto ours = speedup(*sweep->all, layer, "paper");
            const auto best = speedup(*sweep->all, layer, "ideal");
            if (ours) paper.points.push_back({point.zeros_of_a, *ours});
            if (best) ideal.points.push_back({point.zeros_of_a, *best});
            if (!ours && !best) {
                not_run += fmt::format("{}({}, {})", not_run.empty() ? "" : ", ",
                                       zeros_text(point.zeros_of_a), zeros_text(point.zeros_of_b));
            }
            paper.stated.push_back({point.zeros_of_a, point.speedup});
            table.row({zeros_text(point.zeros_of_a), zeros_text(point.zeros_of_b),
                       number_cell(point.speedup, 2), number_cell(ours, 2), number_cell(best, 2)});
        }
        if (paper.points.empty()) paper.name = b + " (stated only)";
        chart.series.push_back(std::move(paper));
        if (!ideal.points.empty()) chart.series.push_back(std::move(ideal));
    }
    if (const auto zeros = data.stated("S.fig21.b0_breakeven_a")) {
        chart.series.push_back(
            {"break-even, B dense (stated only)", "#ffffff", false, {}, {{*zeros, 1}}});
        found.marked.insert("S.fig21.b0_breakeven_a");
    }
    LineSeries library = cusparse(data, found.marked);
    if (!library.stated.empty()) chart.series.push_back(std::move(library));
    if (!data.figure21().empty()) {
        found.marked.insert({"S.fig21.b99_a0", "S.fig21.b99_a99_9"});
    }
    found.heading = "Speedup of a product of 4096^3 over the zeros of A";
    found.note =
        "Logarithmic axis. Marks are the paper's points: two from its text, the others as they "
        "were read off its figure.";
    if (!not_run.empty()) {
        found.note += fmt::format(" Not run, as (zeros of A, zeros of B): {}.", not_run);
    }
    if (const std::string missing = missing_note(*sweep->all); !missing.empty()) {
        found.note += " " + missing;
    }
    found.svg = chart.svg();
    found.table = table.str();
    return found;
}

/// Table III: lines over the zeros of the map, one for each format.
std::optional<FigureChart> table3(const ChartData& data) {
    constexpr const char* kZeros[] = {"0", "25", "50", "75", "99", "99.9"};
    FigureChart found;
    LineChart chart;
    chart.x_unit = "zeros of the feature map [%]";
    chart.y_unit = "times what the dense method takes";
    chart.is_logarithmic = true;
    chart.reference = {1, "dense"};
    const std::vector<std::string> colours = series_colours(2);
    bool any = false;
    for (const auto& [format, name] : {std::pair("csr", "CSR"), std::pair("bitmap", "bitmap")}) {
        LineSeries series{name, colours[chart.series.size()], false, {}, {}};
        for (const char* zeros : kZeros) {
            const std::string id = fmt::format("S.table3.{}.{}", format, zeros);
            const PaperAnswer* const answer = data.answer(id);
            if (answer == nullptr) continue;
            any = true;
            found.marked.insert(id);
            if (answer->ours) series.points.push_back({std::stod(zeros), answer->ours->mean});
            if (answer->paper.value)
                series.stated.push_back({std::stod(zeros), *answer->paper.value});
        }
        chart.series.push_back(std::move(series));
    }
    if (!any) return std::nullopt;
    found.heading = "Lowering a sparse feature map on a CPU";
    found.note =
        "Logarithmic axis. Ours counts what the code reads, tests and adds; the paper's is a time.";
    found.svg = chart.svg();
    return found;
}

/// Table IV: bars of the units added to the tensor cores.
ChartMaker additions(const char* entry, const char* heading, const char* unit) {
    return [=](const ChartData& data) -> std::optional<FigureChart> {
        BarChart chart;
        chart.unit = unit;
        chart.decimals = 2;
        BarSeries ours{"ours", series_colours(1).front(), {}, {}, {}};
        FigureChart found;
        std::string without;
        for (const auto& [part, name] :
             {std::pair("float_adders", "adders"), std::pair("operand_collector", "collector"),
              std::pair("accumulation_buffer", "accumulation buffer"),
              std::pair("total", "total")}) {
            const std::string id = fmt::format("{}.{}", entry, part);
            const PaperAnswer* const answer = data.answer(id);
            if (answer == nullptr) continue;
            found.marked.insert(id);
            chart.groups.emplace_back(name);
            const bool has = answer->ours.has_value();
            ours.values.push_back(has ? std::optional(answer->ours->mean) : std::nullopt);
            ours.stated.push_back(answer->paper.value);
            if (!has) without += (without.empty() ? "" : ", ") + std::string(name);
        }
        const auto is_there = [](const auto& value) { return value.has_value(); };
        if (std::none_of(ours.values.begin(), ours.values.end(), is_there)) return std::nullopt;
        chart.series.push_back(std::move(ours));
        found.heading = heading;
        if (!without.empty()) found.note = "No number of ours: " + without + ".";
        found.svg = chart.svg();
        return found;
    };
}

LayerChart figure22(std::string experiment, std::string heading, std::vector<std::string> networks,
                    std::vector<LayerSeries> series) {
    LayerChart chart{std::move(experiment), std::move(heading), "times as fast as dense",
                     times_as_fast_as("dense"), std::move(series)};
    chart.networks = std::move(networks);
    chart.reference = 1;
    chart.decimals = 2;
    return chart;
}

}  // namespace

std::vector<PageFigure> dual_side_page_figures() {
    return {
        {"S-examples",
         "Figures 5, 6 and 15: worked examples",
         "Examples that the paper draws, worked out by the blocks of the model as they are.",
         {"S.fig5", "S.fig6", "S.fig15"},
         {}},
        {"S-table3",
         "Table III: what lowering costs on a CPU",
         "A map of 56x56 with 128 channels under 3x3 filters, over the dense method.",
         {"S.table3"},
         {table3}},
        {"S-fig21",
         "Figure 21: a product of 4096^3 over sparsity",
         "How many times as fast as CUTLASS, which does not look at zeros.",
         {"S.fig21"},
         {figure21}},
        {"S-fig22",
         "Figure 22: layers of five networks",
         "How many times as fast as dense, as ratios. The time of im2col kernels is included where "
         "a method has one (explicit).",
         {"S.fig22"},
         {layer_chart(
              figure22("dual_side_fig22", "Convolutions", {"vgg16", "resnet18", "maskrcnn"},
                       {{"single_explicit", "single, explicit im2col",
                         "S.fig22.cnn.single_explicit.mean", "S.fig22.cnn.single_explicit.range"},
                        {"single_implicit", "single, implicit", "S.fig22.cnn.single_implicit.mean",
                         "S.fig22.cnn.single_implicit.range"},
                        {"dual_paper", "dual, implicit", "S.fig22.cnn.dual_implicit.mean",
                         "S.fig22.cnn.dual_implicit.range"},
                        {"dual_ideal", "dual, implicit, dual_side_ideal"}})),
          layer_chart(
              figure22("dual_side_fig22_nlp", "Language models", {"bert_base", "lstm"},
                       {{"single", "single", "S.fig22.nlp.single.mean", "S.fig22.nlp.single.range"},
                        {"dual_paper", "dual", "S.fig22.nlp.dual.mean", "S.fig22.nlp.dual.range"},
                        {"dual_ideal", "dual, dual_side_ideal"}}))}},
        {"S-table4",
         "Table IV: what the additions cost",
         "Of all 640 tensor cores in 12 nm: area in mm^2, power in W.",
         {"S.table4"},
         {additions("S.table4.area_mm2", "Area", "mm^2"),
          additions("S.table4.power_w", "Power", "W")}},
    };
}

}  // namespace tessera

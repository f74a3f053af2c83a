#include "sc_models/reproduction/html_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "sc_models/chart/bar_chart.h"
#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/grid_section.h"
#include "sc_models/report/html_page.h"
#include "sc_models/report/network_page.h"
#include "sc_models/report/over_time.h"
#include "sc_models/results/summary_text.h"

namespace tessera {
namespace {

/// Charts of more variants than this show only their means.
constexpr std::size_t kVariantsInGroups = 8;
std::string papers_html(const PaperComparison& papers) {
    std::string out = "<h2>The paper beside ours</h2>\n";
    if (papers.answers.empty()) {
        return out + "<p>No figure of a paper can be read off these results.</p>\n";
    }
    out += fmt::format(
        "<p class='note'>In percent, or as the figure says. The papers state means of layers, and "
        "so "
        "does <i>ours</i>; +- is half of its 95 % interval over seeds, where there are several; "
        "<i>total</i> is the same from the sums over all layers, in which large layers count more. "
        "<i>{}</i>: {}. <i>{}</i>: {}.</p>\n",
        kVerdictText[0].name, kVerdictText[0].rule, kVerdictText[1].name, kVerdictText[1].rule);
    HtmlTable table(
        {"figure", "what", "paper", "ours", "+-", "verdict", "ours, total", "layers", "remark"}, 2,
        1);
    for (const PaperAnswer& a : papers.answers) {
        const bool near = a.verdict == Verdict::kReproduced;
        table.row({a.paper.id, a.what, a.paper.stated, ours_cell(a), interval_cell(a),
                   std::string(verdict_name(a.verdict)), number_cell(a.total),
                   std::to_string(a.layers), a.remark},
                  "", {"", "long", "", "", "", near ? "near" : "far", "", "", "word long"});
    }
    out += table.str();
    for (const std::string& note : papers.notes) {
        out += markup("<p><strong>Note:</strong> {}</p>\n", note);
    }
    if (papers.unanswered.empty()) return out;
    out += "<p class='note'>Not answered by these results: ";
    for (const PaperFigure& figure : papers.unanswered) {
        if (&figure != &papers.unanswered.front()) out += ", ";
        out += markup_escaped(figure.id);
    }
    return out + ".</p>\n";
}

/// The paper's value for a variant's mean in the sweep over buffer sizes.
std::optional<double> stated(const PaperComparison& papers, const Summary& summary,
                             const std::string& variant, const std::string& column) {
    constexpr std::array<std::array<const char*, 3>, 3> kStated = {
        {{"lhb1024", "speedup_percent", "D.fig9.lhb1024.speedup"},
         {"oracle", "speedup_percent", "D.fig9.oracle.speedup"},
         {"oracle", "hit_rate_percent", "D.fig10.hit_rate.saturation"}}};
    for (const auto& [name, of, id] : kStated) {
        if (name != variant || of != column) continue;
        for (const PaperAnswer& answer : papers.answers) {
            if (answer.paper.id == id && answer.experiment == summary.name())
                return answer.paper.value;
        }
    }
    return std::nullopt;
}

/// Chart of the means only.
std::string means_chart(const BarChart& bars) {
    StackedChart means;
    means.unit = bars.unit;
    means.top = bars.top;
    means.colours = {"#3f8cc4"};
    for (const BarSeries& series : bars.series) {
        means.bars.push_back({series.name, {series.mean.value_or(0)}});
    }
    return "<p class='note'>Means of the layers.</p>\n" + scrolling_chart(means.svg());
}

/// Chart and table by layer, of the variants that have a mean in this column.
std::string by_layer(const PaperComparison& papers, const Summary& summary,
                     const std::string& heading, const std::string& column) {
    std::vector<std::string> variants;
    for (const SummaryVariant& v : summary.variants()) {
        if (!v.is_baseline() && summary.mean(v.name, column)) variants.push_back(v.name);
    }
    if (variants.empty()) return "";
    const std::vector<std::string> colours = variant_colours(variants);
    BarChart bars;
    bars.unit = "%";
    if (column == "hit_rate_percent") bars.top = 100;
    bars.groups = summary.layers();
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const std::string& name = variants[i];
        BarSeries series{grid_label(summary, name),
                         colours[i],
                         {},
                         summary.mean(name, column),
                         stated(papers, summary, name, column)};
        for (const std::string& layer : summary.layers()) {
            series.values.push_back(summary.value(layer, name, column));
        }
        bars.series.push_back(std::move(series));
    }
    const std::string grid = grid_charts(summary, column, "%");
    std::string chart;
    if (variants.size() <= kVariantsInGroups) {
        chart = scrolling_chart(bars.svg());
    } else if (grid.empty()) {
        chart = means_chart(bars);
    }
    return markup("<h3>{} [%]</h3>\n", heading) + grid + chart + chart_table(bars);
}

std::string hit_classes(const Summary& summary) {
    constexpr std::array<const char*, kHitClasses> kColours = {"#bbbbbb", "#85b8dc", "#3f8cc4",
                                                               "#f6c58f", "#e0812a", "#7a9a54"};
    StackedChart stacks;
    stacks.unit = "%";
    stacks.top = 100;
    stacks.colours.assign(kColours.begin(), kColours.end());
    for (const HitClassText& kind : kHitClassText) stacks.legend.emplace_back(kind.label);
    for (const SummaryVariant& v : summary.variants()) {
        if (!summary.mean(v.name, "hit_rate_percent")) continue;
        StackedBar bar{grid_label(summary, v.name), {}};
        for (const HitClassText& kind : kHitClassText) {
            bar.parts.push_back(summary.mean(v.name, kind.metric).value_or(0));
        }
        stacks.bars.push_back(std::move(bar));
    }
    if (stacks.bars.empty()) return "";
    return "<h3>Where the hits come from [% of the loads of A, mean of the layers]</h3>\n" +
           scrolling_chart(stacks.svg());
}

std::string sweep_html(const PaperComparison& papers, const Summary& summary) {
    std::string out =
        markup("<h2>{}</h2>\n<p class='note'>Sweep <code>{}</code>, {} layers, {} runs, {}.",
               summary.title(), summary.name(), summary.layers().size(), summary.rows().size(),
               summary.tool());
    if (!summary.sets().empty()) {
        out += markup(" Set on the command line: <code>{}</code>.",
                      fmt::format("{}", fmt::join(summary.sets(), " ")));
    }
    out += "</p>\n";
    if (const std::string missing = missing_note(summary); !missing.empty()) {
        out += markup("<p><strong>Note:</strong> {}</p>\n", missing);
    }
    out += by_layer(papers, summary, speedup_heading(summary), summary.speedup_column());
    out += by_layer(papers, summary, "Hit rate of the load history buffer", "hit_rate_percent");
    out += hit_classes(summary);
    out +=
        "<h3>Means and totals</h3>\n<pre>" + markup_escaped(variant_tables(summary)) + "</pre>\n";
    out += "<h3>What was run</h3>\n" + changes_table(summary);
    return out + details("Effective configuration of the first run", summary.config());
}

}  // namespace

std::string html_report(const PaperComparison& papers, const std::vector<Summary>& summaries,
                        const std::vector<ReportedRun>& runs,
                        const std::vector<nlohmann::ordered_json>& networks) {
    if (networks.size() == 1 && summaries.empty() && runs.empty()) {
        return network_page(networks.front());
    }
    if (runs.size() == 1 && summaries.empty() && networks.empty()) return run_page(runs.front());
    bool over_time = false;
    std::string out =
        "<h1>Tessera report</h1>\n"
        "<p class='note'>Speedups are in percent: 50 is 1.5 times as fast. They, hit rates and "
        "services are those of the matrix product unless im2col is named. Made by <code>tessera "
        "report</code>.</p>\n";
    if (!summaries.empty()) out += papers_html(papers);
    for (const Summary& summary : summaries) out += sweep_html(papers, summary);
    for (const ReportedRun& run : runs) {
        out += run_html(run);
        over_time = over_time || run.over_time;
    }
    for (const auto& network : networks) out += network_html(network);
    return html_page("Tessera report", out, over_time ? over_time_assets() : PageAssets{});
}

}  // namespace tessera

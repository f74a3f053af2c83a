#include "sc_models/report/html_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "sc_models/duplo/hit_class.h"
#include "sc_models/report/svg_chart.h"
#include "sc_models/sm/stall_reason.h"
#include "sc_models/study/summary_text.h"
#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 1160px; padding: 24px 28px 64px; color: #222; background: #fff;
       font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 8px 0 4px; }
h2 { font-size: 20px; margin: 44px 0 6px; padding-top: 14px; border-top: 2px solid #124f91; }
h3 { font-size: 16px; margin: 26px 0 6px; }
p, li { max-width: 860px; }
.note { color: #555; font-size: 13.5px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0 14px; font-size: 13.5px; }
th, td { padding: 3px 11px; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th { border-bottom: 1.5px solid #888; vertical-align: bottom; font-weight: 600; }
td.word, th.word { text-align: left; }
td.long { white-space: normal; min-width: 180px; }
tbody tr:nth-child(even) { background: #f5f8fb; }
tr.mean td { border-top: 1.5px solid #888; font-weight: 600; background: #fff; }
td.near { color: #1a7a3a; } td.far { color: #b2182b; }
code, pre { font: 12.5px/1.45 "DejaVu Sans Mono", monospace; }
pre { background: #f5f8fb; padding: 10px 14px; overflow-x: auto; }
details { margin: 10px 0; } summary { cursor: pointer; color: #124f91; }
svg { display: block; margin: 4px 0 10px; }
)";

/// Charts of more variants than this show their means only.
constexpr std::size_t kVariantsInGroups = 8;
/// Heading of the column that holds words though it is the last.
constexpr const char* kRemark = "remark";

/// Rows of cells; the first `words` columns to the left.
class HtmlTable {
public:
    explicit HtmlTable(const std::vector<std::string>& header, std::size_t words = 1)
        : words_(words), out_("<div class='scroll'><table><thead><tr>") {
        for (std::size_t i = 0; i < header.size(); ++i) {
            out_ += fmt::format("<th{}>{}</th>",
                                i < words_             ? " class='word'"
                                : header[i] == kRemark ? " class='word'"
                                                       : "",
                                markup_escaped(header[i]));
        }
        out_ += "</tr></thead><tbody>\n";
    }
    void row(const std::vector<std::string>& cells, const char* row_class = "",
             const std::vector<std::string>& classes = {}) {
        out_ += fmt::format("<tr class='{}'>", row_class);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string more = i < classes.size() ? classes[i] : "";
            out_ += fmt::format("<td class='{}{}'>{}</td>", i < words_ ? "word " : "", more,
                                markup_escaped(cells[i]));
        }
        out_ += "</tr>\n";
    }
    [[nodiscard]] std::string str() const { return out_ + "</tbody></table></div>\n"; }

private:
    std::size_t words_;
    std::string out_;
};

std::string details(const std::string& heading, const std::string& text) {
    return fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n",
                       markup_escaped(heading), markup_escaped(text));
}

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
        {"figure", "what", "paper", "ours", "+-", "verdict", "ours, total", "layers", kRemark}, 2);
    for (const PaperAnswer& a : papers.answers) {
        const bool near = a.verdict == Verdict::kReproduced;
        table.row({a.paper.id, a.what, a.paper.stated, ours_cell(a), interval_cell(a),
                   std::string(verdict_name(a.verdict)), number_cell(a.total),
                   std::to_string(a.layers), a.remark},
                  "", {"", "long", "", "", "", near ? "near" : "far", "", "", "word long"});
    }
    out += table.str();
    for (const std::string& note : papers.notes) {
        out += fmt::format("<p><strong>Note:</strong> {}</p>\n", markup_escaped(note));
    }
    if (papers.unanswered.empty()) return out;
    out += "<p class='note'>Not answered by these results: ";
    for (const PaperFigure& figure : papers.unanswered) {
        if (&figure != &papers.unanswered.front()) out += ", ";
        out += markup_escaped(figure.id);
    }
    return out + ".</p>\n";
}

/// Colours of variants: blues from light to dark for those with a number, others for the rest.
std::vector<std::string> colours_of(const std::vector<const SummaryVariant*>& variants) {
    constexpr std::array<const char*, 5> kBlues = {"#c6dbef", "#85b8dc", "#3f8cc4", "#124f91",
                                                   "#08264a"};
    constexpr std::array<const char*, 4> kOthers = {"#f0a04b", "#7a9a54", "#9a6fb0", "#7f7f7f"};
    std::size_t blue = 0;
    std::size_t other = 0;
    std::vector<std::string> colours;
    for (const SummaryVariant* variant : variants) {
        const bool numbered = variant->name.find_first_of("0123456789") != std::string::npos;
        colours.emplace_back(numbered ? kBlues[blue++ % kBlues.size()]
                                      : kOthers[other++ % kOthers.size()]);
    }
    return colours;
}

/// What the paper states for a variant's mean in the sweep over buffer sizes.
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

std::string chart(const PaperComparison& papers, const Summary& summary,
                  const std::vector<const SummaryVariant*>& variants, const std::string& column) {
    const std::vector<std::string> colours = colours_of(variants);
    if (variants.size() > kVariantsInGroups) {
        StackedChart means;
        means.unit = "%";
        means.colours = {"#3f8cc4"};
        for (const SummaryVariant* v : variants) {
            means.bars.push_back({v->name, {summary.mean(v->name, column).value_or(0)}});
        }
        return "<p class='note'>Means of the layers.</p>\n" + means.svg();
    }
    BarChart bars;
    bars.unit = "%";
    bars.groups = summary.layers();
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const std::string& name = variants[i]->name;
        BarSeries series{name,
                         colours[i],
                         {},
                         summary.mean(name, column),
                         stated(papers, summary, name, column)};
        for (const std::string& layer : summary.layers()) {
            series.values.push_back(summary.value(layer, name, column));
        }
        bars.series.push_back(std::move(series));
    }
    return bars.svg();
}

/// Chart and table, layer by layer, of the variants for which the column means something.
std::string by_layer(const PaperComparison& papers, const Summary& summary,
                     const std::string& heading, const std::string& column) {
    std::vector<const SummaryVariant*> variants;
    std::vector<std::string> header = {"layer"};
    for (const SummaryVariant& v : summary.variants()) {
        if (v.is_baseline() || !summary.mean(v.name, column)) continue;
        variants.push_back(&v);
        header.push_back(v.name);
    }
    if (variants.empty()) return "";
    HtmlTable table(header);
    for (const std::string& layer : summary.layers()) {
        std::vector<std::string> row = {layer};
        for (const auto* v : variants)
            row.push_back(number_cell(summary.value(layer, v->name, column)));
        table.row(row);
    }
    std::vector<std::string> row = {"mean"};
    for (const auto* v : variants) row.push_back(number_cell(summary.mean(v->name, column)));
    table.row(row, "mean");
    return fmt::format("<h3>{} [%]</h3>\n", markup_escaped(heading)) +
           chart(papers, summary, variants, column) + table.str();
}

std::string hit_classes(const Summary& summary) {
    constexpr std::array<const char*, kHitClasses> kColours = {"#c9c9c9", "#85b8dc", "#3f8cc4",
                                                               "#f6c58f", "#e0812a", "#7a9a54"};
    StackedChart stacks;
    stacks.unit = "%";
    stacks.colours.assign(kColours.begin(), kColours.end());
    for (const HitClassText& kind : kHitClassText) stacks.legend.emplace_back(kind.label);
    for (const SummaryVariant& v : summary.variants()) {
        if (!summary.mean(v.name, "hit_rate_percent")) continue;
        StackedBar bar{v.name, {}};
        for (const HitClassText& kind : kHitClassText) {
            bar.parts.push_back(summary.mean(v.name, kind.metric).value_or(0));
        }
        stacks.bars.push_back(std::move(bar));
    }
    if (stacks.bars.empty()) return "";
    return "<h3>Where the hits come from [% of the loads of A, mean of the layers]</h3>\n" +
           stacks.svg();
}

std::string changes_html(const Summary& summary) {
    HtmlTable table({"variant", "baseline", "sets differently"}, 3);
    for (const SummaryVariant& v : summary.variants()) {
        std::string text;
        for (const auto& [key, change] : v.changes) {
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", key, change);
        }
        table.row({v.name, v.is_baseline() ? "" : v.baseline, text}, "", {"", "", "long"});
    }
    return "<h3>What was run</h3>\n" + table.str();
}

std::string sweep_html(const PaperComparison& papers, const Summary& summary) {
    std::string out =
        fmt::format("<h2>{}</h2>\n<p class='note'>Sweep <code>{}</code>, {} layers, {} runs, {}.",
                    markup_escaped(summary.title()), markup_escaped(summary.name()),
                    summary.layers().size(), summary.rows().size(), markup_escaped(summary.tool()));
    if (!summary.sets().empty()) {
        out += fmt::format(" Set on the command line: <code>{}</code>.",
                           markup_escaped(fmt::format("{}", fmt::join(summary.sets(), " "))));
    }
    out += "</p>\n";
    if (const std::string missing = missing_note(summary); !missing.empty()) {
        out += fmt::format("<p><strong>Note:</strong> {}</p>\n", markup_escaped(missing));
    }
    out += by_layer(papers, summary, speedup_heading(summary), summary.speedup_column());
    out += by_layer(papers, summary, "Hit rate of the load history buffer", "hit_rate_percent");
    out += hit_classes(summary);
    out +=
        "<h3>Means and totals</h3>\n<pre>" + markup_escaped(variant_tables(summary)) + "</pre>\n";
    out += changes_html(summary);
    return out + details("Effective configuration of the first run", summary.config());
}

/// The mechanisms that were switched on, and what each came to.
std::string mechanisms_html(const nlohmann::ordered_json& result) {
    const auto found = result.find("mechanisms");
    if (found == result.end()) return "";  // of an older tessera
    if (found->empty()) return "<p>No mechanism was switched on.</p>\n";
    HtmlTable table({"mechanism", "acted", "key figure"}, 3);
    for (const auto& m : *found) {
        table.row({m.at("name"), m.at("acted").get<bool>() ? "yes" : "no", m.at("figure")});
    }
    return "<h3>Mechanisms</h3>\n" + table.str();
}

/// What bounds a kernel, its units' shares of their peaks, and its issue slots with what they mean.
std::string kernel_html(const nlohmann::ordered_json& kernel) {
    std::string out = fmt::format("<h3>Kernel {}: {} cycles</h3>\n",
                                  markup_escaped(kernel.at("name").get<std::string>()),
                                  kernel.at("cycles").get<std::uint64_t>());
    if (!kernel.contains("bound_by")) return out;
    out += fmt::format("<p>Bound by {}.</p>\n",
                       markup_escaped(kernel.at("bound_by").get<std::string>()));
    HtmlTable units({"unit", "% of peak", "peak"});
    for (const auto& share : kernel.at("percent_of_peak")) {
        units.row({share.at("unit"), number_cell(share.at("percent").get<double>(), 2),
                   share.at("peak")});
    }
    double all = 0;
    for (const auto& [name, cycles] : kernel.at("issue_slots").items()) all += cycles.get<double>();
    HtmlTable slots({"issue slot", "meaning", "%"}, 2);
    for (const StallReasonText& text : kStallReasonText) {
        const double cycles = kernel.at("issue_slots").value(std::string(text.name), 0.0);
        slots.row({std::string(text.name), std::string(text.description),
                   number_cell(all > 0 ? 100 * cycles / all : 0, 2)});
    }
    return out + units.str() + slots.str();
}

std::string run_html(const ReportedRun& run) {
    const auto& result = run.result;
    std::string out =
        fmt::format("<h2>{}: {}</h2>\n", markup_escaped(result.at("workload").get<std::string>()),
                    markup_escaped(run.name));
    out += fmt::format("<p class='note'>Configuration {}, tessera {} ({}).</p>\n",
                       result.at("config_hash").get<std::string>(),
                       markup_escaped(result.at("tool").at("version").get<std::string>()),
                       markup_escaped(result.at("tool").at("git_revision").get<std::string>()));
    out += mechanisms_html(result);
    for (const auto& kernel : result.at("kernels")) out += kernel_html(kernel);
    out += "<h3>Metrics of the last kernel</h3>\n";
    HtmlTable table({"metric", "value"});
    for (const auto& [key, value] : result.at("metrics").items()) {
        table.row({key, value.is_number_float() ? fmt::format("{:.4f}", value.get<double>())
                                                : value.dump()});
    }
    return out + table.str() + details("Effective configuration", result.at("config"));
}

}  // namespace

std::string html_report(const PaperComparison& papers, const std::vector<Summary>& summaries,
                        const std::vector<ReportedRun>& runs) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n<title>Tessera "
        "report</title>\n"
        "<style>{}</style></head><body>\n<h1>Tessera report</h1>\n"
        "<p class='note'>Speedups are in percent: 50 is 1.5 times as fast. They, hit rates and "
        "services are those of the matrix product unless im2col is named. Made by <code>tessera "
        "report</code>.</p>\n",
        kStyle);
    if (!summaries.empty()) out += papers_html(papers);
    for (const Summary& summary : summaries) out += sweep_html(papers, summary);
    for (const ReportedRun& run : runs) out += run_html(run);
    return out + "</body></html>\n";
}

}  // namespace tessera

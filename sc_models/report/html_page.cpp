#include "sc_models/report/html_page.h"

#include <fmt/format.h>

#include "sc_models/report/svg_drawing.h"
#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #222; --page: #fff; --soft: #f5f8fb; --rule: #888;
        --note: #555; --blue: #124f91; --good: #1a7a3a; --bad: #b2182b; --half: #8a6100; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dcdfe2; --page: #16191d; --soft: #20252b; --rule: #777; --note: #a3a9af;
          --blue: #7db4e8; --good: #62c784; --bad: #f0727d; --half: #d9ab3e; }
  svg { fill: #dcdfe2; } svg .grid { stroke: #33393f; } svg .zero { stroke: #9a9fa4; }
  svg .halo { stroke: #16191d; } svg .interval { stroke: #c4c8cc; }
  svg [style*='#b2182b'], svg .paper { fill: #f0727d !important; }
  svg .mark { stroke: #f0727d; }
}
body { margin: 0 auto; max-width: 1160px; padding: 24px 28px 64px; color: var(--text);
       background: var(--page); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 8px 0 4px; }
h2 { font-size: 20px; margin: 44px 0 6px; padding-top: 14px; border-top: 2px solid var(--blue); }
h3 { font-size: 16px; margin: 26px 0 6px; }
h4 { font-size: 14px; margin: 18px 0 2px; }
p, li { max-width: 860px; }
a { color: var(--blue); }
.note { color: var(--note); font-size: 13.5px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0 14px; font-size: 13.5px; }
caption { text-align: left; color: var(--note); padding: 2px 0; }
th, td { padding: 3px 11px; text-align: right; white-space: nowrap; vertical-align: top;
         font-variant-numeric: tabular-nums; }
th { border-bottom: 1.5px solid var(--rule); vertical-align: bottom; font-weight: 600; }
td.word, th.word { text-align: left; }
td.long { white-space: normal; min-width: 180px; text-align: left; }
tbody tr:nth-child(even) { background: var(--soft); }
tr.mean td { border-top: 1.5px solid var(--rule); font-weight: 600; background: var(--page); }
td.near { color: var(--good); } td.far { color: var(--bad); } td.half { color: var(--half); }
td.none, small.id { color: var(--note); }
tr.other td { font-style: italic; }
code, pre { font: 12.5px/1.45 "DejaVu Sans Mono", monospace; }
pre { background: var(--soft); padding: 10px 14px; overflow-x: auto; }
details { margin: 10px 0; } summary { cursor: pointer; color: var(--blue); }
figure { margin: 4px 0 12px; } figcaption { color: var(--note); font-size: 13.5px; }
nav ul { margin: 2px 0 8px; padding-left: 22px; } nav > ul { columns: 2; }
nav > ul > li { break-inside: avoid; }
svg { display: block; margin: 4px 0 10px; }
@media print {
  body { max-width: none; padding: 0; font-size: 11px; } table { font-size: 9.5px; }
  td, th { white-space: normal; padding: 2px 5px; } .scroll { overflow: visible; }
  figure, svg, tr { break-inside: avoid; } h2, h3, h4 { break-after: avoid; }
}
)";

std::string with_interval(const std::optional<double>& value,
                          const std::optional<double>& half_width, int decimals) {
    std::string cell = number_cell(value, decimals);
    if (value && half_width) cell += " ± " + number_cell(half_width, decimals);
    return cell;
}

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n<meta name='viewport' "
        "content='width=device-width'>\n<title>{}</title>\n<style>{}</style></head><body>\n{}"
        "</body></html>\n",
        markup_escaped(title), kStyle, body);
}

HtmlTable::HtmlTable(const std::vector<std::string>& header, std::size_t words,
                     std::size_t last_words, const std::string& caption)
    : words_(words), out_("<div class='scroll'><table>") {
    if (!caption.empty()) out_ += fmt::format("<caption>{}</caption>", markup_escaped(caption));
    out_ += "<thead><tr>";
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool is_word = i < words_ || i + last_words >= header.size();
        out_ += fmt::format("<th scope='col'{}>{}</th>", is_word ? " class='word'" : "",
                            markup_escaped(header[i]));
    }
    out_ += "</tr></thead><tbody>\n";
}

void HtmlTable::row(const std::vector<std::string>& cells, const std::string& row_class,
                    const std::vector<std::string>& classes) {
    std::vector<std::string> markup;
    markup.reserve(cells.size());
    for (const std::string& cell : cells) markup.push_back(markup_escaped(cell));
    markup_row(markup, row_class, classes);
}

void HtmlTable::markup_row(const std::vector<std::string>& cells, const std::string& row_class,
                           const std::vector<std::string>& classes) {
    out_ += fmt::format("<tr class='{}'>", row_class);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string more = i < classes.size() ? classes[i] : "";
        out_ += fmt::format("<td class='{}{}'>{}</td>", i < words_ ? "word " : "", more, cells[i]);
    }
    out_ += "</tr>\n";
}

std::string HtmlTable::str() const {
    return out_ + "</tbody></table></div>\n";
}

std::string chart_table(const BarChart& chart, const std::string& caption,
                        const std::string& group_heading) {
    std::vector<std::string> header = {group_heading};
    for (const BarSeries& series : chart.series) header.push_back(series.name);
    HtmlTable table(header, 1, 0, caption);
    for (std::size_t g = 0; g < chart.groups.size(); ++g) {
        std::vector<std::string> row = {chart.groups[g]};
        for (const BarSeries& series : chart.series) {
            const bool has_width = g < series.half_widths.size();
            row.push_back(with_interval(series.values[g],
                                        has_width ? series.half_widths[g] : std::nullopt,
                                        chart.decimals));
        }
        table.row(row);
    }
    std::vector<std::string> row = {chart.mean_label};
    bool any = false;
    for (const BarSeries& series : chart.series) {
        any = any || series.mean;
        row.push_back(with_interval(series.mean, series.mean_half_width, chart.decimals));
    }
    if (any) table.row(row, "mean");
    return table.str();
}

std::string changes_table(const Summary& summary) {
    HtmlTable table({"variant", "baseline", "sets differently"}, 3);
    for (const SummaryVariant& v : summary.variants()) {
        std::string text;
        for (const auto& [key, change] : v.changes) {
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", key, change);
        }
        table.row({v.name, v.is_baseline() ? "" : v.baseline, text}, "", {"", "", "long"});
    }
    return table.str();
}

std::string details(const std::string& heading, const std::string& text) {
    return details_of_markup(heading, fmt::format("<pre>{}</pre>", markup_escaped(text)));
}

std::string details_of_markup(const std::string& heading, const std::string& markup) {
    return fmt::format("<details><summary>{}</summary>{}</details>\n", markup_escaped(heading),
                       markup);
}

}  // namespace tessera

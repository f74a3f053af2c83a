#include "sc_models/report/html_page.h"

#include <fmt/format.h>

#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"

namespace tessera {
namespace {

std::string with_interval(const std::optional<double>& value,
                          const std::optional<double>& half_width, int decimals) {
    std::string cell = number_cell(value, decimals);
    if (value && half_width) cell += " ± " + number_cell(half_width, decimals);
    return cell;
}

}  // namespace

HtmlTable::HtmlTable(const std::vector<std::string>& header, std::size_t words,
                     std::size_t last_words, const std::string& caption)
    : words_(words), out_("<div class='scroll'><table>") {
    if (!caption.empty()) out_ += markup("<caption>{}</caption>", caption);
    out_ += "<thead><tr>";
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool is_word = i < words_ || i + last_words >= header.size();
        out_ +=
            markup("<th scope='col'{}>{}</th>", Markup{is_word ? " class='word'" : ""}, header[i]);
    }
    out_ += "</tr></thead><tbody>\n";
}

void HtmlTable::row(const std::vector<std::string>& cells, const std::string& row_class,
                    const std::vector<std::string>& classes) {
    std::vector<std::string> escaped;
    escaped.reserve(cells.size());
    for (const std::string& cell : cells) escaped.push_back(markup_escaped(cell));
    markup_row(escaped, row_class, classes);
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
        for (const ConfigDifference& change : v.changes) {
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", change.key, change.text());
        }
        table.row({v.name, v.is_baseline() ? "" : v.baseline, text}, "", {"", "", "long"});
    }
    return table.str();
}

std::string scrolling_chart(const std::string& svg) {
    return svg.empty() ? "" : "<div class='scroll chart'>\n" + svg + "</div>\n";
}

std::string warning_html(const std::string& text) {
    return text.empty() ? "" : markup("<p class='warning'>{}</p>\n", text);
}

std::string details(const std::string& heading, const std::string& text) {
    return details_of_markup(heading, markup("<pre>{}</pre>", text));
}

std::string details_of_markup(const std::string& heading, const std::string& inner) {
    return markup("<details><summary>{}</summary>{}</details>\n", heading, Markup{inner});
}

}  // namespace tessera

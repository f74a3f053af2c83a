// Building blocks of result pages: tables and collapsible text.
#pragma once

#include <string>
#include <vector>

#include "sc_models/chart/bar_chart.h"
#include "sc_models/page/page_frame.h"
#include "sc_models/results/summary.h"

namespace tessera {

/// HTML table. The first `words` and the last `last_words` columns are left-aligned.
class HtmlTable {
public:
    explicit HtmlTable(const std::vector<std::string>& header, std::size_t words = 1,
                       std::size_t last_words = 0, const std::string& caption = "");

    /// Adds a row of text; the text is escaped. `classes` apply to single cells, after the class of
    /// the row.
    void row(const std::vector<std::string>& cells, const std::string& row_class = "",
             const std::vector<std::string>& classes = {});
    /// Adds a row whose cells are markup already.
    void markup_row(const std::vector<std::string>& cells, const std::string& row_class = "",
                    const std::vector<std::string>& classes = {});

    [[nodiscard]] std::string str() const;

private:
    std::size_t words_;
    std::string out_;
};

/// Table of a chart's numbers: one row per group, one column per series.
[[nodiscard]] std::string chart_table(const BarChart& chart, const std::string& caption = "",
                                      const std::string& group_heading = "layer");

/// Settings in which each variant of a sweep differs from its baseline.
[[nodiscard]] std::string changes_table(const Summary& summary);

/// A chart (SVG) that keeps a readable width and scrolls sideways in a narrower window. Empty if
/// the chart is.
[[nodiscard]] std::string scrolling_chart(const std::string& svg);

/// Highlighted warning; empty if `text` is empty.
[[nodiscard]] std::string warning_html(const std::string& text);

/// Collapsible text that opens at its heading; the text is escaped.
[[nodiscard]] std::string details(const std::string& heading, const std::string& text);
/// Collapsible text whose content is markup already.
[[nodiscard]] std::string details_of_markup(const std::string& heading, const std::string& inner);

}  // namespace tessera

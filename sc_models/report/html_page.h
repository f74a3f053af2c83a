// What pages of results are made of: tables, and text behind a heading.
#pragma once

#include <string>
#include <vector>

#include "sc_models/page/page_frame.h"
#include "sc_models/report/bar_chart.h"
#include "sc_models/study/summary.h"

namespace tessera {

/// Rows of cells; the first `words` columns and the last `last_words` to the left.
class HtmlTable {
public:
    explicit HtmlTable(const std::vector<std::string>& header, std::size_t words = 1,
                       std::size_t last_words = 0, const std::string& caption = "");

    /// Text, which is escaped. Classes of single cells follow that of the row.
    void row(const std::vector<std::string>& cells, const std::string& row_class = "",
             const std::vector<std::string>& classes = {});
    /// The same of cells that are markup already.
    void markup_row(const std::vector<std::string>& cells, const std::string& row_class = "",
                    const std::vector<std::string>& classes = {});

    [[nodiscard]] std::string str() const;

private:
    std::size_t words_;
    std::string out_;
};

/// The numbers behind a chart, groups down and series across.
[[nodiscard]] std::string chart_table(const BarChart& chart, const std::string& caption = "",
                                      const std::string& group_heading = "layer");

/// What each variant of a sweep sets differently from its baseline.
[[nodiscard]] std::string changes_table(const Summary& summary);

/// A sentence that readers must not miss, or nothing.
[[nodiscard]] std::string warning_html(const std::string& text);

/// Text behind a heading that opens it.
[[nodiscard]] std::string details(const std::string& heading, const std::string& text);
/// The same of what is markup already.
[[nodiscard]] std::string details_of_markup(const std::string& heading, const std::string& inner);

}  // namespace tessera

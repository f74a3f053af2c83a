#include "sc_models/report/over_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/page/page_assets.h"
#include "sc_models/report/html_page.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Table of minimum, time-weighted mean and maximum of each figure.
std::string summary_table(const Json& over_time) {
    HtmlTable table({"figure", "unit", "least", "mean over time", "most"}, 2);
    const auto at = over_time.at("at").get<std::vector<double>>();
    for (const Json& figure : over_time.at("figures")) {
        const auto values = figure.at("values").get<std::vector<double>>();
        if (values.empty() || values.size() != at.size()) continue;
        double sum = 0;
        double time = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double end = i + 1 < at.size() ? at[i + 1] : over_time.at("end").get<double>();
            sum += values[i] * (end - at[i]);
            time += end - at[i];
        }
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        table.row({figure.at("name"), figure.at("unit"), number_cell(*least, 2),
                   number_cell(time > 0 ? sum / time : 0, 2), number_cell(*most, 2)});
    }
    return table.str();
}

}  // namespace

PageAssets over_time_assets() {
    return {{"uplot/uPlot.min.css"}, {"uplot/uPlot.iife.min.js", "over_time.js"}};
}

std::string over_time_html(const Json& over_time) {
    // The page includes uPlot, so it also includes its license.
    return "<!-- The charts are drawn by uPlot.\n" + std::string(page_asset("uplot/LICENSE")) +
           "\n-->\n<p class='note'>Of the whole machine, kernel after kernel. Work counts when it "
           "is asked for, so that a burst may show more than a unit does at once. Drag over a "
           "chart to look closer, double click for all of it.</p>\n<div class='over-time'>"
           "<noscript><p>The charts are drawn by JavaScript.</p></noscript>"
           "<script type='application/json'>" +
           script_safe(over_time.dump()) + "</script></div>\n" + summary_table(over_time);
}

}  // namespace tessera

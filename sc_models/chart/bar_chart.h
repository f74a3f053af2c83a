// Grouped bar charts as SVG text for self-contained pages.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Bars of one colour. Missing values are not drawn.
struct BarSeries {
    std::string name, colour;
    std::vector<std::optional<double>> values;  ///< one per group
    std::optional<double> mean;
    std::optional<double> paper;  ///< the paper's value for the mean
    /// Half of the 95 % interval of each value; empty if none has one.
    std::vector<std::optional<double>> half_widths = {};
    std::optional<double> mean_half_width = {};
    /// The paper's values for single groups; empty if it states none.
    std::vector<std::optional<double>> stated = {};
    /// Smallest and largest value that the paper states over all groups.
    std::optional<std::pair<double, double>> stated_range = {};
};

/// Groups of bars side by side, then the means with their numbers. Labels that do not fit side by
/// side take two lines or stand upright; if they still do not fit, only every n-th is written. The
/// tooltip of a bar always holds its label. A chart without any value is empty text.
struct BarChart {
    std::string unit;                 ///< unit of the vertical axis
    std::vector<std::string> groups;  ///< "network.layer"; networks are set apart
    std::vector<BarSeries> series;
    std::string mean_label = "mean";
    std::optional<double> reference = {};  ///< value marked by a horizontal line
    std::optional<double> top = {};        ///< least upper end of the axis, such as 100 for shares
    int decimals = 1;                      ///< decimals of the numbers at means and marks

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

// Charts of bars in groups as SVG text, for pages that load nothing from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// One colour of bars. Values that are not there are not drawn.
struct BarSeries {
    std::string name, colour;
    std::vector<std::optional<double>> values;  ///< one a group
    std::optional<double> mean;
    std::optional<double> paper;  ///< what a paper states for the mean
    /// Half of the 95 % interval of each value; empty if none has one.
    std::vector<std::optional<double>> half_widths = {};
    std::optional<double> mean_half_width = {};
    /// What a paper states for single groups; empty if it states none.
    std::vector<std::optional<double>> stated = {};
    /// The least and the most that a paper states of all groups.
    std::optional<std::pair<double, double>> stated_range = {};
};

/// Groups of bars side by side, then the means with their numbers. Labels that do not fit side by
/// side go to two lines, or stand upright; where even these do not fit, every second one or fewer
/// is written (the tip of a bar has them all).
struct BarChart {
    std::string unit;                 ///< of the vertical axis
    std::vector<std::string> groups;  ///< "network.layer"; networks are set apart
    std::vector<BarSeries> series;
    std::string mean_label = "mean";
    std::optional<double> reference = {};  ///< a value that has a line across
    int decimals = 1;                      ///< of the numbers at means and marks

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

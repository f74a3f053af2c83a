// Bar charts as SVG text, for pages that load nothing from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Text with the characters that HTML and SVG reserve replaced.
[[nodiscard]] std::string markup_escaped(std::string_view content);

/// A chart's SVG as a file of its own.
[[nodiscard]] std::string standalone(const std::string& svg);

/// One colour of bars.
struct BarSeries {
    std::string name, colour;
    std::vector<std::optional<double>> values;  ///< one a group
    std::optional<double> mean;
    std::optional<double> paper;  ///< what a paper states for the mean
};

/// Groups of bars side by side, then the means with their numbers.
struct BarChart {
    std::string unit;                 ///< of the vertical axis
    std::vector<std::string> groups;  ///< "network.layer"; networks are set apart
    std::vector<BarSeries> series;

    [[nodiscard]] std::string svg() const;
};

/// A part of a stacked bar, or the whole of a plain one.
struct StackedBar {
    std::string name;
    std::vector<double> parts;
};

/// Horizontal bars, one below the other, each a stack of parts with a common legend.
struct StackedChart {
    std::string unit;
    std::vector<std::string> legend, colours;  ///< one a part; no legend for a single one
    std::vector<StackedBar> bars;

    [[nodiscard]] std::string svg() const;
};

/// How far one setting moves a number.
struct TornadoBar {
    std::string name, colour;
    double value = 0;
};

/// Horizontal bars from a common value to theirs, and what a paper states as a line across.
struct TornadoChart {
    std::string unit;
    double from = 0;  ///< where all bars begin
    std::optional<double> paper;
    std::vector<TornadoBar> bars;

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

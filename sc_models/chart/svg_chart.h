// Horizontal bar charts as SVG text for self-contained pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A stacked bar, or a plain one with a single part.
struct StackedBar {
    std::string name;
    std::vector<double> parts;              ///< empty: the bar is not drawn
    std::optional<double> half_width = {};  ///< half of the 95 % interval of the whole
    std::optional<double> paper = {};       ///< the paper's value for the whole
    std::string words = {};  ///< text that replaces the bar's number; paper_words replaces the
                             ///< paper's
    std::string paper_words = {};
    std::size_t first_part = 0;  ///< index into the legend of the first element of `parts`
};

/// Horizontal bars, one below the other, each a stack of parts with a common legend of the parts
/// that are not zero in all bars. A chart whose bars all lack parts is empty text.
struct StackedChart {
    std::string unit;
    std::vector<std::string> legend, colours;  ///< one per part; a single part has no legend
    std::optional<double> top = {};  ///< least upper end of the axis, such as 100 for shares
    std::vector<StackedBar> bars;

    [[nodiscard]] std::string svg() const;
};

/// Effect of one setting on a number.
struct TornadoBar {
    std::string name, colour;
    double value = 0;
};

/// Horizontal bars from a common start to their values; a line marks the paper's value.
/// A chart without bars is empty text.
struct TornadoChart {
    std::string unit;
    double from = 0;  ///< start of all bars
    std::optional<double> paper;
    std::vector<TornadoBar> bars;

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

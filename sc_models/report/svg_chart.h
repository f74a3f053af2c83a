// Charts of horizontal bars as SVG text, for pages that load nothing from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A part of a stacked bar, or the whole of a plain one.
struct StackedBar {
    std::string name;
    std::vector<double> parts;              ///< none: nothing is drawn
    std::optional<double> half_width = {};  ///< half of the 95 % interval of the whole
    std::optional<double> paper = {};       ///< what a paper states for the whole
    std::string words = {};  ///< beside the bar in place of the number; and beside the paper's
    std::string paper_words = {};
    std::size_t first_part = 0;  ///< of the legend, the one that `parts` begin with
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

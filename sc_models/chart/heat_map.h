// Heat maps of numbers over two settings, as SVG text for self-contained pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Cells of one map; missing values are not drawn.
struct HeatPanel {
    std::string title;
    std::vector<std::vector<std::optional<double>>> values;  ///< by row, then by column
};

/// Maps over common rows and columns, side by side as far as they fit, with one scale of colours.
/// Each cell has its number where it fits, and a tooltip with the names of row and column. Colours
/// run from light to dark blue; numbers below zero are orange. A chart without any value is empty
/// text.
struct HeatMap {
    std::string unit;                 ///< of the numbers, for the scale of colours
    std::string row_key, column_key;  ///< names of the two settings
    std::vector<std::string> rows, columns;
    std::vector<HeatPanel> panels;

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

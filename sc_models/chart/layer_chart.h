// Column charts with one column per layer, as SVG text for self-contained pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// One row of columns. Missing values are not drawn.
struct LayerPanel {
    std::string title;
    std::vector<std::optional<double>> values;  ///< one per layer
    /// Half of the 95 % interval of each value; empty if there is none.
    std::vector<double> half_widths = {};
    /// Reference value of each column, drawn as a mark across it; empty if there is none.
    std::vector<std::optional<double>> marks = {};
};

/// Rows of columns over common layers, numbered from 1 as in the page's table. Numbers and names
/// are written as far as they do not overlap; the tooltip of a column holds its name. A chart
/// without any value is empty text.
struct LayerColumns {
    std::string unit;
    std::vector<std::string> names;            ///< of the layers
    std::vector<std::size_t> kinds;            ///< index of each layer's kind into legend and
                                               ///< colours
    std::vector<std::string> legend, colours;  ///< by kind; kinds without a layer are not listed
    std::string mark_name = {};                ///< name of the marks in the legend
    std::optional<double> top = {};            ///< upper end of the axes; default: the largest
                                               ///< value
    std::size_t named = 5;                     ///< number of largest values that have names
    std::vector<LayerPanel> panels;

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

// Charts of columns, one a layer of a network, as SVG text, for pages that load nothing from
// elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// One row of columns. Values that are not there are not drawn.
struct LayerPanel {
    std::string title;
    std::vector<std::optional<double>> values;  ///< one a layer
    /// Half of the 95 % interval of each value; empty: there is none.
    std::vector<double> half_widths = {};
    /// What each is to be compared with, a mark across its column; empty: nothing.
    std::vector<std::optional<double>> marks = {};
};

/// Rows of columns over common layers, which are numbered from 1 as in the table of a page. As many
/// numbers and names are written as keep clear of each other; the tip of a column has its name.
struct LayerColumns {
    std::string unit;
    std::vector<std::string> names;            ///< of the layers
    std::vector<std::size_t> kinds;            ///< of each layer, into legend and colours
    std::vector<std::string> legend, colours;  ///< by kind; kinds without a layer are not listed
    std::string mark_name = {};                ///< of the marks, for the legend
    std::optional<double> top = {};            ///< of the axes; otherwise that of all values
    std::size_t named = 5;                     ///< of the largest values, so many have their names
    std::vector<LayerPanel> panels;

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

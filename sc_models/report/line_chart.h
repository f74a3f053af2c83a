// Charts of lines over a number as SVG text, for pages that load nothing from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A point of a curve.
struct CurvePoint {
    double x = 0, y = 0;
};

/// A curve with its points, and what a paper states of it.
struct LineSeries {
    std::string name, colour;
    bool is_dashed = false;
    std::vector<CurvePoint> points;  ///< in the order of x
    std::vector<CurvePoint> stated;
};

/// Curves over a common axis, the paper's points as marks with their numbers. On a logarithmic axis
/// what is not above zero is left out.
struct LineChart {
    std::string x_unit, y_unit;
    bool is_logarithmic = false;  ///< the vertical axis
    std::vector<LineSeries> series;
    /// A value that has a line across, with its name.
    std::optional<std::pair<double, std::string>> reference = {};

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

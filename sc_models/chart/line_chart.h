// Line charts over a number, as SVG text for self-contained pages.
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

/// A curve with its points, and the points that a paper states.
struct LineSeries {
    std::string name, colour;
    bool is_dashed = false;
    std::vector<CurvePoint> points;  ///< in ascending order of x
    std::vector<CurvePoint> stated;
};

/// Curves over a common axis; the paper's points are marks with their numbers. A logarithmic axis
/// omits values that are not above zero. A chart without any point is empty text.
struct LineChart {
    std::string x_unit, y_unit;
    bool is_logarithmic = false;  ///< applies to the vertical axis
    std::vector<LineSeries> series;
    /// Value marked by a horizontal line, with its name.
    std::optional<std::pair<double, std::string>> reference = {};

    [[nodiscard]] std::string svg() const;
};

}  // namespace tessera

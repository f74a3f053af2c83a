// What charts are drawn with: axes, marks, colours, and labels that keep clear of each other.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/page/markup.h"

namespace tessera {

/// A chart's SVG as a file of its own.
[[nodiscard]] std::string standalone(const std::string& svg);

/// `count` colours, all different. Up to 24 are chosen to be told apart on light and dark pages;
/// more are spread evenly over the hues.
[[nodiscard]] std::vector<std::string> series_colours(std::size_t count);

/// Colours of variants by their names, all different: blues from light to dark for those with a
/// number in it, which are steps of one setting, others for the rest.
[[nodiscard]] std::vector<std::string> variant_colours(const std::vector<std::string>& names);

/// Parts of SVG text. Lengths are in pixels of the view box; colours are attributes, so that a file
/// of its own has them, and classes, so that a page can set others.
namespace svg {

inline constexpr double kWidth = 1120;
/// How much room a character of a label takes, and a line of them. Rather too much than too little.
inline constexpr double kCharacter = 7;
inline constexpr double kLine = 16;
inline constexpr const char* kPaperColour = "#b2182b";

/// The width of a label. A character of several bytes counts once.
[[nodiscard]] double text_width(std::string_view content);

/// Round numbers on an axis that holds [low, high] and zero; of a logarithmic one 1, 2 and 5 of
/// each decade around [low, high], both above zero.
class Axis {
public:
    Axis(double smallest, double largest, bool logarithmic = false);

    /// Where a value lies: 0 at the low end, 1 at the high one.
    [[nodiscard]] double share(double value) const;
    [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }
    [[nodiscard]] std::string label(double tick) const;
    [[nodiscard]] double low() const { return ticks_.front(); }

private:
    bool logarithmic_;
    double step_ = 0;
    std::vector<double> ticks_;
};

[[nodiscard]] std::string open(double height);
/// `more`: further attributes.
[[nodiscard]] std::string text(double x, double y, std::string_view anchor,
                               std::string_view content, std::string_view more = "");
[[nodiscard]] std::string rectangle(double x, double y, double width, double height,
                                    std::string_view colour, std::string_view tip);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                               std::string_view more = "");
/// A line of the grid, or the one at zero.
[[nodiscard]] std::string grid_line(double x1, double y1, double x2, double y2, bool zero);
/// The mark of what a paper states: a diamond around the point.
[[nodiscard]] std::string paper_mark(double x, double y, std::string_view tip,
                                     std::string_view fill = "#fff");
/// An interval along the vertical axis, ours or one that a paper states: a line with two caps.
[[nodiscard]] std::string interval(double x, double top, double bottom, double cap,
                                   bool is_stated = false);

/// An entry of a legend: its name and the sign before it, drawn around (0, 0) in 12 by 12 pixels.
struct LegendEntry {
    std::string name, sign;
};
[[nodiscard]] std::string square_sign(std::string_view colour);
[[nodiscard]] std::string mark_sign();

/// Entries from left to right in as many lines as they need, the first at `top`. Adds the height
/// that they take to `top`.
[[nodiscard]] std::string legend(const std::vector<LegendEntry>& entries, double left, double& top);

/// For each span (begin, end), in order, the first line in which it keeps clear of those before.
[[nodiscard]] std::vector<std::size_t> lines_of(
    const std::vector<std::pair<double, double>>& spans);

/// Labels in a field, none upon another.
class Labels {
public:
    /// No label leaves the lines between `top` and `bottom`.
    Labels(double top, double bottom) : top_(top), bottom_(bottom) {}

    /// Keeps labels away from something drawn.
    void keep_clear(double left, double top, double right, double bottom);
    /// The label centred at x on the free line that is nearest to the wished one, or nothing where
    /// all are taken that are at most so far from it.
    [[nodiscard]] std::string place(double x, double wished, std::string_view content,
                                    std::string_view more = "", double reach = kWidth);

private:
    using Box = std::array<double, 4>;  ///< left, top, right, bottom
    [[nodiscard]] bool is_free(const Box& box) const;

    double top_, bottom_;
    std::vector<Box> taken_;
};

}  // namespace svg
}  // namespace tessera

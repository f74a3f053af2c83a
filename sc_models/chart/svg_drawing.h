// Drawing primitives of charts: axes, marks, colours and non-overlapping labels.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/page/markup.h"

namespace tessera {

/// Chart as an SVG file of its own: on white, in fonts that it names.
[[nodiscard]] std::string standalone(const std::string& svg);

/// Returns `count` different colours. Up to 24 are chosen for contrast on light and dark pages;
/// more are spread evenly over the hues.
[[nodiscard]] std::vector<std::string> series_colours(std::size_t count);

/// Colours of variants by name, all different. Names with a number are steps of one setting and get
/// blues from light to dark; the rest get other colours.
[[nodiscard]] std::vector<std::string> variant_colours(const std::vector<std::string>& names);

/// Parts of SVG text. Lengths are in pixels of the view box. Colours are attributes, for files of
/// their own, and classes, which pages may override.
namespace svg {

inline constexpr double kWidth = 1120;
/// Width of a label's character and height of its line; upper estimates.
inline constexpr double kCharacter = 7;
inline constexpr double kLine = 16;
inline constexpr const char* kPaperColour = "#b2182b";

/// Width of a label. A multi-byte character counts once.
[[nodiscard]] double text_width(std::string_view content);

/// Axis with round ticks that covers [low, high] and zero; a logarithmic one has ticks at 1, 2 and
/// 5 of each decade around [low, high], both above zero.
class Axis {
public:
    Axis(double smallest, double largest, bool logarithmic = false);

    /// Relative position of a value: 0 at the low end, 1 at the high end.
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
/// Draws a grid line; the one at zero is emphasised.
[[nodiscard]] std::string grid_line(double x1, double y1, double x2, double y2, bool zero);
/// Draws the mark of a paper's value: a diamond around the point.
[[nodiscard]] std::string paper_mark(double x, double y, std::string_view tip,
                                     std::string_view fill = "#fff");
/// Draws a vertical interval, the model's or the paper's: a line with two caps.
[[nodiscard]] std::string interval(double x, double top, double bottom, double cap,
                                   bool is_stated = false);

/// A legend entry: its name and its sign, drawn around (0, 0) in 12 by 12 pixels.
struct LegendEntry {
    std::string name, sign;
};
[[nodiscard]] std::string square_sign(std::string_view colour);
[[nodiscard]] std::string mark_sign();

/// Draws entries from left to right in as many lines as needed, starting at `top`, and adds their
/// height to `top`.
[[nodiscard]] std::string legend(const std::vector<LegendEntry>& entries, double left, double& top);

/// Assigns each span (begin, end), in order, the first line without overlap.
[[nodiscard]] std::vector<std::size_t> lines_of(
    const std::vector<std::pair<double, double>>& spans);

/// Places labels in a field without overlap.
class Labels {
public:
    /// Labels stay between `top` and `bottom`.
    Labels(double top, double bottom) : top_(top), bottom_(bottom) {}

    /// Reserves the area of a drawn object.
    void keep_clear(double left, double top, double right, double bottom);
    /// Returns the label centred at x, on the free line nearest to `wished`; empty if all lines
    /// within `reach` are taken.
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

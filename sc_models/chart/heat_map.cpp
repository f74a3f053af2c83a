#include "sc_models/chart/heat_map.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

using Colour = std::array<double, 3>;  // red, green, blue in [0, 255]

constexpr Colour kNone = {241, 246, 251};
constexpr std::array<Colour, 2> kBlues = {{{106, 174, 214}, {8, 48, 107}}};
constexpr std::array<Colour, 2> kOranges = {{{241, 163, 64}, {127, 59, 8}}};

/// Colour of a number whose distance from zero is `share` (0..1) of the largest one.
Colour colour_at(double share, bool is_negative) {
    const std::array<Colour, 2>& stops = is_negative ? kOranges : kBlues;
    const bool first = share < 0.5;
    const Colour& from = first ? kNone : stops[0];
    const Colour& to = first ? stops[0] : stops[1];
    const double along = 2 * share - (first ? 0 : 1);
    Colour colour{};
    for (std::size_t i = 0; i < colour.size(); ++i)
        colour[i] = std::round(from[i] + along * (to[i] - from[i]));
    return colour;
}

std::string hex_of(const Colour& colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(colour[0]),
                       static_cast<int>(colour[1]), static_cast<int>(colour[2]));
}

/// Black or white, whichever has more contrast on the colour (relative luminance of WCAG 2.2).
const char* ink_on(const Colour& colour) {
    constexpr std::array<double, 3> kWeights = {0.2126, 0.7152, 0.0722};
    double luminance = 0;
    for (std::size_t i = 0; i < colour.size(); ++i) {
        const double c = colour[i] / 255;
        luminance += kWeights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000" : "#fff";
}

constexpr double kCell = 26, kLeastCell = 46, kPadding = 12, kGapBetween = 28;
constexpr double kTitle = 20, kKeyLine = 16, kScaleSteps = 9;

/// The drawing of one HeatMap.
class HeatDrawing {
public:
    explicit HeatDrawing(const HeatMap& map) : map_(map) {
        names_ = svg::text_width(map.row_key);
        for (const std::string& row : map.rows) names_ = std::max(names_, svg::text_width(row));
        names_ += 10;
        double widest = kLeastCell - kPadding;
        for (const std::string& column : map.columns)
            widest = std::max(widest, svg::text_width(column));
        double titles = svg::text_width(map.column_key);
        for (const HeatPanel& panel : map.panels) {
            titles = std::max(titles, svg::text_width(panel.title));
            for (const auto& row : panel.values) {
                for (const auto& value : row) {
                    if (!value) continue;
                    largest_ = std::max(largest_, std::abs(*value));
                    low_ = std::min(low_, *value);
                    high_ = std::max(high_, *value);
                    widest = std::max(widest, svg::text_width(number_cell(value)));
                }
            }
        }
        const auto columns = static_cast<double>(map.columns.size());
        width_ = std::min(widest + kPadding, (svg::kWidth - names_ - 4) / columns);
        panel_ = std::max(names_ + columns * width_, titles + 4);
        across_ = static_cast<std::size_t>(
            std::max(1.0, std::floor((svg::kWidth + kGapBetween) / (panel_ + kGapBetween))));
    }

    std::string svg() {
        const double height = kTitle + kKeyLine + kCell * static_cast<double>(map_.rows.size()) +
                              18 + kKeyLine + kGapBetween / 2;
        double bottom = 0;
        for (std::size_t i = 0; i < map_.panels.size(); ++i) {
            const std::size_t line = i / across_;
            const double top = height * static_cast<double>(line);
            const double left = (panel_ + kGapBetween) * static_cast<double>(i % across_);
            draw(map_.panels[i], left, top);
            bottom = top + height;
        }
        scale(bottom);
        return svg::open(bottom + 24) + out_ + "</svg>\n";
    }

private:
    void cell(double x, double y, double width, double value, const std::string& tip,
              bool numbered) {
        const Colour colour = colour_at(largest_ > 0 ? std::abs(value) / largest_ : 0, value < 0);
        // The outline in the colour of the page parts the cells.
        out_ += fmt::format(
            "<rect class='halo' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}' "
            "stroke='#fff'><title>{}</title></rect>\n",
            x, y, width, kCell - 2, hex_of(colour), markup_escaped(tip));
        const std::string number = number_cell(value);
        if (!numbered || svg::text_width(number) > width) return;
        out_ += svg::text(x + width / 2, y + kCell / 2 + 3, "middle", number,
                          fmt::format("fill='{}'", ink_on(colour)));
    }

    void draw(const HeatPanel& panel, double left, double top) {
        out_ += svg::text(left, top + 13, "start", panel.title, "font-weight='bold'");
        const double field = left + names_;
        const double first = top + kTitle + kKeyLine;
        out_ += svg::text(field - 8, first - 5, "end", map_.row_key, "font-style='italic'");
        const std::string before = panel.title.empty() ? "" : panel.title + ", ";
        for (std::size_t r = 0; r < map_.rows.size(); ++r) {
            const double y = first + kCell * static_cast<double>(r);
            out_ += svg::text(field - 8, y + kCell / 2 + 3, "end", map_.rows[r]);
            for (std::size_t c = 0; c < map_.columns.size(); ++c) {
                const auto& value = panel.values[r][c];
                if (!value) continue;
                cell(field + width_ * static_cast<double>(c), y, width_ - 2, *value,
                     fmt::format("{}{}={}, {}={}: {}", before, map_.row_key, map_.rows[r],
                                 map_.column_key, map_.columns[c], number_cell(value, 2)),
                     true);
            }
        }
        const double below = first + kCell * static_cast<double>(map_.rows.size());
        double widest = 1;
        for (const std::string& column : map_.columns)
            widest = std::max(widest, svg::text_width(column) + 6);
        const auto every = static_cast<std::size_t>(std::ceil(widest / width_));
        for (std::size_t c = 0; c < map_.columns.size(); c += every) {
            out_ += svg::text(field + width_ * (static_cast<double>(c) + 0.5), below + 13, "middle",
                              map_.columns[c]);
        }
        const double half = svg::text_width(map_.column_key) / 2;
        const double middle = field + width_ * static_cast<double>(map_.columns.size()) / 2;
        out_ += svg::text(std::clamp(middle, half + 2, svg::kWidth - half - 2),
                          below + 13 + kKeyLine, "middle", map_.column_key, "font-style='italic'");
    }

    /// Draws the scale of colours from the smallest number, or zero, to the largest.
    void scale(double top) {
        const std::string least = number_cell(low_) + " " + map_.unit;
        double x = svg::text_width(least) + 8;
        out_ += svg::text(x - 8, top + kCell / 2 + 3, "end", least);
        for (double step = 0; step < kScaleSteps; ++step, x += 24) {
            const double value = low_ + (high_ - low_) * step / (kScaleSteps - 1);
            cell(x, top, 22, value, "", false);
        }
        out_ +=
            svg::text(x + 6, top + kCell / 2 + 3, "start", number_cell(high_) + " " + map_.unit);
    }

    const HeatMap& map_;
    double names_ = 0;    ///< width of the names of rows
    double width_ = 0;    ///< of a cell with the gap to the next
    double panel_ = 0;    ///< width of a panel
    double largest_ = 0;  ///< distance from zero
    double low_ = 0, high_ = 0;
    std::size_t across_ = 1;
    std::string out_;
};

}  // namespace

std::string HeatMap::svg() const {
    const bool any = std::any_of(panels.begin(), panels.end(), [](const HeatPanel& panel) {
        return std::any_of(panel.values.begin(), panel.values.end(), [](const auto& row) {
            return std::any_of(row.begin(), row.end(), [](const auto& v) { return v.has_value(); });
        });
    });
    return any ? HeatDrawing(*this).svg() : "";
}

}  // namespace tessera

#include "sc_models/chart/layer_chart.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <set>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

constexpr double kLeft = 64, kRight = svg::kWidth - 24;
constexpr double kTitle = 22;  ///< height of a panel's title
constexpr double kField = 120, kApart = 16;
constexpr double kReach = 30;  ///< largest distance of a name from the end of its column

/// The drawing of one LayerColumns.
class LayerDrawing {
public:
    explicit LayerDrawing(const LayerColumns& chart)
        : chart_(chart),
          axis_(0, highest(chart)),
          column_((kRight - kLeft) /
                  static_cast<double>(std::max<std::size_t>(1, chart.names.size()))) {}

    std::string svg() {
        double top = 16;
        out_ += svg::text(4, 12, "start", chart_.unit);
        for (const LayerPanel& panel : chart_.panels) {
            panel_top_ = top + kTitle;
            draw(panel);
            top = panel_top_ + kField + kApart;
        }
        numbers(top + 2);
        double below = top + 20;
        out_ += legend(below);
        return svg::open(below) + out_ + "</svg>\n";
    }

private:
    static double highest(const LayerColumns& chart) {
        double highest = chart.top.value_or(0);
        for (const LayerPanel& panel : chart.panels) {
            for (std::size_t i = 0; i < panel.values.size(); ++i) {
                const double half = panel.half_widths.empty() ? 0 : panel.half_widths[i];
                highest = std::max(highest, panel.values[i].value_or(0) + half);
                if (!panel.marks.empty()) highest = std::max(highest, panel.marks[i].value_or(0));
            }
        }
        return chart.top.value_or(highest);
    }
    [[nodiscard]] double bottom() const { return panel_top_ + kField; }
    [[nodiscard]] double x(std::size_t layer) const {
        return kLeft + column_ * static_cast<double>(layer);
    }
    [[nodiscard]] double y(double value) const { return bottom() - axis_.share(value) * kField; }

    void draw(const LayerPanel& panel) {
        out_ += svg::text(kLeft, panel_top_ - 8, "start", panel.title, "font-weight='bold'");
        for (const double tick : axis_.ticks()) {
            out_ += svg::grid_line(kLeft, y(tick), kRight, y(tick), tick == 0);
            out_ += svg::text(kLeft - 6, y(tick) + 4, "end", axis_.label(tick));
        }
        const double gap = std::min(2.0, column_ / 5);
        std::string over;
        for (std::size_t i = 0; i < panel.values.size(); ++i) {
            if (!panel.values[i]) continue;
            const double value = *panel.values[i];
            out_ += svg::rectangle(x(i) + gap / 2, y(value), column_ - gap, bottom() - y(value),
                                   chart_.colours[chart_.kinds[i]], tip(panel, i));
            const double half = panel.half_widths.empty() ? 0 : panel.half_widths[i];
            if (half > 0 && column_ >= kWideEnough) {
                over += svg::interval(x(i) + column_ / 2, y(value + half),
                                      y(std::max(0.0, value - half)), std::min(4.0, column_ / 4));
            }
            if (!panel.marks.empty() && panel.marks[i]) {
                const double at = y(*panel.marks[i]);
                over += svg::line(x(i), at, x(i) + column_, at, "#333",
                                  "class='zero' stroke-width='1.5'");
            }
        }
        out_ += over;
        names(panel);
    }
    std::string tip(const LayerPanel& panel, std::size_t i) const {
        std::string text =
            fmt::format("{} {}: {}", i + 1, chart_.names[i], number_cell(panel.values[i], 2));
        const double half = panel.half_widths.empty() ? 0 : panel.half_widths[i];
        if (half > 0) text += " ± " + number_cell(half, 2);
        if (!panel.marks.empty() && panel.marks[i]) {
            text += fmt::format(", {} {}", chart_.mark_name, number_cell(panel.marks[i], 2));
        }
        return text;
    }

    /// Draws the names of the largest values in their columns.
    void names(const LayerPanel& panel) {
        std::vector<std::size_t> order(panel.values.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&panel](std::size_t a, std::size_t b) {
            return panel.values[a].value_or(0) > panel.values[b].value_or(0);
        });
        order.resize(std::min(order.size(), chart_.named));
        svg::Labels labels(panel_top_ - 4, bottom() - 2);
        for (const std::size_t i : order) {
            if (panel.values[i].value_or(0) <= 0) continue;
            const double half = svg::text_width(chart_.names[i]) / 2;
            const double centre =
                std::clamp(x(i) + column_ / 2, kLeft + half + 2, kRight - half - 2);
            // Above the column, or inside it where there is no room.
            const double wished = std::max(y(*panel.values[i]) - 4, panel_top_ + 8);
            out_ += labels.place(centre, wished, chart_.names[i], "", kReach);
        }
    }

    /// Draws the numbers of all layers, or of every second, fifth, tenth and so on.
    void numbers(double at) {
        const std::size_t layers = chart_.names.size();
        const double widest = svg::text_width(std::to_string(layers)) + 6;
        std::size_t every = 1;
        for (std::size_t decade = 1; column_ * static_cast<double>(every) < widest; decade *= 10) {
            for (const std::size_t factor : {1U, 2U, 5U}) {
                every = factor * decade;
                if (column_ * static_cast<double>(every) >= widest) break;
            }
        }
        for (std::size_t i = every - 1; i < layers; i += every) {
            out_ += svg::text(x(i) + column_ / 2, at, "middle", std::to_string(i + 1));
        }
    }

    std::string legend(double& below) const {
        const std::set<std::size_t> used(chart_.kinds.begin(), chart_.kinds.end());
        std::vector<svg::LegendEntry> entries;
        for (const std::size_t kind : used) {
            if (kind >= chart_.legend.size()) continue;
            entries.push_back({chart_.legend[kind], svg::square_sign(chart_.colours[kind])});
        }
        const bool marked = std::any_of(chart_.panels.begin(), chart_.panels.end(),
                                        [](const LayerPanel& p) { return !p.marks.empty(); });
        if (marked) {
            entries.push_back({chart_.mark_name,
                               svg::line(-6, 0, 6, 0, "#333", "class='zero' stroke-width='1.5'")});
        }
        return entries.empty() ? std::string() : svg::legend(entries, kLeft, below);
    }

    static constexpr double kWideEnough = 8;  ///< minimum width of columns with intervals

    const LayerColumns& chart_;
    svg::Axis axis_;
    double column_;
    double panel_top_ = 0;
    std::string out_;
};

}  // namespace

std::string LayerColumns::svg() const {
    const bool any = std::any_of(panels.begin(), panels.end(), [](const LayerPanel& panel) {
        return std::any_of(panel.values.begin(), panel.values.end(),
                           [](const std::optional<double>& value) { return value.has_value(); });
    });
    return any ? LayerDrawing(*this).svg() : "";
}

}  // namespace tessera

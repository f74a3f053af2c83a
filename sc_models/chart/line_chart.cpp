#include "sc_models/chart/line_chart.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

constexpr double kLeft = 56, kRight = svg::kWidth - 30, kTop = 36, kField = 340;
/// Distance between the field's edges and the ends of its axis, with room for the first points'
/// numbers.
constexpr double kInset = 26;
constexpr double kBottom = kTop + kField;

/// The drawing of one LineChart.
class LineDrawing {
public:
    explicit LineDrawing(const LineChart& chart)
        : chart_(chart),
          x_(extent(chart, false)),
          y_(extent(chart, true)),
          labels_(kTop - 22, kBottom - 2) {}

    std::string svg() {
        for (const double tick : x_.ticks()) {
            out_ += svg::grid_line(x(tick), kTop, x(tick), kBottom, tick == 0);
            out_ += svg::text(x(tick), kBottom + 16, "middle", x_.label(tick));
        }
        for (const double tick : y_.ticks()) {
            out_ += svg::grid_line(kLeft, y(tick), kRight, y(tick), tick == y_.low());
            out_ += svg::text(kLeft - 6, y(tick) + 4, "end", y_.label(tick));
        }
        out_ += svg::text(4, 12, "start", chart_.y_unit);
        out_ += svg::text((kLeft + kRight) / 2, kBottom + 34, "middle", chart_.x_unit);
        if (chart_.reference) {
            const double at = y(chart_.reference->first);
            out_ += svg::line(kLeft, at, kRight, at, "#666", "class='zero' stroke-dasharray='2 4'");
        }
        for (const LineSeries& series : chart_.series) draw(series);
        for (const LineSeries& series : chart_.series) marks(series);
        for (const LineSeries& series : chart_.series) numbers(series);
        if (chart_.reference) {
            const auto& [value, name] = *chart_.reference;
            out_ += labels_.place(kRight - svg::text_width(name) / 2 - 4, y(value) - 5, name);
        }
        double below = kBottom + 48;
        out_ += svg::legend(legend(), kLeft, below);
        return svg::open(below) + out_ + "</svg>\n";
    }

private:
    [[nodiscard]] bool is_drawn(const CurvePoint& point) const {
        return !chart_.is_logarithmic || point.y > 0;
    }
    static svg::Axis extent(const LineChart& chart, bool vertical) {
        double low = std::numeric_limits<double>::max();
        double high = std::numeric_limits<double>::lowest();
        const auto include = [&](double value) {
            if (vertical && chart.is_logarithmic && value <= 0) return;
            low = std::min(low, value);
            high = std::max(high, value);
        };
        for (const LineSeries& series : chart.series) {
            for (const auto* points : {&series.points, &series.stated}) {
                for (const CurvePoint& point : *points) include(vertical ? point.y : point.x);
            }
        }
        if (vertical && chart.reference) include(chart.reference->first);
        if (low > high) low = high = 1;
        return {low, high, vertical && chart.is_logarithmic};
    }
    [[nodiscard]] double x(double value) const {
        return kLeft + kInset + x_.share(value) * (kRight - kLeft - 2 * kInset);
    }
    [[nodiscard]] double y(double value) const { return kBottom - y_.share(value) * kField; }

    static std::string dashes(const LineSeries& series) {
        return series.is_dashed ? "stroke-dasharray='6 4'" : "";
    }
    void draw(const LineSeries& series) {
        std::string path;
        std::string dots;
        for (const CurvePoint& point : series.points) {
            if (!is_drawn(point)) continue;
            path +=
                fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.x), y(point.y));
            dots += fmt::format(
                "<circle cx='{:.1f}' cy='{:.1f}' r='3.5' fill='{}'><title>{}</title></circle>\n",
                x(point.x), y(point.y), series.colour,
                markup_escaped(fmt::format("{}, at {}: {}", series.name, number_cell(point.x),
                                           number_cell(point.y, 2))));
        }
        if (path.empty()) return;
        out_ += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='2' {}/>\n{}", path,
                            series.colour, dashes(series), dots);
    }
    void marks(const LineSeries& series) {
        for (const CurvePoint& point : series.stated) {
            if (!is_drawn(point)) continue;
            out_ += svg::paper_mark(x(point.x), y(point.y),
                                    fmt::format("paper, {}, at {}: {}", series.name,
                                                number_cell(point.x), number_cell(point.y, 2)),
                                    series.colour);
            labels_.keep_clear(x(point.x) - 7, y(point.y) - 7, x(point.x) + 7, y(point.y) + 7);
        }
    }
    void numbers(const LineSeries& series) {
        for (const CurvePoint& point : series.stated) {
            if (!is_drawn(point)) continue;
            const std::string number = number_cell(point.y, point.y < 10 ? 2 : 1);
            const double half = svg::text_width(number) / 2;
            out_ += labels_.place(std::min(x(point.x), svg::kWidth - half - 2), y(point.y) - 11,
                                  number, fmt::format("style='fill:{}'", svg::kPaperColour));
        }
    }
    [[nodiscard]] std::vector<svg::LegendEntry> legend() const {
        std::vector<svg::LegendEntry> entries;
        bool any_paper = false;
        for (const LineSeries& series : chart_.series) {
            any_paper = any_paper || !series.stated.empty();
            const std::string sign =
                series.points.empty()
                    ? svg::paper_mark(0, 0, "stated by the paper", series.colour)
                    : svg::line(-8, 0, 8, 0, series.colour, "stroke-width='2' " + dashes(series));
            entries.push_back({series.name, sign});
        }
        if (any_paper) entries.push_back({"stated by the paper", svg::mark_sign()});
        return entries;
    }

    const LineChart& chart_;
    svg::Axis x_, y_;
    svg::Labels labels_;
    std::string out_;
};

}  // namespace

std::string LineChart::svg() const {
    const bool any = std::any_of(series.begin(), series.end(), [](const LineSeries& one) {
        return !one.points.empty() || !one.stated.empty();
    });
    return any ? LineDrawing(*this).svg() : "";
}

}  // namespace tessera

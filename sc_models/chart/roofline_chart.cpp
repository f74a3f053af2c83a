#include "sc_models/chart/roofline_chart.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

constexpr double kTop = 40, kField = 340, kBottom = kTop + kField;
constexpr double kLeft = 66;   ///< left margin of a field in its half of the chart
constexpr double kRight = 14;  ///< right margin
/// Largest distance of a label from its point.
constexpr double kReach = 10;
constexpr double kFarReach = 60;                  ///< for labels that do not overlap their points
constexpr double kLargest = 13, kSmallest = 2.5;  ///< radii of points

/// Powers of ten that enclose a set of numbers.
struct Decades {
    int first = 0, last = 1;

    void include(double value) {
        const int below = static_cast<int>(std::floor(std::log10(value)));
        const int above = static_cast<int>(std::ceil(std::log10(value)));
        first = is_empty_ ? below : std::min(first, below);
        last = std::max(is_empty_ ? below + 1 : last, above);
        is_empty_ = false;
    }
    [[nodiscard]] double share(double value) const {
        return (std::log10(value) - first) / static_cast<double>(last - first);
    }

private:
    bool is_empty_ = true;
};

/// The field of one memory.
class Field {
public:
    Field(const RooflineChart& chart, std::size_t memory, double left, double right)
        : chart_(chart),
          memory_(memory),
          left_(left + kLeft),
          right_(right - kRight),
          labels_(kTop + 2, kBottom - 2) {
        // The field must include the roof's corner.
        y_.include(chart.flop_per_second);
        x_.include(chart.flop_per_second / bandwidth());
        for (const RooflinePoint& point : chart.points) {
            if (!is_drawn(point)) continue;
            x_.include(intensity(point));
            y_.include(point.flop / point.seconds);
        }
    }

    std::string svg() {
        const RooflineMemory& memory = chart_.memories[memory_];
        out_ += svg::text(left_, kTop - 26, "start",
                          fmt::format("{}: {}", memory.name, rate_cell(bandwidth(), "B/s")),
                          "font-weight='bold'");
        out_ += svg::text(left_, kTop - 10, "start", "FLOP/s");
        for (int power = x_.first; power <= x_.last; ++power) {
            const double at = x(std::pow(10.0, power));
            out_ += svg::grid_line(at, kTop, at, kBottom, power == x_.first);
            out_ += svg::text(at, kBottom + 16, "middle",
                              number_cell(std::pow(10.0, power), std::max(0, -power)));
        }
        for (int power = y_.first; power <= y_.last; ++power) {
            const double at = y(std::pow(10.0, power));
            out_ += svg::grid_line(left_, at, right_, at, power == y_.first);
            out_ += svg::text(left_ - 6, at + 4, "end", rate_cell(std::pow(10.0, power), ""));
        }
        out_ += svg::text((left_ + right_) / 2, kBottom + 34, "middle",
                          fmt::format("FLOP for a byte of {}", memory.name));
        roof();
        points();
        return out_;
    }

private:
    [[nodiscard]] double bandwidth() const { return chart_.memories[memory_].bytes_per_second; }
    [[nodiscard]] bool is_drawn(const RooflinePoint& point) const {
        return point.flop > 0 && point.seconds > 0 && point.bytes[memory_] > 0;
    }
    [[nodiscard]] double intensity(const RooflinePoint& point) const {
        return point.flop / point.bytes[memory_];
    }
    [[nodiscard]] double x(double value) const {
        return left_ + x_.share(value) * (right_ - left_);
    }
    [[nodiscard]] double y(double value) const { return kBottom - y_.share(value) * kField; }

    void roof() {
        const double corner = chart_.flop_per_second / bandwidth();
        // The slope enters the field here.
        const double begin =
            std::max(std::pow(10.0, x_.first), std::pow(10.0, y_.first) / bandwidth());
        out_ += fmt::format(
            "<path d='M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}' fill='none' stroke='#666' class='zero' "
            "stroke-width='2'/>\n",
            x(begin), y(begin * bandwidth()), x(corner), y(chart_.flop_per_second), right_);
    }

    static double radius_of(const RooflinePoint& point, double most) {
        return kSmallest + (kLargest - kSmallest) * std::sqrt(most > 0 ? point.weight / most : 0);
    }

    /// Draws large points first, so that small ones stay visible.
    void points() {
        double most = 0;
        for (const RooflinePoint& point : chart_.points) most = std::max(most, point.weight);
        std::vector<std::size_t> order(chart_.points.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return chart_.points[a].weight > chart_.points[b].weight;
        });
        for (const std::size_t i : order) {
            const RooflinePoint& point = chart_.points[i];
            if (!is_drawn(point)) continue;
            const double radius = radius_of(point, most);
            out_ += fmt::format(
                "<circle cx='{:.1f}' cy='{:.1f}' r='{:.1f}' fill='{}' fill-opacity='0.6' "
                "stroke='{}'><title>{}</title></circle>\n",
                x(intensity(point)), y(point.flop / point.seconds), radius, point.colour,
                point.colour,
                markup_escaped(fmt::format("{}: {}, {} FLOP a byte", point.name,
                                           rate_cell(point.flop / point.seconds, "FLOP/s"),
                                           number_cell(intensity(point)))));
        }
        for (std::size_t i = 0; i < std::min(order.size(), chart_.labelled); ++i) {
            const RooflinePoint& point = chart_.points[order[i]];
            if (!is_drawn(point)) continue;
            const double half = svg::text_width(point.label) / 2;
            const double middle = y(point.flop / point.seconds);
            if (chart_.labels_beside) {
                const double radius = radius_of(point, most);
                const double at = x(intensity(point));
                labels_.keep_clear(at - radius, middle - radius, at + radius, middle + radius);
            }
            out_ += labels_.place(
                std::clamp(x(intensity(point)), left_ + half + 2, right_ - half - 2), middle + 4,
                point.label, "", chart_.labels_beside ? kFarReach : kReach);
        }
    }

    const RooflineChart& chart_;
    std::size_t memory_;
    double left_, right_;
    Decades x_, y_;
    svg::Labels labels_;
    std::string out_;
};

}  // namespace

std::string rate_cell(double per_second, const std::string& unit) {
    constexpr std::array<std::pair<double, const char*>, 5> kPrefixes = {
        {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const auto& [scale, prefix] : kPrefixes) {
        // A power of ten may be rounded slightly down.
        if (per_second < scale * (1 - 1e-9)) continue;
        return fmt::format("{:.3g} {}{}", per_second / scale, prefix, unit);
    }
    return fmt::format("{:.3g}{}{}", per_second, unit.empty() ? "" : " ", unit);
}

std::string RooflineChart::svg() const {
    if (points.empty() || memories.empty()) return "";
    std::string out;
    const double width = svg::kWidth / static_cast<double>(memories.size());
    for (std::size_t i = 0; i < memories.size(); ++i) {
        const double left = width * static_cast<double>(i);
        out += Field(*this, i, left, left + width).svg();
    }
    return svg::open(kBottom + 44) + out + "</svg>\n";
}

}  // namespace tessera

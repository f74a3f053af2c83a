#include "sc_models/report/svg_chart.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

constexpr double kWidth = 1120;
constexpr double kHeight = 300;
constexpr const char* kPaperColour = "#b2182b";

/// Round numbers on an axis that holds [low, high].
struct Axis {
    double low, high, step;

    Axis(double smallest, double largest)
        : low(std::min(0.0, smallest)), high(std::max(0.0, largest)) {
        if (low == high) high = 1;
        const double raw = (high - low) / 5;
        const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
        step = magnitude;
        for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
            step = factor * magnitude;
            if (step >= raw) break;
        }
        low = std::floor(low / step) * step;
        high = std::ceil(high / step) * step;
    }
    [[nodiscard]] std::vector<double> ticks() const {
        std::vector<double> found;
        const auto count = static_cast<int>(std::lround((high - low) / step));
        for (int i = 0; i <= count; ++i) found.push_back(low + i * step);
        return found;
    }
    [[nodiscard]] std::string label(double tick) const {
        return number_cell(tick, step < 1 ? 1 : 0);
    }
};

std::string text(double x, double y, const char* anchor, std::string_view content,
                 std::string_view more = "") {
    return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}' {}>{}</text>\n", x, y, anchor,
                       more, markup_escaped(content));
}

std::string rectangle(double x, double y, double width, double height, std::string_view colour,
                      std::string_view tip) {
    return fmt::format(
        "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'>"
        "<title>{}</title></rect>\n",
        x, y, width, height, colour, markup_escaped(tip));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view colour) {
    return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}'/>\n", x1,
                       y1, x2, y2, colour);
}

std::string open_svg(double height) {
    return fmt::format(
        "<svg viewBox='0 0 {:.0f} {:.0f}' width='100%' role='img' font-family='inherit' "
        "font-size='12' fill='#333'>\n",
        kWidth, height);
}

std::string network_of(const std::string& group) {
    return group.substr(0, group.find('.'));
}

/// The drawing of one BarChart.
class BarDrawing {
public:
    explicit BarDrawing(const BarChart& chart) : chart_(chart), axis_(extent(chart)) {
        const double means = kMeanWidth * static_cast<double>(chart.series.size()) + kGap;
        std::size_t networks = 1;
        for (std::size_t i = 1; i < chart.groups.size(); ++i) networks += starts_network(i) ? 1 : 0;
        const double room = kRight - kLeft - means - kGap * static_cast<double>(networks);
        group_width_ =
            std::min(kWidestGroup,
                     room / static_cast<double>(std::max<std::size_t>(1, chart.groups.size())));
    }

    std::string svg() {
        out_ = open_svg(kHeight);
        for (const double tick : axis_.ticks()) {
            out_ += line(kLeft, y(tick), kRight, y(tick), tick == 0 ? "#666" : "#e3e3e3");
            out_ += text(kLeft - 6, y(tick) + 4, "end", axis_.label(tick));
        }
        out_ += text(kLeft - 6, kTop - 10, "end", chart_.unit);
        groups();
        means();
        legend();
        return out_ + "</svg>\n";
    }

private:
    static constexpr double kLeft = 46, kRight = kWidth - 8, kTop = 26, kBottom = kHeight - 66;
    static constexpr double kGap = 14, kMeanWidth = 44, kWidestGroup = 110;

    static Axis extent(const BarChart& chart) {
        double low = 0;
        double high = 0;
        const auto include = [&](const std::optional<double>& value) {
            if (!value) return;
            low = std::min(low, *value);
            high = std::max(high, *value);
        };
        for (const BarSeries& series : chart.series) {
            for (const auto& value : series.values) include(value);
            include(series.mean);
            include(series.paper);
        }
        return {low, high};
    }
    [[nodiscard]] double y(double value) const {
        return kBottom - (value - axis_.low) / (axis_.high - axis_.low) * (kBottom - kTop);
    }
    [[nodiscard]] bool starts_network(std::size_t group) const {
        return group == 0 ||
               network_of(chart_.groups[group]) != network_of(chart_.groups[group - 1]);
    }
    void bar(double x, double width, double value, const BarSeries& series,
             const std::string& what) {
        const double top = std::min(y(value), y(0));
        out_ += rectangle(x, top, width, std::abs(y(value) - y(0)), series.colour,
                          fmt::format("{}, {}: {}", what, series.name, number_cell(value, 2)));
    }

    void groups() {
        double network_begin = x_;
        const double width = 0.86 * group_width_ /
                             static_cast<double>(std::max<std::size_t>(1, chart_.series.size()));
        for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
            const std::string& group = chart_.groups[g];
            if (starts_network(g)) network_begin = x_;
            for (std::size_t s = 0; s < chart_.series.size(); ++s) {
                const BarSeries& series = chart_.series[s];
                if (!series.values[g]) continue;
                bar(x_ + (0.07 * group_width_) + width * static_cast<double>(s), width,
                    *series.values[g], series, group);
            }
            const std::size_t dot = group.find('.');
            const bool has_network = dot != std::string::npos;
            out_ += text(x_ + group_width_ / 2, kBottom + 16, "middle",
                         has_network ? group.substr(dot + 1) : group);
            x_ += group_width_;
            if (g + 1 == chart_.groups.size() || starts_network(g + 1)) {
                if (has_network) {
                    out_ += text((network_begin + x_) / 2, kBottom + 32, "middle",
                                 network_of(group), "font-weight='bold'");
                }
                x_ += kGap;
            }
        }
    }

    void means() {
        out_ += line(x_ - kGap / 2, kTop, x_ - kGap / 2, kBottom, "#999");
        const double begin = x_;
        for (const BarSeries& series : chart_.series) {
            const double centre = x_ + kMeanWidth / 2;
            if (series.mean) {
                bar(x_ + 3, kMeanWidth - 6, *series.mean, series, "mean");
                // A number goes where neither the bar's end nor the paper's mark is.
                const double top = std::min(y(*series.mean), y(0));
                const bool crowded = series.paper && std::abs(y(*series.paper) - top + 6) < 14;
                const double place = crowded ? std::max(top, y(*series.paper)) + 18 : top - 4;
                const std::string style = fmt::format(
                    "font-weight='bold' paint-order='stroke' stroke='#fff' stroke-width='3'");
                out_ += text(centre, place, "middle", number_cell(series.mean), style);
            }
            if (series.paper) {
                const double at = y(*series.paper);
                out_ += fmt::format(
                    "<path d='M{0:.1f} {1:.1f}l6 6l-6 6l-6-6z' fill='#fff' stroke='{2}' "
                    "stroke-width='1.8'><title>paper: {3}</title></path>\n",
                    centre, at - 6, kPaperColour, number_cell(series.paper));
                out_ += text(centre, at - 10, "middle", number_cell(series.paper),
                             fmt::format("style='fill:{}' paint-order='stroke' stroke='#fff' "
                                         "stroke-width='3'",
                                         kPaperColour));
            }
            x_ += kMeanWidth;
        }
        out_ += text((begin + x_) / 2, kBottom + 16, "middle", "mean", "font-weight='bold'");
    }

    void legend() {
        double x = kLeft;
        bool any_paper = false;
        for (const BarSeries& series : chart_.series) {
            out_ += rectangle(x, kHeight - 16, 12, 12, series.colour, series.name);
            out_ += text(x + 17, kHeight - 6, "start", series.name);
            x += 40 + 7.2 * static_cast<double>(series.name.size());
            any_paper = any_paper || series.paper.has_value();
        }
        if (!any_paper) return;
        out_ += fmt::format(
            "<path d='M{:.1f} {:.1f}l6 6l-6 6l-6-6z' fill='#fff' stroke='{}' "
            "stroke-width='1.8'/>\n",
            x + 6, kHeight - 16, kPaperColour);
        out_ += text(x + 17, kHeight - 6, "start", "stated by the paper");
    }

    const BarChart& chart_;
    Axis axis_;
    double group_width_ = 0;
    double x_ = kLeft + kGap / 2;
    std::string out_;
};

}  // namespace

std::string markup_escaped(std::string_view content) {
    std::string escaped;
    for (const char c : content) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

std::string standalone(const std::string& svg) {
    constexpr std::string_view kOpen = "<svg ";
    return fmt::format("{}xmlns='http://www.w3.org/2000/svg' {}", kOpen, svg.substr(kOpen.size()));
}

std::string BarChart::svg() const {
    return BarDrawing(*this).svg();
}

std::string StackedChart::svg() const {
    constexpr double kRow = 24;
    constexpr double kBar = 16;
    constexpr double kTop = 8;
    constexpr double kRight = kWidth - 60;
    constexpr double kLegendLeft = 24;
    double low = 0;
    double high = 0;
    std::size_t longest = 0;
    for (const StackedBar& bar : bars) {
        double sum = 0;
        for (const double part : bar.parts) sum += part;
        low = std::min(low, sum);
        high = std::max(high, sum);
        longest = std::max(longest, bar.name.size());
    }
    const Axis axis(low, high);
    const double left = 24 + 7.2 * static_cast<double>(longest);
    const double bottom = kTop + kRow * static_cast<double>(bars.size());
    const auto x = [&](double value) {
        return left + (value - axis.low) / (axis.high - axis.low) * (kRight - left);
    };
    std::string out;
    for (const double tick : axis.ticks()) {
        out += line(x(tick), kTop, x(tick), bottom, tick == 0 ? "#666" : "#e3e3e3");
        out += text(x(tick), bottom + 16, "middle", axis.label(tick) + " " + unit);
    }
    double y = kTop + (kRow - kBar) / 2;
    for (const StackedBar& bar : bars) {
        out += text(left - 8, y + kBar - 4, "end", bar.name);
        double at = 0;
        for (std::size_t i = 0; i < bar.parts.size(); ++i) {
            const double end = at + bar.parts[i];
            const std::string what = legend.empty() ? bar.name : bar.name + ", " + legend[i];
            out += rectangle(std::min(x(at), x(end)), y, std::abs(x(end) - x(at)), kBar, colours[i],
                             fmt::format("{}: {}", what, number_cell(bar.parts[i], 2)));
            at = end;
        }
        const bool right = at >= 0;
        out +=
            text(x(at) + (right ? 6 : -6), y + kBar - 4, right ? "start" : "end", number_cell(at));
        y += kRow;
    }
    double place = kLegendLeft;
    double row = bottom + 34;
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const double width = 34 + 6.6 * static_cast<double>(legend[i].size());
        if (place + width > kWidth && place > kLegendLeft) {
            place = kLegendLeft;
            row += 20;
        }
        out += rectangle(place, row, 12, 12, colours[i], legend[i]);
        out += text(place + 17, row + 10, "start", legend[i]);
        place += width;
    }
    return open_svg(legend.empty() ? bottom + 26 : row + 20) + out + "</svg>\n";
}

std::string TornadoChart::svg() const {
    constexpr double kRow = 22;
    constexpr double kBar = 14;
    constexpr double kTop = 22;
    constexpr double kRight = kWidth - 60;
    double low = std::min(from, paper.value_or(from));
    double high = std::max(from, paper.value_or(from));
    std::size_t longest = 0;
    for (const TornadoBar& bar : bars) {
        low = std::min(low, bar.value);
        high = std::max(high, bar.value);
        longest = std::max(longest, bar.name.size());
    }
    const Axis axis(low, high);
    const double left = 24 + 7.2 * static_cast<double>(longest);
    const double bottom = kTop + kRow * static_cast<double>(bars.size());
    const auto x = [&](double value) {
        return left + (value - axis.low) / (axis.high - axis.low) * (kRight - left);
    };
    std::string out;
    for (const double tick : axis.ticks()) {
        out += line(x(tick), kTop, x(tick), bottom, "#e3e3e3");
        out += text(x(tick), bottom + 16, "middle", axis.label(tick) + " " + unit);
    }
    double y = kTop + (kRow - kBar) / 2;
    for (const TornadoBar& bar : bars) {
        out += text(left - 8, y + kBar - 3, "end", bar.name);
        out += rectangle(std::min(x(from), x(bar.value)), y, std::abs(x(bar.value) - x(from)), kBar,
                         bar.colour, fmt::format("{}: {}", bar.name, number_cell(bar.value, 2)));
        const bool right = bar.value >= from;
        out += text(x(bar.value) + (right ? 6 : -6), y + kBar - 3, right ? "start" : "end",
                    number_cell(bar.value));
        y += kRow;
    }
    out += line(x(from), kTop, x(from), bottom, "#333");
    out += text(x(from), kTop - 8, "middle", "shipped " + number_cell(from));
    if (paper) {
        out += line(x(*paper), kTop, x(*paper), bottom, kPaperColour);
        out += text(x(*paper), bottom + 32, "middle", "paper " + number_cell(paper),
                    fmt::format("fill='{}'", kPaperColour));
    }
    return open_svg(bottom + 40) + out + "</svg>\n";
}

}  // namespace tessera

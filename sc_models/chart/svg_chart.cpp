#include "sc_models/chart/svg_chart.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

using svg::kPaperColour;

/// Left edge of a chart's field, with room for the names beside it.
double left_of_field(double longest_name) {
    return 24 + longest_name;
}

/// Draws ticks and unit below a field, as many as fit, and the grid lines.
std::string horizontal_axis(const svg::Axis& axis, const std::string& unit, double left,
                            double right, double top, double bottom) {
    double widest = 0;
    for (const double tick : axis.ticks()) {
        widest = std::max(widest, svg::text_width(axis.label(tick) + " " + unit) + 6);
    }
    const double apart = (right - left) / static_cast<double>(axis.ticks().size() - 1);
    const auto every = static_cast<std::size_t>(std::ceil(widest / apart));
    std::string out;
    for (std::size_t i = 0; i < axis.ticks().size(); ++i) {
        const double tick = axis.ticks()[i];
        const double x = left + axis.share(tick) * (right - left);
        out += svg::grid_line(x, top, x, bottom, tick == 0);
        if (i % every == 0) {
            out += svg::text(x, bottom + 16, "middle", axis.label(tick) + " " + unit);
        }
    }
    return out;
}

/// The drawing of one StackedChart.
class StackedDrawing {
public:
    explicit StackedDrawing(const StackedChart& chart) : chart_(chart), axis_(extent(chart)) {
        double longest = 0;
        double words = 0;
        for (const StackedBar& bar : chart.bars) {
            longest = std::max(longest, svg::text_width(bar.name));
            words = std::max(words, 16 + svg::text_width(number_of(bar) + paper_of(bar)));
        }
        left_ = left_of_field(longest);
        right_ = std::max(left_ + 100, svg::kWidth - 24 - words);
        // Bars left of zero have their numbers on that side.
        if (axis_.low() < 0) left_ = std::min(left_ + words, right_ - 100);
    }

    std::string svg() {
        const double bottom = kTop + kRow * static_cast<double>(chart_.bars.size());
        out_ = horizontal_axis(axis_, chart_.unit, left_, right_, kTop, bottom);
        double y = kTop;
        for (const StackedBar& bar : chart_.bars) {
            draw(bar, y);
            y += kRow;
        }
        double below = bottom + 30;
        std::vector<svg::LegendEntry> entries;
        for (std::size_t i = 0; i < chart_.legend.size(); ++i) {
            if (!is_used(i)) continue;
            entries.push_back({chart_.legend[i], svg::square_sign(chart_.colours[i])});
        }
        const bool any_paper = std::any_of(chart_.bars.begin(), chart_.bars.end(),
                                           [](const StackedBar& bar) { return bar.paper; });
        if (any_paper) entries.push_back({"stated by the paper", svg::mark_sign()});
        if (!entries.empty()) out_ += svg::legend(entries, 24, below);
        return svg::open(below) + out_ + "</svg>\n";
    }

private:
    static constexpr double kRow = 24, kBar = 16, kTop = 8;

    /// Whether a bar has a part of this legend entry that is not zero.
    [[nodiscard]] bool is_used(std::size_t entry) const {
        return std::any_of(chart_.bars.begin(), chart_.bars.end(), [entry](const StackedBar& bar) {
            return entry >= bar.first_part && entry - bar.first_part < bar.parts.size() &&
                   bar.parts[entry - bar.first_part] != 0;
        });
    }
    static double whole(const StackedBar& bar) {
        double sum = 0;
        for (const double part : bar.parts) sum += part;
        return sum;
    }
    static svg::Axis extent(const StackedChart& chart) {
        double low = 0;
        double high = chart.top.value_or(0);
        for (const StackedBar& bar : chart.bars) {
            const double half = bar.half_width.value_or(0);
            const double paper = bar.paper.value_or(0);
            low = std::min({low, whole(bar) - half, paper});
            high = std::max({high, whole(bar) + half, paper});
        }
        return {low, high};
    }
    static std::string number_of(const StackedBar& bar) {
        if (!bar.words.empty() || bar.parts.empty()) return bar.words;
        return number_cell(whole(bar));
    }
    static std::string paper_of(const StackedBar& bar) {
        if (!bar.paper) return "";
        return ", paper " + (bar.paper_words.empty() ? number_cell(bar.paper) : bar.paper_words);
    }
    [[nodiscard]] double x(double value) const {
        return left_ + axis_.share(value) * (right_ - left_);
    }

    void draw(const StackedBar& bar, double row) {
        const double top = row + (kRow - kBar) / 2;
        const double base = top + kBar - 4;
        const double middle = row + kRow / 2;
        out_ += svg::text(name_end(), base, "end", bar.name);
        double at = 0;
        for (std::size_t i = 0; i < bar.parts.size(); ++i) {
            const double end = at + bar.parts[i];
            const std::string what = chart_.legend.empty()
                                         ? bar.name
                                         : bar.name + ", " + chart_.legend[bar.first_part + i];
            out_ += svg::rectangle(std::min(x(at), x(end)), top, std::abs(x(end) - x(at)), kBar,
                                   chart_.colours[bar.first_part + i],
                                   fmt::format("{}: {}", what, number_cell(bar.parts[i], 2)));
            at = end;
        }
        const double half = bar.half_width.value_or(0);
        if (half > 0) {
            out_ += fmt::format(
                "<g transform='rotate(90 {0:.1f} {1:.1f})'>{2}</g>\n", x(at), middle,
                svg::interval(x(at), middle - (x(half) - x(0)), middle + (x(half) - x(0)), 4));
        }
        if (bar.paper) {
            out_ += svg::paper_mark(x(*bar.paper), middle, bar.name + paper_of(bar));
        }
        // Place the number beyond the outermost mark to avoid overlap.
        const bool right = at > 0 || (at == 0 && bar.paper.value_or(0) >= 0);
        const double paper = bar.paper.value_or(at);
        const double end = right ? std::max(at + half, paper) : std::min(at - half, paper);
        const double place = x(end) + (right ? 1 : -1) * (bar.paper ? 12 : 6);
        out_ += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}", place, base,
                            right ? "start" : "end", markup_escaped(number_of(bar)));
        if (bar.paper) {
            out_ += fmt::format("<tspan fill='{}' class='paper'>{}</tspan>", kPaperColour,
                                markup_escaped(paper_of(bar)));
        }
        out_ += "</text>\n";
    }
    [[nodiscard]] double name_end() const {
        double longest = 0;
        for (const StackedBar& bar : chart_.bars) {
            longest = std::max(longest, svg::text_width(bar.name));
        }
        return left_of_field(longest) - 8;
    }

    const StackedChart& chart_;
    svg::Axis axis_;
    double left_ = 0, right_ = 0;
    std::string out_;
};

}  // namespace

std::string StackedChart::svg() const {
    const bool any = std::any_of(bars.begin(), bars.end(), [](const StackedBar& bar) {
        return !bar.parts.empty() || bar.paper;
    });
    if (!any) return "";
    return StackedDrawing(*this).svg();
}

std::string TornadoChart::svg() const {
    if (bars.empty()) return "";
    constexpr double kRow = 22;
    constexpr double kBar = 14;
    constexpr double kTop = 22;
    constexpr double kRight = svg::kWidth - 60;
    double low = std::min(from, paper.value_or(from));
    double high = std::max(from, paper.value_or(from));
    double longest = 0;
    for (const TornadoBar& bar : bars) {
        low = std::min(low, bar.value);
        high = std::max(high, bar.value);
        longest = std::max(longest, svg::text_width(bar.name));
    }
    const svg::Axis axis(low, high);
    const double left = left_of_field(longest);
    const double bottom = kTop + kRow * static_cast<double>(bars.size());
    const auto x = [&](double value) { return left + axis.share(value) * (kRight - left); };
    std::string out = horizontal_axis(axis, unit, left, kRight, kTop, bottom);
    double y = kTop + (kRow - kBar) / 2;
    for (const TornadoBar& bar : bars) {
        out += svg::text(left - 8, y + kBar - 3, "end", bar.name);
        out += svg::rectangle(std::min(x(from), x(bar.value)), y, std::abs(x(bar.value) - x(from)),
                              kBar, bar.colour,
                              fmt::format("{}: {}", bar.name, number_cell(bar.value, 2)));
        const bool right = bar.value >= from;
        out += svg::text(x(bar.value) + (right ? 6 : -6), y + kBar - 3, right ? "start" : "end",
                         number_cell(bar.value));
        y += kRow;
    }
    out += svg::line(x(from), kTop, x(from), bottom, "#333", "class='zero'");
    out += svg::text(x(from), kTop - 8, "middle", "shipped " + number_cell(from));
    if (paper) {
        out += svg::line(x(*paper), kTop, x(*paper), bottom, kPaperColour);
        out += svg::text(x(*paper), bottom + 32, "middle", "paper " + number_cell(paper),
                         fmt::format("fill='{}'", kPaperColour));
    }
    return svg::open(bottom + 40) + out + "</svg>\n";
}

}  // namespace tessera

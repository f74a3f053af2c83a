#include "sc_models/chart/bar_chart.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

using svg::kLine;

constexpr double kLeft = 52, kRight = svg::kWidth - 8, kTop = 38, kField = 210;
constexpr double kBottom = kTop + kField;
constexpr double kGap = 14, kWidestGroup = 110;
/// Width of an upright label: the height of a line.
constexpr double kUpright = 13;

std::string network_of(const std::string& group) {
    return group.substr(0, group.find('.'));
}

std::string layer_of(const std::string& group) {
    const std::size_t dot = group.find('.');
    return dot == std::string::npos ? group : group.substr(dot + 1);
}

std::optional<double> at(const std::vector<std::optional<double>>& values, std::size_t i) {
    return i < values.size() ? values[i] : std::nullopt;
}

/// The drawing of one BarChart.
class BarDrawing {
public:
    explicit BarDrawing(const BarChart& chart)
        : chart_(chart), axis_(extent(chart)), labels_(kTop - 22, kBottom + 4) {
        for (const BarSeries& series : chart.series) {
            has_means_ = has_means_ || series.mean || series.paper || series.stated_range;
            for (const auto& number : {series.mean, series.paper}) {
                mean_width_ = std::max(mean_width_, svg::text_width(cell(number)) + 8);
            }
        }
        const double means =
            has_means_ ? mean_width_ * static_cast<double>(chart.series.size()) + kGap : 0;
        std::size_t networks = 1;
        for (std::size_t i = 1; i < chart.groups.size(); ++i) networks += starts_network(i) ? 1 : 0;
        const double room = kRight - kLeft - means - kGap * static_cast<double>(networks);
        const auto groups = static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
        group_width_ = std::min(kWidestGroup, room / groups);
    }

    std::string svg() {
        for (const double tick : axis_.ticks()) {
            out_ += svg::grid_line(kLeft, y(tick), kRight, y(tick), tick == 0);
            out_ += svg::text(kLeft - 6, y(tick) + 4, "end", axis_.label(tick));
        }
        if (chart_.reference) {
            out_ += svg::line(kLeft, y(*chart_.reference), kRight, y(*chart_.reference), "#666",
                              "class='zero' stroke-dasharray='5 3'");
        }
        out_ += svg::text(4, 12, "start", chart_.unit);
        groups();
        if (has_means_) means();
        below_ += 10;
        legend();
        return svg::open(below_) + out_ + marks_ + "</svg>\n";
    }

private:
    /// Axis range: covers all values and marks, and intervals up to half of that range beyond it,
    /// so that one very wide interval does not flatten all bars.
    static svg::Axis extent(const BarChart& chart) {
        double low = 0;
        double high = std::max(chart.reference.value_or(0), chart.top.value_or(0));
        double low_end = 0;
        double high_end = 0;
        const auto include = [&](const std::optional<double>& value,
                                 const std::optional<double>& half_width = {}) {
            if (!value) return;
            low = std::min(low, *value);
            high = std::max(high, *value);
            low_end = std::min(low_end, *value - half_width.value_or(0));
            high_end = std::max(high_end, *value + half_width.value_or(0));
        };
        for (const BarSeries& series : chart.series) {
            for (std::size_t i = 0; i < series.values.size(); ++i) {
                include(series.values[i], at(series.half_widths, i));
                include(at(series.stated, i));
            }
            include(series.mean, series.mean_half_width);
            include(series.paper);
            if (!series.stated_range) continue;
            include(series.stated_range->first);
            include(series.stated_range->second);
        }
        const double most = (high - low) / 2;
        return {std::max(std::min(low, low_end), low - most),
                std::min(std::max(high, high_end), high + most)};
    }
    [[nodiscard]] double y(double value) const { return kBottom - axis_.share(value) * kField; }
    [[nodiscard]] static double inside(double at) { return std::clamp(at, kTop, kBottom); }
    [[nodiscard]] std::string cell(const std::optional<double>& value) const {
        return number_cell(value, chart_.decimals);
    }
    [[nodiscard]] bool starts_network(std::size_t group) const {
        return group == 0 ||
               network_of(chart_.groups[group]) != network_of(chart_.groups[group - 1]);
    }

    void bar(double x, double width, double value, const std::optional<double>& half_width,
             const BarSeries& series, const std::string& what) {
        // A value of zero gets a bar of one pixel; a missing value gets none.
        const double height = std::max(1.0, std::abs(y(value) - y(0)));
        const double top = value >= 0 ? y(0) - height : y(0);
        const std::string more = half_width ? " +- " + number_cell(half_width, 2) : "";
        out_ += svg::rectangle(
            x, top, width, height, series.colour,
            fmt::format("{}, {}: {}{}", what, series.name, number_cell(value, 2), more));
        if (!half_width || *half_width <= 0) return;
        out_ += svg::interval(x + width / 2, inside(y(value + *half_width)),
                              inside(y(value - *half_width)), std::min(4.0, width / 2));
    }
    void mark(double x, double value, const std::string& tip) {
        marks_ += svg::paper_mark(x, y(value), tip);
        labels_.keep_clear(x - 7, y(value) - 7, x + 7, y(value) + 7);
    }
    void paper_number(double x, double wished, double value) {
        marks_ += labels_.place(x, wished, cell(value),
                                fmt::format("style='fill:{}'", svg::kPaperColour));
    }

    void groups() {
        const double all = 0.86 * group_width_;
        const double width =
            all / static_cast<double>(std::max<std::size_t>(1, chart_.series.size()));
        std::vector<std::pair<double, double>> stated;  // position, text
        std::vector<double> centres;
        std::vector<std::pair<std::string, double>> networks;
        double begin = x_;
        for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
            if (starts_network(g)) begin = x_;
            for (std::size_t s = 0; s < chart_.series.size(); ++s) {
                const BarSeries& series = chart_.series[s];
                const double left = x_ + 0.07 * group_width_ + width * static_cast<double>(s);
                if (const auto value = at(series.values, g)) {
                    bar(left, width, *value, at(series.half_widths, g), series, chart_.groups[g]);
                }
                const auto paper = at(series.stated, g);
                if (!paper) continue;
                mark(left + width / 2, *paper,
                     fmt::format("paper, {}, {}: {}", chart_.groups[g], series.name, cell(paper)));
                stated.emplace_back(left + width / 2, *paper);
            }
            centres.push_back(x_ + group_width_ / 2);
            x_ += group_width_;
            if (g + 1 < chart_.groups.size() && !starts_network(g + 1)) continue;
            const std::string& group = chart_.groups[g];
            if (group.find('.') != std::string::npos) {
                networks.emplace_back(network_of(group), (begin + x_) / 2);
            }
            x_ += kGap;
        }
        for (const auto& [x, value] : stated) paper_number(x, y(value) - 10, value);
        group_labels(centres);
        network_labels(networks);
    }

    void group_labels(const std::vector<double>& centres) {
        std::vector<std::pair<double, double>> spans;
        double longest = 0;
        for (std::size_t g = 0; g < centres.size(); ++g) {
            const double width = svg::text_width(layer_of(chart_.groups[g]));
            longest = std::max(longest, width);
            spans.emplace_back(centres[g] - width / 2, centres[g] + width / 2);
        }
        if (has_means_) spans.push_back(mean_label_span());
        const std::vector<std::size_t> lines = svg::lines_of(spans);
        const std::size_t last = lines.empty() ? 0 : *std::max_element(lines.begin(), lines.end());
        const bool fits = spans.empty() || spans.front().first >= 0;
        if (last <= 1 && fits) {
            for (std::size_t g = 0; g < centres.size(); ++g) {
                out_ += svg::text(centres[g], kBottom + kLine * static_cast<double>(lines[g] + 1),
                                  "middle", layer_of(chart_.groups[g]));
            }
            below_ += kLine * static_cast<double>(last + 1);
            if (has_means_) mean_line_ = lines.back();
            return;
        }
        const auto every = static_cast<std::size_t>(std::ceil(kUpright / group_width_));
        for (std::size_t g = 0; g < centres.size(); g += every) {
            out_ += svg::text(
                centres[g] + 4, kBottom + 8, "end", layer_of(chart_.groups[g]),
                fmt::format("transform='rotate(-90 {:.1f} {:.1f})'", centres[g] + 4, kBottom + 8));
        }
        below_ += longest + 10;
    }

    /// Horizontal span of the label of the means. Valid after the groups are drawn.
    [[nodiscard]] std::pair<double, double> mean_label_span() const {
        const double middle = x_ + mean_width_ * static_cast<double>(chart_.series.size()) / 2;
        const double half = svg::text_width(chart_.mean_label) / 2;
        const double left = std::min(middle - half, svg::kWidth - 2 * half);
        return {left, left + 2 * half};
    }

    void network_labels(const std::vector<std::pair<std::string, double>>& networks) {
        if (networks.empty()) return;
        std::vector<std::pair<double, double>> spans;
        for (const auto& [name, centre] : networks) {
            const double half = svg::text_width(name) / 2;
            const double left = std::max(4.0, centre - half);
            spans.emplace_back(left, left + 2 * half);
        }
        const std::vector<std::size_t> lines = svg::lines_of(spans);
        for (std::size_t i = 0; i < networks.size(); ++i) {
            out_ += svg::text((spans[i].first + spans[i].second) / 2,
                              below_ + kLine * static_cast<double>(lines[i] + 1), "middle",
                              networks[i].first, "font-weight='bold'");
        }
        below_ += kLine * static_cast<double>(1 + *std::max_element(lines.begin(), lines.end()));
    }

    void means() {
        out_ += svg::line(x_ - kGap / 2, kTop, x_ - kGap / 2, kBottom, "#999", "class='zero'");
        const auto [left, right] = mean_label_span();
        out_ += svg::text((left + right) / 2, kBottom + kLine * static_cast<double>(mean_line_ + 1),
                          "middle", chart_.mean_label, "font-weight='bold'");
        below_ = std::max(below_, kBottom + kLine);
        for (const BarSeries& series : chart_.series) {
            const double centre = x_ + mean_width_ / 2;
            if (series.mean) {
                bar(x_ + 3, mean_width_ - 6, *series.mean, series.mean_half_width, series,
                    chart_.mean_label);
            }
            if (series.stated_range) {
                const auto& [least, most] = *series.stated_range;
                marks_ += svg::interval(centre, y(most), y(least), 5, true);
            }
            if (series.paper) {
                mark(centre, *series.paper, "paper: " + cell(series.paper));
                paper_number(centre, y(*series.paper) - 10, *series.paper);
            }
            if (series.mean) {
                const double top = y(std::max(0.0, *series.mean)) - 4;
                const double over = *series.mean > 0 ? series.mean_half_width.value_or(0) : 0;
                marks_ += labels_.place(centre, inside(top - (y(0) - y(over))), cell(series.mean),
                                        "font-weight='bold'");
            }
            if (series.stated_range) {
                const auto& [least, most] = *series.stated_range;
                paper_number(centre, y(most) - 5, most);
                paper_number(centre, y(least) + 13, least);
            }
            x_ += mean_width_;
        }
    }

    void legend() {
        std::vector<svg::LegendEntry> entries;
        bool any_paper = false;
        for (const BarSeries& series : chart_.series) {
            entries.push_back({series.name, svg::square_sign(series.colour)});
            any_paper = any_paper || series.paper || series.stated_range || !series.stated.empty();
        }
        if (any_paper) entries.push_back({"stated by the paper", svg::mark_sign()});
        out_ += svg::legend(entries, kLeft, below_);
    }

    const BarChart& chart_;
    svg::Axis axis_;
    svg::Labels labels_;
    bool has_means_ = false;
    double mean_width_ = 44;
    double group_width_ = 0;
    std::size_t mean_line_ = 0;  ///< line of labels that holds the label of the means
    double x_ = kLeft + kGap / 2;
    double below_ = kBottom;  ///< lower end of labels and legend
    std::string out_, marks_;
};

}  // namespace

std::string BarChart::svg() const {
    const bool any = std::any_of(series.begin(), series.end(), [](const BarSeries& one) {
        const auto has = [](const std::optional<double>& value) { return value.has_value(); };
        return one.mean || one.paper || one.stated_range ||
               std::any_of(one.values.begin(), one.values.end(), has) ||
               std::any_of(one.stated.begin(), one.stated.end(), has);
    });
    if (!any) return "";
    return BarDrawing(*this).svg();
}

}  // namespace tessera

#include "sc_models/report/correlation.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"
#include "sc_models/report/html_page.h"

namespace tessera {
namespace {

/// Pearson's coefficient; empty if one side does not vary.
std::optional<double> coefficient(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<double>(a.size());
    const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    if (aa == 0 || bb == 0) return std::nullopt;
    return ab / std::sqrt(aa * bb);
}

/// Ranks in ascending order; equal values share their mean rank.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
        for (std::size_t i = first; i < end; ++i) {
            ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
        }
        first = end;
    }
    return ranks;
}

std::string microseconds_cell(const std::optional<double>& value) {
    return number_cell(value, value && *value < 100 ? 2 : 1);
}

std::vector<std::string> cells_of(const CorrelatedRow& row) {
    return {row.measured.name, microseconds_cell(row.measured.microseconds),
            microseconds_cell(row.microseconds),
            row.microseconds ? fmt::format("{:+.1f}", row.error_percent()) : "-"};
}

const std::vector<std::string> kHeader = {"row", "card [us]", "model [us]", "error [%]"};

std::string summary_line(const std::vector<CorrelatedRow>& rows) {
    const Agreement all = agreement_of(rows);
    return fmt::format(
        "{} of {} rows: mean absolute error {:.1f} %, geometric mean of model / card {:.3f}, "
        "farthest a factor of {:.2f}; Pearson (of logarithms) {}, Spearman {}",
        all.rows, rows.size(), all.mean_absolute_error_percent, all.geometric_mean_ratio,
        all.farthest_factor, number_cell(all.pearson, 3), number_cell(all.spearman, 3));
}

constexpr double kLeft = 70, kTop = 30, kField = 620, kBottom = kTop + kField;
constexpr double kRight = kLeft + kField;  // a square, so that equal times lie at 45 degrees
/// Rows that are off by more than this factor are outliers (chosen); the farthest have names.
constexpr double kOutlier = 1.5;
constexpr std::size_t kNamedOutliers = 8;

/// Names of the rows farthest from the card's times, beside their points.
template <class X, class Y>
std::string outlier_names(const std::vector<CorrelatedRow>& rows, const X& x, const Y& y) {
    const auto factor = [](const CorrelatedRow* row) {
        return std::abs(std::log(*row->microseconds / row->measured.microseconds));
    };
    std::vector<const CorrelatedRow*> outliers;
    svg::Labels labels(kTop, kBottom - 2);
    for (const CorrelatedRow& row : rows) {
        if (!row.microseconds) continue;
        const double cx = x(row.measured.microseconds), cy = y(*row.microseconds);
        labels.keep_clear(cx - 4, cy - 4, cx + 4, cy + 4);
        if (factor(&row) > std::log(kOutlier)) outliers.push_back(&row);
    }
    std::stable_sort(
        outliers.begin(), outliers.end(),
        [&](const CorrelatedRow* a, const CorrelatedRow* b) { return factor(a) > factor(b); });
    outliers.resize(std::min(outliers.size(), kNamedOutliers));
    std::string out;
    for (const CorrelatedRow* row : outliers) {
        const std::string& name = row->measured.name;
        const double half = svg::text_width(name) / 2;
        const double centre = std::clamp(x(row->measured.microseconds), kLeft + half + 2,
                                         std::max(kLeft + half + 2, svg::kWidth - half - 2));
        out += labels.place(centre, y(*row->microseconds) - 8, name, "", 60);
    }
    return out;
}

}  // namespace

Agreement agreement_of(const std::vector<CorrelatedRow>& rows) {
    std::vector<double> card, model;
    Agreement all;
    double ratios = 0;
    for (const CorrelatedRow& row : rows) {
        if (!row.microseconds) continue;
        card.push_back(std::log(row.measured.microseconds));
        model.push_back(std::log(*row.microseconds));
        const double ratio = model.back() - card.back();
        ratios += ratio;
        all.mean_absolute_error_percent += std::abs(row.error_percent());
        all.farthest_factor = std::max(all.farthest_factor, std::exp(std::abs(ratio)));
    }
    all.rows = card.size();
    if (card.empty()) throw std::logic_error("agreement_of: no row ran");
    all.mean_absolute_error_percent /= static_cast<double>(all.rows);
    all.geometric_mean_ratio = std::exp(ratios / static_cast<double>(all.rows));
    if (all.rows >= 2) {
        all.pearson = coefficient(card, model);
        all.spearman = coefficient(ranks_of(card), ranks_of(model));
    }
    return all;
}

std::string correlation_text(const std::vector<CorrelatedRow>& rows) {
    TextTable table(kHeader);
    for (const CorrelatedRow& row : rows) table.add(cells_of(row));
    return table.str() + summary_line(rows) + "\n";
}

nlohmann::ordered_json correlation_json(const std::vector<CorrelatedRow>& rows) {
    const Agreement all = agreement_of(rows);
    nlohmann::ordered_json json;
    json["rows_run"] = all.rows;
    json["mean_absolute_error_percent"] = all.mean_absolute_error_percent;
    json["geometric_mean_ratio"] = all.geometric_mean_ratio;
    json["farthest_factor"] = all.farthest_factor;
    if (all.pearson) json["pearson_of_logarithms"] = *all.pearson;
    if (all.spearman) json["spearman"] = *all.spearman;
    json["rows"] = nlohmann::ordered_json::array();
    for (const CorrelatedRow& row : rows) {
        nlohmann::ordered_json one = {{"line", row.measured.line},
                                      {"name", row.measured.name},
                                      {"set", row.measured.sets},
                                      {"card_us", row.measured.microseconds}};
        if (row.microseconds) {
            one["model_us"] = *row.microseconds;
            one["error_percent"] = row.error_percent();
        }
        json["rows"].push_back(std::move(one));
    }
    return json;
}

std::string correlation_svg(const std::vector<CorrelatedRow>& rows) {
    double low = HUGE_VAL, high = 0;
    for (const CorrelatedRow& row : rows) {
        if (!row.microseconds) continue;
        low = std::min({low, row.measured.microseconds, *row.microseconds});
        high = std::max({high, row.measured.microseconds, *row.microseconds});
    }
    const svg::Axis axis(low, high, true);
    const auto x = [&](double value) { return kLeft + axis.share(value) * (kRight - kLeft); };
    const auto y = [&](double value) { return kBottom - axis.share(value) * kField; };
    std::string out;
    for (const double tick : axis.ticks()) {
        out += svg::grid_line(x(tick), kTop, x(tick), kBottom, false);
        out += svg::grid_line(kLeft, y(tick), kRight, y(tick), false);
        out += svg::text(x(tick), kBottom + 16, "middle", axis.label(tick));
        out += svg::text(kLeft - 6, y(tick) + 4, "end", axis.label(tick));
    }
    out += svg::text(4, 14, "start", "model [us]");
    out += svg::text((kLeft + kRight) / 2, kBottom + 34, "middle", "card [us]");
    const double least = axis.low(), most = axis.ticks().back();
    out += svg::line(x(least), y(least), x(most), y(most), "#666", "class='zero'");
    for (const double factor : {2.0, 0.5}) {
        const double begin = factor > 1 ? least : least / factor;
        const double end = factor > 1 ? most / factor : most;
        if (begin >= end) continue;
        out += svg::line(x(begin), y(begin * factor), x(end), y(end * factor), "#666",
                         "class='zero' stroke-dasharray='2 4'");
    }
    const std::string colour = series_colours(1).front();
    for (const CorrelatedRow& row : rows) {
        if (!row.microseconds) continue;
        const std::vector<std::string> cells = cells_of(row);
        out += fmt::format(
            "<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}'><title>{}</title></circle>\n",
            x(row.measured.microseconds), y(*row.microseconds), colour,
            markup_escaped(fmt::format("{}: card {} us, model {} us, {} %", cells[0], cells[1],
                                       cells[2], cells[3])));
    }
    out += outlier_names(rows, x, y);
    double below = kBottom + 48;
    out +=
        svg::legend({{"a kernel", svg::square_sign(colour)},
                     {"equal", svg::line(-8, 0, 8, 0, "#666")},
                     {"a factor of two", svg::line(-8, 0, 8, 0, "#666", "stroke-dasharray='2 4'")}},
                    kLeft, below);
    return svg::open(below) + out + "</svg>\n";
}

std::string correlation_page(const std::string& title, const std::vector<CorrelatedRow>& rows) {
    HtmlTable table(kHeader);
    for (const CorrelatedRow& row : rows) table.row(cells_of(row));
    return html_page(title,
                     markup("<h1>{}</h1>\n<p>{}.</p>\n{}{}", title, summary_line(rows),
                            Markup{scrolling_chart(correlation_svg(rows))}, Markup{table.str()}));
}

}  // namespace tessera

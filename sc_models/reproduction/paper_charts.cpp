#include "sc_models/reproduction/paper_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/error.h"
#include "sc_models/report/html_page.h"
#include "sc_models/results/summary_text.h"

namespace tessera {
namespace {

using Value = std::optional<double>;

/// Mean over layers for each seed, then over the seeds, with its interval.
std::optional<Estimate> mean_over(const SeededSummary& sweep,
                                  const std::vector<std::string>& groups, const LayerValue& value,
                                  const std::string& variant) {
    std::vector<double> samples;
    for (const Summary& seed : sweep.whole) {
        double sum = 0;
        std::size_t count = 0;
        for (const std::string& group : groups) {
            const Value found = value(seed, group, variant);
            if (!found) continue;
            sum += *found;
            ++count;
        }
        if (count > 0) samples.push_back(sum / static_cast<double>(count));
    }
    return estimate_of(samples);
}

std::optional<Estimate> over_seeds(const SeededSummary& sweep, const std::string& group,
                                   const LayerValue& value, const std::string& variant) {
    std::vector<double> samples;
    for (const Summary& seed : sweep.seeds) {
        const Value found = value(seed, group, variant);
        if (found && std::isfinite(*found)) samples.push_back(*found);
    }
    return estimate_of(samples);
}

std::string network_of(const std::string& layer) {
    return layer.substr(0, layer.find('.'));
}

/// Layers or networks of the sweep that the chart shows.
std::vector<std::string> groups_of(const LayerChart& chart, const Summary& summary) {
    std::vector<std::string> groups;
    for (const std::string& group : chart.is_by_network ? summary.networks() : summary.layers()) {
        const auto& wanted = chart.networks;
        if (wanted.empty() ||
            std::find(wanted.begin(), wanted.end(), network_of(group)) != wanted.end()) {
            groups.push_back(group);
        }
    }
    return groups;
}

/// A bar chart with the notes below it.
class LayerDrawing {
public:
    LayerDrawing(const LayerChart& chart, const ChartData& data, const SeededSummary& sweep)
        : chart_(chart), data_(data), sweep_(sweep) {
        bars_.unit = chart.unit;
        bars_.groups = groups_of(chart, *sweep.all);
        bars_.mean_label = chart.mean_label;
        bars_.reference = chart.reference;
        if (chart.unit.rfind("% of ", 0) == 0) bars_.top = 100;  // a share
        bars_.decimals = chart.decimals;
        const std::vector<std::string> colours = series_colours(chart.series.size());
        for (std::size_t i = 0; i < chart.series.size(); ++i) add(chart.series[i], colours[i]);
    }

    [[nodiscard]] std::optional<FigureChart> made() {
        if (bars_.series.empty() || bars_.groups.empty()) return std::nullopt;
        FigureChart found;
        found.heading = chart_.heading;
        found.note = note();
        found.svg = bars_.svg();
        found.table = chart_table(bars_, fmt::format("{} [{}]", chart_.heading, chart_.unit),
                                  chart_.is_by_network ? "network" : "layer");
        found.marked = std::move(marked_);
        return found;
    }

private:
    void add(const LayerSeries& series, const std::string& colour) {
        const LayerValue& value = series.value ? series.value : chart_.value;
        BarSeries bars{series.name, colour, {}, {}, {}};
        std::vector<std::string> without;
        bool any_stated = false;
        for (const std::string& group : bars_.groups) {
            const auto found = over_seeds(sweep_, group, value, series.variant);
            bars.values.push_back(found ? Value(found->mean) : std::nullopt);
            bars.half_widths.push_back(found ? found->half_width : std::nullopt);
            if (!found) without.push_back(group);
            const auto id = series.layer_ids.find(group);
            bars.stated.push_back(id == series.layer_ids.end() ? std::nullopt
                                                               : data_.stated(id->second));
            any_stated = any_stated || bars.stated.back();
        }
        if (without.size() == bars_.groups.size()) {
            not_run_.push_back(series.name);
            return;
        }
        if (!without.empty()) gaps_.emplace_back(series.name, without);
        if (!any_stated) bars.stated.clear();
        for (const auto& [layer, id] : series.layer_ids) {
            if (any_stated) marked_.insert(id);
        }
        add_mean(series, value, bars);
        bars_.series.push_back(std::move(bars));
    }
    void add_mean(const LayerSeries& series, const LayerValue& value, BarSeries& bars) {
        auto mean = mean_over(sweep_, bars_.groups, value, series.variant);
        const PaperAnswer* const answer = data_.answer(series.mean_id, chart_.experiment);
        // Use the number of the table, which the figure's rule reads.
        if (answer != nullptr && answer->ours && answer->experiment == chart_.experiment) {
            mean = answer->ours;
        }
        if (mean && std::isfinite(mean->mean)) {
            bars.mean = mean->mean;
            bars.mean_half_width = mean->half_width;
        }
        if (const Value stated = data_.stated(series.mean_id)) {
            bars.paper = stated;
            marked_.insert(series.mean_id);
        }
        const Value least = data_.stated(series.range_id + ".least");
        const Value most = data_.stated(series.range_id + ".most");
        if (!least || !most) return;
        bars.stated_range = {*least, *most};
        marked_.insert({series.range_id + ".least", series.range_id + ".most"});
    }

    [[nodiscard]] std::string note() const {
        const Summary& all = *sweep_.all;
        std::string text =
            fmt::format("Experiment {}: {} {}", chart_.experiment, bars_.groups.size(),
                        chart_.is_by_network ? "networks" : "layers");
        if (sweep_.seeds.size() > 1) {
            text +=
                fmt::format(", {} seeds; lines on bars are 95 % intervals of the mean over seeds",
                            sweep_.seeds.size());
        }
        text += ".";
        if (!not_run_.empty()) {
            text += fmt::format(" Not run: {}.", fmt::join(not_run_, ", "));
        }
        if (const std::string missing = missing_note(all); !missing.empty()) text += " " + missing;
        for (const auto& [name, groups] : gaps_) {
            text += fmt::format(" No result with {}: {}.", name, fmt::join(groups, ", "));
        }
        return text;
    }

    const LayerChart& chart_;
    const ChartData& data_;
    const SeededSummary& sweep_;
    BarChart bars_;
    std::set<std::string> marked_;
    std::vector<std::string> not_run_;
    std::vector<std::pair<std::string, std::vector<std::string>>> gaps_;  ///< by series
};

/// Sums of cycles before and after, over a network's layers that both the variant and its baseline
/// have.
std::pair<double, double> network_cycles(const Summary& s, const std::string& network,
                                         const std::string& variant) {
    double before = 0;
    double after = 0;
    const SummaryVariant* const of = s.variant(variant);
    for (const std::string& layer : s.layers()) {
        if (of == nullptr || network_of(layer) != network) continue;
        const Value b = s.value(layer, of->baseline, "cycles");
        const Value a = s.value(layer, variant, "cycles");
        if (!a || !b) continue;
        before += *b;
        after += *a;
    }
    return {before, after};
}

}  // namespace

std::vector<Figure21Point> read_figure21_points(const std::string& path) {
    constexpr double kCutlass = 3500;  // CUTLASS's time in the units of the file
    std::ifstream in(path);
    if (!in) throw ConfigError(path + ": cannot be read");
    std::vector<Figure21Point> points;
    std::string line;
    std::getline(in, line);  // column names
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        double density_a = 0;
        double density_b = 0;
        double time = 0;
        char comma = 0;
        cells >> density_a >> comma >> density_b >> comma >> time;
        if (!cells || time <= 0) throw ConfigError(fmt::format("{}: no point: {}", path, line));
        const auto zeros = [](double density) { return std::round(1000 * (1 - density)) / 10; };
        points.push_back({zeros(density_a), zeros(density_b), kCutlass / time});
    }
    return points;
}

ChartData::ChartData(const Reproduction& reproduction, const std::vector<Summary>& summaries,
                     std::vector<Figure21Point> figure21)
    : figure21_(std::move(figure21)) {
    for (const ReproducedFigure& figure : reproduction.figures()) {
        answers_.emplace(figure.answer.paper.id, &figure.answer);
    }
    for (const Summary& summary : summaries) {
        if (summary.rows().empty()) continue;
        SeededSummary& sweep = sweeps_[summary.name()];
        sweep.all = &summary;
        std::set<std::uint64_t> seeds;
        for (const SummaryRow& row : summary.rows()) seeds.insert(row.seed);
        for (const std::uint64_t seed : seeds) sweep.seeds.push_back(summary.of_seed(seed));
        for (const std::uint64_t seed : summary.whole_seeds()) {
            sweep.whole.push_back(summary.of_seed(seed));
        }
    }
}

const SeededSummary* ChartData::sweep(const std::string& name) const {
    const auto found = sweeps_.find(name);
    return found == sweeps_.end() ? nullptr : &found->second;
}

const PaperAnswer* ChartData::answer(const std::string& id, const std::string& experiment) const {
    const auto [first, last] = answers_.equal_range(id);
    for (auto found = first; found != last; ++found) {
        if (found->second->experiment == experiment) return found->second;
    }
    return first == last ? nullptr : first->second;
}

std::optional<double> ChartData::stated(const std::string& id) const {
    const PaperAnswer* const found = answer(id);
    return found == nullptr ? std::nullopt : found->paper.value;
}

bool PageFigure::has(const PaperFigure& figure) const {
    return std::any_of(entries.begin(), entries.end(), [&figure](const std::string& entry) {
        return figure.id.rfind(entry, 0) == 0 &&
               (figure.id.size() == entry.size() || figure.id[entry.size()] == '.');
    });
}

LayerValue column(std::string name) {
    return [name = std::move(name)](const Summary& s, const std::string& layer,
                                    const std::string& variant) {
        return s.value(layer, variant, name);
    };
}

LayerValue change_of(std::string metric) {
    return [metric = std::move(metric)](const Summary& s, const std::string& layer,
                                        const std::string& variant) -> Value {
        const SummaryVariant* const of = s.variant(variant);
        if (of == nullptr) return std::nullopt;
        const Value before = s.value(layer, of->baseline, metric);
        const Value after = s.value(layer, variant, metric);
        return before && after ? percent_change(*before, *after) : std::nullopt;
    };
}

LayerValue times_as_fast_as(std::string other) {
    return [other = std::move(other)](const Summary& s, const std::string& layer,
                                      const std::string& variant) -> Value {
        const Value before = s.value(layer, other, s.time_column());
        const Value after = s.value(layer, variant, s.time_column());
        return before && after && *after > 0 ? Value(*before / *after) : std::nullopt;
    };
}

LayerValue faster_than(std::string other) {
    return [other = std::move(other)](const Summary& s, const std::string& layer,
                                      const std::string& variant) -> Value {
        const Value before = s.value(layer, other, "cycles");
        const Value after = s.value(layer, variant, "cycles");
        return before && after ? percent_change(*after, *before) : std::nullopt;
    };
}

LayerValue network_time_change() {
    return [](const Summary& s, const std::string& network, const std::string& variant) -> Value {
        const auto [before, after] = network_cycles(s, network, variant);
        return before > 0 ? percent_change(before, after) : std::nullopt;
    };
}

LayerValue network_speedup() {
    return [](const Summary& s, const std::string& network, const std::string& variant) -> Value {
        const auto [before, after] = network_cycles(s, network, variant);
        return after > 0 ? percent_change(after, before) : std::nullopt;
    };
}

ChartMaker layer_chart(LayerChart chart) {
    return [chart = std::move(chart)](const ChartData& data) -> std::optional<FigureChart> {
        const SeededSummary* const sweep = data.sweep(chart.experiment);
        if (sweep == nullptr) return std::nullopt;
        return LayerDrawing(chart, data, *sweep).made();
    };
}

FigureChart comparison_chart(const std::vector<const PaperAnswer*>& answers) {
    StackedChart bars;
    bars.colours = series_colours(1);
    for (const PaperAnswer* const answer : answers) {
        StackedBar bar;
        bar.name = caption_of(*answer);
        if (answer->ours && std::isfinite(answer->ours->mean)) {
            bar.parts = {answer->ours->mean};
            bar.half_width = answer->ours->half_width;
            const std::string interval = interval_cell(*answer);
            bar.words = ours_cell(*answer) + (interval.empty() ? "" : " ± " + interval);
        } else {
            bar.words = "not measured";
        }
        bar.paper = answer->paper.value;
        bar.paper_words = answer->paper.stated;
        bars.bars.push_back(std::move(bar));
    }
    FigureChart found;
    const std::string_view unit = unit_text(answers.front()->paper);
    found.heading = fmt::format("The paper's numbers beside ours{}",
                                unit.empty() ? "" : fmt::format(" [{}]", unit));
    bars.unit = unit;
    const bool shares = std::all_of(answers.begin(), answers.end(), [](const PaperAnswer* answer) {
        return answer->paper.measure == Measure::kShare;
    });
    if (shares && unit == "%") bars.top = 100;
    found.svg = bars.svg();
    return found;
}

}  // namespace tessera

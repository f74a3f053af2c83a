// The figures of the papers as charts: what they draw, from our results, with what they state as
// marks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sc_models/report/bar_chart.h"
#include "sc_models/report/reproduction.h"

namespace tessera {

/// A point of Figure 21 of the dual-side paper: a product of 4096^3 with so many percent of zeros,
/// and how many times as fast as CUTLASS the paper is.
struct Figure21Point {
    double zeros_of_a = 0, zeros_of_b = 0, speedup = 0;
};

/// Reads configs/reference/dstc_fig21_points.csv. Throws ConfigError for a line that is none.
[[nodiscard]] std::vector<Figure21Point> read_figure21_points(const std::string& path);

/// The results of a sweep by seed.
struct SeededSummary {
    const Summary* all = nullptr;
    std::vector<Summary> seeds;  ///< each by itself
    std::vector<Summary> whole;  ///< those of which all is there that is there of any
};

/// What charts are made from.
class ChartData {
public:
    ChartData(const Reproduction& reproduction, const std::vector<Summary>& summaries,
              std::vector<Figure21Point> figure21);

    /// Null if the sweep has no result.
    [[nodiscard]] const SeededSummary* sweep(const std::string& name) const;
    /// The answer that this experiment gave, or another; null if the figure was not asked for.
    [[nodiscard]] const PaperAnswer* answer(const std::string& id,
                                            const std::string& experiment = "") const;
    /// What the paper states; nothing if the figure was not asked for or is stated in words.
    [[nodiscard]] std::optional<double> stated(const std::string& id) const;
    [[nodiscard]] const std::vector<Figure21Point>& figure21() const { return figure21_; }

private:
    std::map<std::string, SeededSummary> sweeps_;
    std::multimap<std::string, const PaperAnswer*> answers_;
    std::vector<Figure21Point> figure21_;
};

/// A chart of a page, and the numbers behind it.
struct FigureChart {
    std::string heading, note, svg;
    std::string table;             ///< as markup
    std::set<std::string> marked;  ///< figures of the paper that have a mark in it
};

/// Nothing where no result for it is there.
using ChartMaker = std::function<std::optional<FigureChart>(const ChartData&)>;

/// A figure or table of a paper as a section of a page.
struct PageFigure {
    std::string anchor, title, caption;
    std::vector<std::string> entries;  ///< which rows are its own: beginnings of ids up to a dot
    std::vector<ChartMaker> charts;

    [[nodiscard]] bool has(const PaperFigure& figure) const;
};

[[nodiscard]] std::vector<PageFigure> duplo_page_figures();
[[nodiscard]] std::vector<PageFigure> dual_side_page_figures();
[[nodiscard]] std::vector<PageFigure> opportunistic_page_figures();

/// A number of one layer, or network, with one variant of a sweep.
using LayerValue = std::function<std::optional<double>(
    const Summary& summary, const std::string& layer, const std::string& variant)>;

/// A column of summary.csv.
[[nodiscard]] LayerValue column(std::string name);
/// The change of a metric against the variant's baseline, in percent.
[[nodiscard]] LayerValue change_of(std::string metric);
/// How many times as fast as `other`, im2col kernels included where they differ.
[[nodiscard]] LayerValue times_as_fast_as(std::string other);
/// How much faster than `other` the matrix product is, in percent.
[[nodiscard]] LayerValue faster_than(std::string other);
/// Of a network's layers together: the change of their time against the baseline's, and the gain,
/// in percent.
[[nodiscard]] LayerValue network_time_change();
[[nodiscard]] LayerValue network_speedup();

/// A colour of bars: a variant of the sweep.
struct LayerSeries {
    std::string variant, name;
    std::string mean_id = {};                           ///< the figure that is its mean
    std::string range_id = {};                          ///< the entry that has its least and most
    std::map<std::string, std::string> layer_ids = {};  ///< figures of single layers
    LayerValue value = {};                              ///< in place of the chart's
};

/// Bars by layer, and their means.
struct LayerChart {
    std::string experiment, heading, unit;
    LayerValue value;
    std::vector<LayerSeries> series;
    std::vector<std::string> networks = {};  ///< whose layers; empty: all
    bool is_by_network = false;              ///< a group is a network
    std::string mean_label = "mean";
    std::optional<double> reference = {};
    int decimals = 1;
};
[[nodiscard]] ChartMaker layer_chart(LayerChart chart);

/// Figures of a paper beside ours, a bar each, of those that have a number of ours. Only rows of
/// one unit go together.
[[nodiscard]] FigureChart comparison_chart(const std::vector<const PaperAnswer*>& answers);

}  // namespace tessera

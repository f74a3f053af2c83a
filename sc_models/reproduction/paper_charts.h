// Charts that redraw the papers' figures from the model's results and mark the papers' numbers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sc_models/chart/bar_chart.h"
#include "sc_models/reproduction/reproduction.h"

namespace tessera {

/// A point of Figure 21 of the dual-side paper: zeros of A and B of a 4096^3 product, in percent,
/// and the paper's speedup over CUTLASS.
struct Figure21Point {
    double zeros_of_a = 0, zeros_of_b = 0, speedup = 0;
};

/// Reads configs/reference/dstc_fig21_points.csv. Throws ConfigError for a malformed line.
[[nodiscard]] std::vector<Figure21Point> read_figure21_points(const std::string& path);

/// Results of a sweep, by seed.
struct SeededSummary {
    const Summary* all = nullptr;
    std::vector<Summary> seeds;  ///< one per seed
    std::vector<Summary> whole;  ///< one per seed that is complete (Summary::whole_seeds)
};

/// Input of the chart makers.
class ChartData {
public:
    ChartData(const Reproduction& reproduction, const std::vector<Summary>& summaries,
              std::vector<Figure21Point> figure21);

    /// Returns null if the sweep has no result.
    [[nodiscard]] const SeededSummary* sweep(const std::string& name) const;
    /// Returns the answer from `experiment`, or else from another experiment; null if the figure
    /// was not selected.
    [[nodiscard]] const PaperAnswer* answer(const std::string& id,
                                            const std::string& experiment = "") const;
    /// The paper's number; empty if the figure was not selected or is stated in words.
    [[nodiscard]] std::optional<double> stated(const std::string& id) const;
    [[nodiscard]] const std::vector<Figure21Point>& figure21() const { return figure21_; }

private:
    std::map<std::string, SeededSummary> sweeps_;
    std::multimap<std::string, const PaperAnswer*> answers_;
    std::vector<Figure21Point> figure21_;
};

/// A chart of a page, with its numbers as a table.
struct FigureChart {
    std::string heading, note, svg;
    std::string table;             ///< as markup
    std::set<std::string> marked;  ///< ids of the paper's figures that the chart marks
};

/// Makes a chart; returns nothing if there is no result for it.
using ChartMaker = std::function<std::optional<FigureChart>(const ChartData&)>;

/// A figure or table of a paper as a section of a page.
struct PageFigure {
    std::string anchor, title, caption;
    std::vector<std::string> entries;  ///< its rows: beginnings of ids up to a dot
    std::vector<ChartMaker> charts;

    [[nodiscard]] bool has(const PaperFigure& figure) const;
};

[[nodiscard]] std::vector<PageFigure> duplo_page_figures();
[[nodiscard]] std::vector<PageFigure> dual_side_page_figures();
[[nodiscard]] std::vector<PageFigure> opportunistic_page_figures();

/// A number of one layer or network with one variant of a sweep.
using LayerValue = std::function<std::optional<double>(
    const Summary& summary, const std::string& layer, const std::string& variant)>;

/// A column of summary.csv.
[[nodiscard]] LayerValue column(std::string name);
/// The change of a metric against the variant's baseline, in percent.
[[nodiscard]] LayerValue change_of(std::string metric);
/// Speedup over `other` as a ratio; includes im2col kernels where they differ.
[[nodiscard]] LayerValue times_as_fast_as(std::string other);
/// Speedup of the matrix product over `other`, in percent.
[[nodiscard]] LayerValue faster_than(std::string other);
/// Change of the summed time of a network's layers against the baseline, in percent;
/// network_speedup() returns the gain in percent.
[[nodiscard]] LayerValue network_time_change();
[[nodiscard]] LayerValue network_speedup();

/// Bars of one variant of the sweep.
struct LayerSeries {
    std::string variant, name;
    std::string mean_id = {};                           ///< id of the figure that states the mean
    std::string range_id = {};                          ///< id of the entry that states minimum and
                                                        ///< maximum
    std::map<std::string, std::string> layer_ids = {};  ///< ids of figures of single layers, by
                                                        ///< layer
    LayerValue value = {};                              ///< replaces the chart's value
};

/// Bars by layer, and their means.
struct LayerChart {
    std::string experiment, heading, unit;
    LayerValue value;
    std::vector<LayerSeries> series;
    std::vector<std::string> networks = {};  ///< networks to show; empty: all
    bool is_by_network = false;              ///< a group is a network
    std::string mean_label = "mean";
    std::optional<double> reference = {};
    int decimals = 1;
};
[[nodiscard]] ChartMaker layer_chart(LayerChart chart);

/// Chart of the answers that have a result of the model, with the paper's number beside it. All
/// answers must have the same unit.
[[nodiscard]] FigureChart comparison_chart(const std::vector<const PaperAnswer*>& answers);

}  // namespace tessera

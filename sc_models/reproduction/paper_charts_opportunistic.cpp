#include <fmt/format.h>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/report/html_page.h"
#include "sc_models/reproduction/paper_charts.h"
#include "sc_models/results/summary_text.h"

namespace tessera {
namespace {

constexpr const char* kOpp = "opportunistic";
constexpr const char* kSharing = "opportunistic_sharing";

/// The schemes with the small (C1) and the large tables (C2), and the ids of their means.
std::vector<LayerSeries> schemes(const std::array<const char*, 6>& mean_ids) {
    return {{"intra_c1", "intra, C1", mean_ids[0]}, {"intra_c2", "intra, C2", mean_ids[1]},
            {"inter_c1", "inter, C1", mean_ids[2]}, {"inter_c2", "inter, C2", mean_ids[3]},
            {"both_c1", "both, C1", mean_ids[4]},   {"both_c2", "both, C2", mean_ids[5]}};
}

LayerChart instructions_per_cycle() {
    std::vector<LayerSeries> series =
        schemes({"O.fig5.intra.c1.mean", "O.fig5.intra.c2.mean", "O.fig5.inter.mean.c1",
                 "O.fig5.inter.mean.c2", "O.fig5.both.mean.c1", "O.fig5.both.mean.c2"});
    series[0].layer_ids = {{"lenet5.C2.forward", "O.fig5.intra.lenet_c2_fwd.c1"},
                           {"alexnet_opportunistic.A3.forward", "O.fig5.intra.alexnet_c3_fwd.c1"}};
    series[1].layer_ids = {{"lenet5.C2.forward", "O.fig5.intra.lenet_c2_fwd.c2"},
                           {"alexnet_opportunistic.A3.forward", "O.fig5.intra.alexnet_c3_fwd.c2"}};
    series[5].layer_ids = {{"lenet5.C1.forward", "O.fig5.both.best"}};
    return {kOpp, "Instructions a cycle, those of assistant warps included", "change, %",
            change_of("ipc"), std::move(series)};
}

LayerChart time() {
    return {kOpp, "Time", "change, %", change_of("cycles"),
            schemes({"O.fig6.intra.c1.time", "O.fig6.intra.c2.time", "", "", "", ""})};
}

LayerChart stalls() {
    std::vector<LayerSeries> series = schemes({"O.fig7.stall.intra.c1", "O.fig7.stall.intra.c2", "",
                                               "", "O.fig7.stall.both.c1", "O.fig7.stall.both.c2"});
    series.erase(series.begin() + 2, series.begin() + 4);
    return {kOpp, "Stall cycles, intra and both", "change, %", change_of("stall_cycles"),
            std::move(series)};
}

LayerChart stalls_of_inter() {
    const LayerValue change = change_of("stall_cycles");
    const LayerValue share = [change](const Summary& s, const std::string& layer,
                                      const std::string& variant) -> std::optional<double> {
        const auto found = change(s, layer, variant);
        return found ? std::optional(100 + *found) : std::nullopt;
    };
    LayerChart chart{kOpp,
                     "Stall cycles, inter",
                     "% of the baseline's",
                     share,
                     {{"inter_c1", "inter, C1", "O.fig7.stall.inter_of_baseline.c1"},
                      {"inter_c2", "inter, C2", "O.fig7.stall.inter_of_baseline.c2"}}};
    chart.reference = 100;
    return chart;
}

LayerChart networks() {
    std::vector<LayerSeries> series = schemes({"", "", "", "", "", ""});
    series[5].layer_ids = {{"lenet5", "O.network.lenet"},
                           {"alexnet_opportunistic", "O.network.alexnet"}};
    LayerChart chart{kOpp, "Speedup of the sum of a network's layers", "% faster, in time",
                     network_speedup(), std::move(series)};
    chart.is_by_network = true;
    return chart;
}

/// Figure 10: share of the computations that are predicted or assigned to other warps.
std::optional<FigureChart> helped(const ChartData& data) {
    const SeededSummary* const sweep = data.sweep(kOpp);
    if (sweep == nullptr) return std::nullopt;
    StackedChart chart;
    chart.unit = "%";
    chart.top = 100;
    chart.legend = {"predicted", "assigned"};
    chart.colours = series_colours(2);
    HtmlTable table({"layer", "predicted", "assigned"}, 1, 0,
                    "Computations predicted or assigned, both schemes, C2 [%]");
    std::string without;
    for (const std::string& layer : sweep->all->layers()) {
        const auto predicted = sweep->all->value(layer, "both_c2", "predicted_percent");
        const auto assigned = sweep->all->value(layer, "both_c2", "assigned_percent");
        if (!predicted || !assigned) {
            without += (without.empty() ? "" : ", ") + layer;
            continue;
        }
        chart.bars.push_back({layer, {*predicted, *assigned}});
        table.row({layer, fmt::format("{:.1f}", *predicted), fmt::format("{:.1f}", *assigned)});
    }
    if (chart.bars.empty()) return std::nullopt;
    FigureChart found;
    found.heading = "Computations predicted or assigned, both schemes, C2";
    if (!without.empty()) found.note = "Not run: " + without + ". ";
    found.note += missing_note(*sweep->all);
    found.svg = chart.svg();
    found.table = table.str();
    return found;
}

}  // namespace

std::vector<PageFigure> opportunistic_page_figures() {
    const std::string first = "lenet5.C1.forward";
    const LayerChart pairs{kSharing,
                           "Pairs of cache blocks that meet often",
                           "% of all pairs",
                           {},
                           {{"yseg8",
                             "more than 800 times",
                             "",
                             "",
                             {{first, "O.fig1.c1_pairs_over_800"}},
                             column("block_pairs_over_800_percent")},
                            {"yseg8",
                             "more than 100 times",
                             "",
                             "",
                             {{first, "O.fig1.c1_pairs_over_100"}},
                             column("block_pairs_over_100_percent")}}};
    LayerChart elsewhere{kSharing,
                         "Blocks missing in an L1 that are in that of another SM",
                         "% of misses",
                         column("found_elsewhere_percent"),
                         {{"yseg8", "LeNet-5", "O.fig2.found_in_other_sm.all"}}};
    elsewhere.mean_label = "all misses";
    const LayerChart energy{kOpp,
                            "Energy",
                            "change, %",
                            change_of("energy_uj"),
                            {{"intra_c1", "intra, C1", "O.fig8.energy.intra"},
                             {"inter_c1", "inter, C1", "O.fig8.energy.inter"}}};
    const LayerChart accuracy{kOpp,
                              "Predictions that are used",
                              "% of predictions",
                              column("prediction_accuracy_percent"),
                              {{"intra_c1", "intra, C1", "O.fig9.accuracy.c1"},
                               {"intra_c2", "intra, C2", "O.fig9.accuracy.c2"}}};
    return {
        {"O-fig1",
         "Figure 1: how often pairs of cache blocks meet",
         "Pairs of blocks that the loads of one computation read.",
         {"O.fig1"},
         {layer_chart(pairs)}},
        {"O-fig2",
         "Figure 2: missing blocks that another SM has",
         "LeNet-5 without any scheme.",
         {"O.fig2"},
         {layer_chart(elsewhere)}},
        {"O-fig5",
         "Figure 5: instructions a cycle",
         "Within SMs (intra), between SMs (inter) and both, small (C1) and large tables (C2).",
         {"O.fig5"},
         {layer_chart(instructions_per_cycle())}},
        {"O-fig6",
         "Figure 6: time",
         "Time of the layers against that without any scheme.",
         {"O.fig6"},
         {layer_chart(time())}},
        {"O-fig7",
         "Figure 7: stalls",
         "Issue slots in which no warp can issue.",
         {"O.fig7"},
         {layer_chart(stalls()), layer_chart(stalls_of_inter())}},
        {"O-fig8",
         "Figure 8: energy",
         "Energy of a run by the model's account of events.",
         {"O.fig8"},
         {layer_chart(energy)}},
        {"O-fig9",
         "Figure 9: accuracy of predictions",
         "How many of the predicted computations are used.",
         {"O.fig9"},
         {layer_chart(accuracy)}},
        {"O-fig10",
         "Figure 10: computations done ahead or elsewhere",
         "Predicted by assistant warps, or assigned to another SM.",
         {"O.fig10"},
         {helped}},
        {"O-networks",
         "Speedup of the networks",
         "In time, all passes together.",
         {"O.network"},
         {layer_chart(networks())}},
        {"O-sizes", "Sizes of the tables", "What the schemes add to an SM.", {"O.area"}, {}},
    };
}

}  // namespace tessera

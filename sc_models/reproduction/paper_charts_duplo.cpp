#include "sc_models/reproduction/paper_charts.h"

namespace tessera {
namespace {

/// An experiment over buffer sizes; most of the paper's figures use one.
struct Sizes {
    const char* experiment;
    const char* reading;  ///< text for headings: how its reading of the paper differs
    std::vector<LayerSeries> series;
    std::string at_1024, infinite;  ///< names of variants
};

Sizes shipped() {
    return {"duplo_fig9_fig10",
            "",
            {{"lhb256", "256 entries"},
             {"lhb512", "512 entries"},
             {"lhb1024", "1024 entries"},
             {"lhb2048", "2048 entries"},
             {"oracle", "infinite buffer"}},
            "lhb1024",
            "oracle"};
}

Sizes second_reading() {
    return {"duplo_gpgpusim",
            "; second reading: GPGPU-Sim's Titan V, a hit frees its slot",
            {{"lhb1024_frees", "1024 entries"},
             {"lhb2048_frees", "2048 entries"},
             {"oracle_frees", "infinite buffer"}},
            "lhb1024_frees",
            "oracle_frees"};
}

/// The series of the experiment with the ids of the means that the paper states.
std::vector<LayerSeries> with_means(const Sizes& sizes, const char* at_1024, const char* infinite) {
    std::vector<LayerSeries> series = sizes.series;
    for (LayerSeries& one : series) {
        if (one.variant == sizes.at_1024) one.mean_id = at_1024;
        if (one.variant == sizes.infinite) one.mean_id = infinite;
    }
    return series;
}

/// Two charts: one for the shipped preset and one for the second reading.
template <typename Make>
std::vector<ChartMaker> both_readings(Make make) {
    return {layer_chart(make(shipped())), layer_chart(make(second_reading()))};
}

std::vector<ChartMaker> joined(std::vector<ChartMaker> first, const std::vector<ChartMaker>& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

LayerChart speedup(const Sizes& sizes) {
    return {sizes.experiment, std::string("Speedup of the matrix product") + sizes.reading,
            "% faster than without Duplo", column("speedup_percent"),
            with_means(sizes, "D.fig9.lhb1024.speedup", "D.fig9.oracle.speedup")};
}

LayerChart stalls(const Sizes& sizes) {
    return {sizes.experiment,
            std::string("Cycles that the LDST unit is stalled") + sizes.reading,
            "change, %",
            column("ldst_stall_cycles_change_percent"),
            {{sizes.infinite, "infinite buffer", "D.fig9.oracle.ldst_stall_cycles"}}};
}

LayerChart hit_rate(const Sizes& sizes) {
    return {sizes.experiment, std::string("Hit rate of the load history buffer") + sizes.reading,
            "% of the loads of A", column("hit_rate_percent"),
            with_means(sizes, "", "D.fig10.hit_rate.saturation")};
}

LayerChart services(const Sizes& sizes) {
    const std::string& of = sizes.at_1024;
    return {sizes.experiment,
            std::string("Loads served by each level, 1024 entries") + sizes.reading,
            "change, %",
            {},
            {{of, "L1", "D.fig11.l1_services", "", {}, column("l1_services_change_percent")},
             {of, "L2", "D.fig11.l2_services", "", {}, column("l2_services_change_percent")},
             {of, "DRAM", "D.fig11.dram_traffic", "", {}, column("dram_services_change_percent")}}};
}

LayerChart miss_rates(const Sizes& sizes) {
    return {sizes.experiment,
            std::string("Miss rates without Duplo") + sizes.reading,
            "% of accesses",
            {},
            {{"baseline", "L1", "D.base.l1_miss_rate", "", {}, column("l1_miss_rate_percent")},
             {"baseline", "L2", "D.base.l2_miss_rate", "", {}, column("l2_miss_rate_percent")}}};
}

LayerChart network_time(const Sizes& sizes) {
    LayerChart chart{
        sizes.experiment,
        std::string("Time of the networks, forward, 1024 entries, im2col left out") + sizes.reading,
        "change, %",
        network_time_change(),
        {{sizes.at_1024, "1024 entries", "D.fig14.inference_time"}}};
    chart.is_by_network = true;
    return chart;
}

LayerChart energy(const Sizes& sizes) {
    return {sizes.experiment,
            std::string("Energy of registers, caches and detection, 1024 entries") + sizes.reading,
            "change, %",
            column("energy_storage_uj_change_percent"),
            {{sizes.at_1024, "1024 entries", "D.energy.on_chip"}}};
}

LayerChart larger_caches(const char* experiment, const char* reading) {
    return {experiment,
            std::string("Speedup by 512 KiB of L1 and 18 MiB of L2, without Duplo") + reading,
            "% faster than the baseline",
            column("speedup_percent"),
            {{"bigger_caches", "larger caches", "D.base.bigger_caches"}}};
}

}  // namespace

std::vector<PageFigure> duplo_page_figures() {
    const LayerChart limit{"duplo_claims",
                           "Hit rate if nothing is ever released and octets load once",
                           "% of the loads of A",
                           column("hit_rate_percent"),
                           {{"limit", "nothing released", "D.fig10.hit_rate.limit"}}};
    const LayerChart ways{"duplo_fig12",
                          "Speedup of the matrix product, 1024 entries",
                          "% faster than without Duplo",
                          column("speedup_percent"),
                          {{"ways1", "direct-mapped"},
                           {"ways2", "2 ways"},
                           {"ways4", "4 ways"},
                           {"ways8", "8 ways"}}};
    const LayerChart ways_over{"duplo_fig12",
                               "8 ways over direct-mapped",
                               "% faster",
                               faster_than("ways1"),
                               {{"ways8", "8 ways", "D.fig12.8way_over_direct"}}};
    const LayerChart batch{
        "duplo_fig13",
        "Speedup of the matrix product, 1024 entries",
        "% faster than without Duplo at the same batch",
        column("speedup_percent"),
        {{"batch8", "batch 8"}, {"batch16", "batch 16"}, {"batch32", "batch 32"}}};
    const LayerChart latency{"duplo_claims",
                             "Detection in 3 cycles instead of 2",
                             "% faster",
                             faster_than("lhb1024"),
                             {{"latency3", "3 cycles", "D.latency3.degradation"}}};
    const char* const reading = second_reading().reading;
    return {
        {"D-fig2",
         "Figure 2: convolution methods on a card",
         "How many times as fast as direct convolution each method is on the authors' card.",
         {"D.fig2"},
         {}},
        {"D-fig3",
         "Figure 3: memory of convolution methods",
         "How many times the memory of direct convolution each method takes, layers of Table I.",
         {"D.fig3"},
         {}},
        {"D-examples",
         "Table II and Figure 6: worked examples, and sizes",
         "Examples that the paper draws, worked out by the blocks of the model as they are.",
         {"D.table2", "D.fig6", "D.info_packet", "D.lhb"},
         {}},
        {"D-baseline",
         "The baseline: miss rates and larger caches",
         "What the machine does without Duplo, by layer of Table I.",
         {"D.base"},
         joined(both_readings(miss_rates),
                {layer_chart(larger_caches("duplo_claims", "")),
                 layer_chart(larger_caches("duplo_gpgpusim", reading))})},
        {"D-fig9",
         "Figure 9: speedup by size of the load history buffer",
         "How much faster the matrix products of the 22 layers become.",
         {"D.fig9"},
         joined(both_readings(speedup), both_readings(stalls))},
        {"D-fig10",
         "Figure 10: hit rate by size of the load history buffer",
         "How many of the loads of A find their value in a register.",
         {"D.fig10"},
         joined(both_readings(hit_rate), {layer_chart(limit)})},
        {"D-fig11",
         "Figure 11: who serves the loads",
         "How many fewer loads each level of memory serves with 1024 entries.",
         {"D.fig11"},
         both_readings(services)},
        {"D-fig12",
         "Figure 12: associativity of the load history buffer",
         "1024 entries, as many ways.",
         {"D.fig12"},
         {layer_chart(ways), layer_chart(ways_over)}},
        {"D-fig13",
         "Figure 13: batch size",
         "1024 entries, each batch against the baseline of its own.",
         {"D.fig13"},
         {layer_chart(batch)}},
        {"D-fig14",
         "Figure 14: time of whole networks",
         "The time of a network is the sum of its layers'; im2col is not in it.",
         {"D.fig14", "D.abstract"},
         both_readings(network_time)},
        {"D-energy",
         "Energy and area",
         "Energy of a run by the model's account of events, area by CACTI.",
         {"D.energy", "D.area"},
         both_readings(energy)},
        {"D-text",
         "Further claims of the text",
         "",
         {"D.latency3", "D.gemm"},
         {layer_chart(latency)}},
    };
}

}  // namespace tessera

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sc_models/common/text_table.h"
#include "sc_models/reproduction/paper_rules.h"

namespace tessera {
namespace {

using Value = std::optional<double>;
using Measured = PaperMeasurement;

constexpr double kMillion = 1e6;

/// Converts a change of time to a speedup, both in percent.
Value speedup_of(Value time_change) {
    if (!time_change) return time_change;
    return 100.0 * (1.0 / (1.0 + *time_change / 100.0) - 1.0);
}

Value minus(Value a, Value b) {
    return a && b ? Value(*a - *b) : std::nullopt;
}

std::vector<double> by_layer(const Summary& s, const std::string& variant,
                             const std::string& column) {
    std::vector<double> values;
    for (const std::string& layer : s.layers()) {
        if (const Value found = s.value(layer, variant, column)) values.push_back(*found);
    }
    return values;
}

Measured speedup(const Summary& s, const std::string& variant) {
    return {s.mean(variant, "speedup_percent"), speedup_of(s.total_change(variant, "cycles")), "",
            by_layer(s, variant, "speedup_percent")};
}

Measured change(const Summary& s, const std::string& variant, const std::string& metric) {
    const std::string column = metric + "_change_percent";
    return {s.mean(variant, column), s.total_change(variant, metric), "",
            by_layer(s, variant, column)};
}

/// Speedup of `variant` over `other` in percent; `other` need not be its baseline. The remark of a
/// single layer states the cycles.
Measured over(const Summary& s, const char* variant, const char* other) {
    double sum = 0;
    double cycles = 0;
    double other_cycles = 0;
    std::vector<double> gains;
    for (const std::string& layer : s.layers()) {
        const Value a = s.value(layer, variant, "cycles");
        const Value b = s.value(layer, other, "cycles");
        if (!a || !b) continue;
        gains.push_back(100.0 * (*b / *a - 1.0));
        sum += gains.back();
        cycles += *a;
        other_cycles += *b;
    }
    if (gains.empty()) return {};
    const std::string remark = gains.size() == 1
                                   ? fmt::format("{:.2f} M cycles, in place of {:.2f} M",
                                                 cycles / kMillion, other_cycles / kMillion)
                                   : "";
    return {sum / static_cast<double>(gains.size()), percent_change(cycles, other_cycles), remark,
            gains};
}

/// Mean miss rate of the baselines; the remark counts hits on pending lines as misses.
Measured miss_rate(const Summary& s, const std::string& cache) {
    const Value pending = s.mean("baseline", cache + "_miss_rate_with_pending_percent");
    return {s.mean("baseline", cache + "_miss_rate_percent"), std::nullopt,
            fmt::format("{} if hits on lines under way count as misses", number_cell(pending))};
}

Measured hit_rate(const Summary& s, const std::string& variant) {
    double hits = 0;
    double loads = 0;
    for (const std::string& layer : s.layers()) {
        hits += s.value(layer, variant, "lhb_services").value_or(0);
        loads += s.value(layer, variant, "loads_of_a").value_or(0);
    }
    return {s.mean(variant, "hit_rate_percent"),
            loads > 0 ? Value(100.0 * hits / loads) : std::nullopt, ""};
}

/// Change of the speedup factor from batch 8 to batch 32, in percent.
Measured batch_loss(const Summary& s) {
    const auto lost = [](Value small, Value large) {
        return small && large ? percent_change(100.0 + *small, 100.0 + *large) : std::nullopt;
    };
    const Measured small = speedup(s, "batch8");
    const Measured large = speedup(s, "batch32");
    const std::string remark = fmt::format("gain {} % at batch 8, {} % at batch 32",
                                           number_cell(small.mean), number_cell(large.mean));
    return {lost(small.mean, large.mean), lost(small.total, large.total), remark, {}};
}

Measured network_time(const Summary& s, const std::string& variant) {
    Measured time{s.network_change(variant, "cycles"), s.total_change(variant, "cycles"), ""};
    if (s.mean(variant, "im2col_cycles").value_or(0) > 0) {
        time.remark = signed_cell(s.network_change(variant, "total_cycles")) + " with im2col";
    }
    return time;
}

/// Change of the networks' time, im2col kernels and matrix products together.
Measured network_time_with_im2col(const Summary& s) {
    constexpr const char* kVariant = "duplo_after_im2col";
    return {s.network_change(kVariant, "total_cycles"), s.total_change(kVariant, "total_cycles"),
            ""};
}

/// Cycles of all training passes. First layers read an image and compute no input gradient.
double training_cycles(const Summary& s, const std::string& layer, const char* forward,
                       const char* input) {
    const bool of_image = layer == "resnet.C1" || layer == "yolo.C1";
    const auto cycles = [&](const char* variant) {
        return s.value(layer, variant, "total_cycles").value_or(0);
    };
    return cycles(forward) + (of_image ? 0 : cycles(input)) + cycles("filters");
}

/// Change of training time with Duplo in the forward pass; variant `input` computes the input
/// gradient.
Measured training_time(const Summary& s, const char* input) {
    std::map<std::string, std::pair<double, double>> networks;
    std::pair<double, double> all;
    for (const std::string& layer : s.layers()) {
        const double before = training_cycles(s, layer, "forward", "input");
        const double after = training_cycles(s, layer, "forward_duplo", input);
        auto& [network_before, network_after] = networks[layer.substr(0, layer.find('.'))];
        network_before += before;
        network_after += after;
        all.first += before;
        all.second += after;
    }
    double sum = 0;
    for (const auto& [name, times] : networks) {
        sum += percent_change(times.first, times.second).value_or(0);
    }
    if (networks.empty()) return {};
    return {sum / static_cast<double>(networks.size()), percent_change(all.first, all.second), ""};
}

/// Energy of registers, caches and detection unit, which the paper calls on-chip (V-H).
Measured energy(const Summary& s, const std::string& variant) {
    Measured found = change(s, variant, "energy_storage_uj");
    found.remark = fmt::format("{} with tensor cores, issue and network",
                               signed_cell(change(s, variant, "energy_on_chip_uj").mean));
    return found;
}

Measured gap(const Summary& s, const std::string& larger, const std::string& smaller) {
    const Measured large = speedup(s, larger);
    const Measured small = speedup(s, smaller);
    return {minus(large.mean, small.mean), minus(large.total, small.total), ""};
}

/// Figure 2: mean over the layers of the times as fast as direct convolution, all kernels of a
/// method counted. The remark has the least and the most of a layer.
Measured over_direct(const Summary& s, const char* variant) {
    std::vector<double> ratios;
    double direct = 0;
    double method = 0;
    for (const std::string& layer : s.layers()) {
        const Value a = s.value(layer, variant, "total_cycles");
        const Value b = s.value(layer, "direct", "total_cycles");
        if (!a || !b || *a <= 0) continue;
        ratios.push_back(*b / *a);
        direct += *b;
        method += *a;
    }
    if (ratios.empty()) return {};
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    const double mean =
        std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
    return {mean, direct / method,
            fmt::format("{} layers, from {} to {}", ratios.size(), number_cell(Value(*least)),
                        number_cell(Value(*most))),
            ratios};
}

/// An experiment over buffer sizes, for Figures 9, 10, 11 and 14.
struct SizeStudy {
    const char* experiment;
    const char* reading;  ///< how its reading of the paper differs, in words
    std::string small, large, oracle;
};

void add_sizes(std::vector<PaperRule>& rules, const SizeStudy& sizes) {
    const auto add = [&](const char* id, const char* what,
                         std::function<Measured(const Summary&)> measure) {
        rules.push_back(
            {id, sizes.experiment, std::string(what) + sizes.reading, std::move(measure)});
    };
    const auto& [experiment, reading, small, large, oracle] = sizes;
    add("D.fig9.lhb1024.speedup", "speedup, 1024 entries",
        [small = small](const Summary& s) { return speedup(s, small); });
    add("D.fig9.oracle.speedup", "speedup, infinite buffer",
        [oracle = oracle](const Summary& s) { return speedup(s, oracle); });
    add("D.fig9.lhb2048.gap_to_oracle", "speedup, infinite less 2048 entries",
        [oracle = oracle, large = large](const Summary& s) { return gap(s, oracle, large); });
    add("D.fig9.oracle.loads_eliminated", "loads of A eliminated, infinite buffer",
        [oracle = oracle](const Summary& s) { return hit_rate(s, oracle); });
    add("D.fig9.oracle.ldst_stall_cycles", "LDST stall cycles, infinite buffer",
        [oracle = oracle](const Summary& s) { return change(s, oracle, "ldst_stall_cycles"); });
    add("D.fig10.hit_rate.saturation", "hit rate, infinite buffer",
        [oracle = oracle](const Summary& s) { return hit_rate(s, oracle); });
    add("D.fig11.dram_traffic", "loads served by DRAM, 1024 entries",
        [small = small](const Summary& s) { return change(s, small, "dram_services"); });
    add("D.fig11.l1_services", "loads served by L1, 1024 entries",
        [small = small](const Summary& s) { return change(s, small, "l1_services"); });
    add("D.fig11.l2_services", "loads served by L2, 1024 entries",
        [small = small](const Summary& s) { return change(s, small, "l2_services"); });
    add("D.base.l1_miss_rate", "L1 miss rate, baseline",
        [](const Summary& s) { return miss_rate(s, "l1"); });
    add("D.base.l2_miss_rate", "L2 miss rate, baseline",
        [](const Summary& s) { return miss_rate(s, "l2"); });
    add("D.fig14.inference_time", "time of the networks, 1024 entries",
        [small = small](const Summary& s) { return network_time(s, small); });
    add("D.energy.on_chip", "energy of registers, caches and detection, 1024 entries",
        [small = small](const Summary& s) { return energy(s, small); });
    add("D.abstract.speedup", "speedup of the networks, 1024 entries",
        [small = small](const Summary& s) {
            const Measured time = network_time(s, small);
            return Measured{speedup_of(time.mean), speedup_of(time.total), ""};
        });
}

std::vector<PaperRule> make_rules() {
    static const char* const kClaims = "duplo_claims";
    static const char* const kGpgpusim = "duplo_gpgpusim";
    static const char* const kReading = "; on gpgpusim_titan_v";
    std::vector<PaperRule> rules;
    add_sizes(rules, {"duplo_fig9_fig10", "", "lhb1024", "lhb2048", "oracle"});
    rules.insert(
        rules.end(),
        {{"D.fig10.hit_rate.limit", kClaims, "hit rate, nothing ever released, octets once",
          [](const Summary& s) { return hit_rate(s, "limit"); }},
         {"D.base.bigger_caches", kClaims, "speedup of bigger caches, no Duplo",
          [](const Summary& s) { return speedup(s, "bigger_caches"); }},
         {"D.fig12.8way_over_direct", "duplo_fig12", "8 ways over direct-mapped",
          [](const Summary& s) { return over(s, "ways8", "ways1"); }},
         {"D.fig13.batch8_to_32", "duplo_fig13", "gain of batch 32 against that of batch 8",
          [](const Summary& s) { return batch_loss(s); }},
         {"D.latency3.degradation", kClaims, "detection in 3 cycles instead of 2",
          [](const Summary& s) { return over(s, "latency3", "lhb1024"); }},
         {"D.fig2.gemm_cuda", "duplo_fig2", "product in FP32 on the CUDA cores over direct",
          [](const Summary& s) { return over_direct(s, "gemm_cuda"); }},
         {"D.fig2.gemm_tensor", "duplo_fig2", "implicit GEMM on the tensor cores over direct",
          [](const Summary& s) { return over_direct(s, "gemm_tensor"); }},
         {"D.fig2.winograd", "duplo_fig2_transforms", "Winograd F(2x2, 3x3) over direct",
          [](const Summary& s) { return over_direct(s, "winograd"); }},
         {"D.fig2.fft", "duplo_fig2_transforms", "Fourier transforms of 16x16 tiles over direct",
          [](const Summary& s) { return over_direct(s, "fft"); }},
         {"D.gemm.c_only_over_all_in_shared", "duplo_placements",
          "only C in shared memory over A, B and C, 4096^3",
          [](const Summary& s) { return over(s, "c_only", "all_in_shared"); }},
         {"D.area.of_register_file", "duplo_fig9_fig10",
          "area of 1024 entries, of the register file's",
          [](const Summary& s) {
              return Measured{s.mean("lhb1024", "duplo_area_of_register_file_percent"), {}, ""};
          }},
         {"D.fig14.inference_time", "im2col", "time of the networks, 1024 entries; with im2col",
          network_time_with_im2col},
         {"D.fig14.training_time", "duplo_training",
          "training, Duplo in forward pass and gradient of the input",
          [](const Summary& s) { return training_time(s, "input_duplo"); }},
         {"D.fig14.training_time", "duplo_training", "training, Duplo in the forward pass alone",
          [](const Summary& s) { return training_time(s, "input"); }},
         {"D.abstract.speedup", "im2col", "speedup of the networks, 1024 entries; with im2col",
          [](const Summary& s) {
              const Measured time = network_time_with_im2col(s);
              return Measured{speedup_of(time.mean), speedup_of(time.total), ""};
          }},
         {"D.base.bigger_caches", kGpgpusim,
          std::string("speedup of bigger caches, no Duplo") + kReading,
          [](const Summary& s) { return speedup(s, "bigger_caches"); }}});
    add_sizes(rules, {kGpgpusim, kReading, "lhb1024_frees", "lhb2048_frees", "oracle_frees"});
    return rules;
}

}  // namespace

const std::vector<PaperRule>& duplo_rules() {
    static const std::vector<PaperRule> kRules = make_rules();
    return kRules;
}

}  // namespace tessera

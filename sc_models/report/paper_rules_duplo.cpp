#include <fmt/format.h>

#include "sc_models/report/paper_rules.h"
#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

using Value = std::optional<double>;
using Measured = PaperMeasurement;

/// Speedup in percent from a change of time in percent.
Value speedup_of(Value time_change) {
    if (!time_change) return time_change;
    return 100.0 * (1.0 / (1.0 + *time_change / 100.0) - 1.0);
}

Value minus(Value a, Value b) {
    return a && b ? Value(*a - *b) : std::nullopt;
}

Measured speedup(const Summary& s, const char* variant) {
    return {s.mean(variant, "speedup_percent"), speedup_of(s.total_change(variant, "cycles")), ""};
}

Measured change(const Summary& s, const char* variant, const std::string& metric) {
    return {s.mean(variant, metric + "_change_percent"), s.total_change(variant, metric), ""};
}

/// How much faster `variant` is than `other`, which need not be its baseline.
Measured over(const Summary& s, const char* variant, const char* other) {
    double sum = 0;
    double cycles = 0;
    double other_cycles = 0;
    std::size_t count = 0;
    for (const std::string& layer : s.layers()) {
        const Value a = s.value(layer, variant, "cycles");
        const Value b = s.value(layer, other, "cycles");
        if (!a || !b) continue;
        sum += 100.0 * (*b / *a - 1.0);
        cycles += *a;
        other_cycles += *b;
        ++count;
    }
    if (count == 0) return {};
    return {sum / static_cast<double>(count), percent_change(cycles, other_cycles), ""};
}

/// The mean of a baseline's miss rate, and how it reads if hits on lines under way are misses.
Measured miss_rate(const Summary& s, const std::string& cache) {
    const Value pending = s.mean("baseline", cache + "_miss_rate_with_pending_percent");
    return {s.mean("baseline", cache + "_miss_rate_percent"), std::nullopt,
            fmt::format("{} if hits on lines under way count as misses", number_cell(pending))};
}

Measured hit_rate(const Summary& s, const char* variant) {
    double hits = 0;
    double loads = 0;
    for (const std::string& layer : s.layers()) {
        hits += s.value(layer, variant, "lhb_services").value_or(0);
        loads += s.value(layer, variant, "loads_of_a").value_or(0);
    }
    return {s.mean(variant, "hit_rate_percent"),
            loads > 0 ? Value(100.0 * hits / loads) : std::nullopt, ""};
}

/// What the gain of batch 8 loses at batch 32.
Measured batch_loss(const Summary& s) {
    const auto lost = [](Value small, Value large) {
        return small && large ? percent_change(100.0 + *small, 100.0 + *large) : std::nullopt;
    };
    const Measured small = speedup(s, "batch8");
    const Measured large = speedup(s, "batch32");
    return {lost(small.mean, large.mean), lost(small.total, large.total), ""};
}

Measured network_time(const Summary& s) {
    Measured time{s.network_change("lhb1024", "cycles"), s.total_change("lhb1024", "cycles"), ""};
    if (s.mean("lhb1024", "im2col_cycles").value_or(0) > 0) {
        time.remark = signed_cell(s.network_change("lhb1024", "total_cycles")) + " with im2col";
    }
    return time;
}

/// Of registers, caches and detection unit, which the paper calls on-chip (V-H).
Measured energy(const Summary& s, const char* variant) {
    Measured found = change(s, variant, "energy_storage_uj");
    found.remark = fmt::format("{} with tensor cores, issue and network",
                               signed_cell(change(s, variant, "energy_on_chip_uj").mean));
    return found;
}

}  // namespace

const std::vector<PaperRule>& duplo_rules() {
    static const char* const kSizes = "duplo_fig9_fig10";
    static const std::vector<PaperRule> kRules = {
        {"D.fig9.lhb1024.speedup", kSizes, "speedup, 1024 entries",
         [](const Summary& s) { return speedup(s, "lhb1024"); }},
        {"D.fig9.oracle.speedup", kSizes, "speedup, infinite buffer",
         [](const Summary& s) { return speedup(s, "oracle"); }},
        {"D.fig9.lhb2048.gap_to_oracle", kSizes, "speedup, infinite less 2048 entries",
         [](const Summary& s) {
             const Measured oracle = speedup(s, "oracle");
             const Measured large = speedup(s, "lhb2048");
             return Measured{minus(oracle.mean, large.mean), minus(oracle.total, large.total), ""};
         }},
        {"D.fig9.oracle.loads_eliminated", kSizes, "loads of A eliminated, infinite buffer",
         [](const Summary& s) { return hit_rate(s, "oracle"); }},
        {"D.fig9.oracle.ldst_stall_cycles", kSizes, "LDST stall cycles, infinite buffer",
         [](const Summary& s) { return change(s, "oracle", "ldst_stall_cycles"); }},
        {"D.fig10.hit_rate.saturation", kSizes, "hit rate, infinite buffer",
         [](const Summary& s) { return hit_rate(s, "oracle"); }},
        {"D.fig10.hit_rate.limit", "duplo_knobs", "hit rate, nothing ever released, octets once",
         [](const Summary& s) { return hit_rate(s, "limit"); }},
        {"D.fig11.dram_traffic", kSizes, "loads served by DRAM, 1024 entries",
         [](const Summary& s) { return change(s, "lhb1024", "dram_services"); }},
        {"D.fig11.l1_services", kSizes, "loads served by L1, 1024 entries",
         [](const Summary& s) { return change(s, "lhb1024", "l1_services"); }},
        {"D.fig11.l2_services", kSizes, "loads served by L2, 1024 entries",
         [](const Summary& s) { return change(s, "lhb1024", "l2_services"); }},
        {"D.base.l1_miss_rate", kSizes, "L1 miss rate, baseline",
         [](const Summary& s) { return miss_rate(s, "l1"); }},
        {"D.base.l2_miss_rate", kSizes, "L2 miss rate, baseline",
         [](const Summary& s) { return miss_rate(s, "l2"); }},
        {"D.base.bigger_caches", "duplo_knobs", "speedup of bigger caches, no Duplo",
         [](const Summary& s) { return speedup(s, "bigger_caches"); }},
        {"D.fig12.8way_over_direct", "duplo_fig12", "8 ways over direct-mapped",
         [](const Summary& s) { return over(s, "ways8", "ways1"); }},
        {"D.fig13.batch8_to_32", "duplo_fig13", "gain of batch 32 against that of batch 8",
         [](const Summary& s) { return batch_loss(s); }},
        {"D.fig14.inference_time", kSizes, "time of the networks, 1024 entries",
         [](const Summary& s) { return network_time(s); }},
        {"D.latency3.degradation", "duplo_knobs", "detection in 3 cycles instead of 2",
         [](const Summary& s) { return over(s, "latency3", "lhb1024"); }},
        {"D.energy.on_chip", kSizes, "energy of registers, caches and detection, 1024 entries",
         [](const Summary& s) { return energy(s, "lhb1024"); }},
        {"D.area.of_register_file", kSizes, "area of 1024 entries, of the register file's",
         [](const Summary& s) {
             return Measured{s.mean("lhb1024", "duplo_area_of_register_file_percent"), {}, ""};
         }},
        {"D.abstract.speedup", kSizes, "speedup of the networks, 1024 entries",
         [](const Summary& s) {
             const Measured time = network_time(s);
             return Measured{speedup_of(time.mean), speedup_of(time.total), ""};
         }},
    };
    return kRules;
}

}  // namespace tessera

#include <fmt/format.h>

#include "sc_models/common/text_table.h"
#include "sc_models/reproduction/paper_rules.h"

namespace tessera {
namespace {

using Value = std::optional<double>;
using Measured = PaperMeasurement;

/// Mean over layers of a metric's change against the variant's baseline.
Measured layer_change(const Summary& s, const char* variant, const char* metric) {
    const SummaryVariant* const of = s.variant(variant);
    if (of == nullptr) return {};
    double sum = 0;
    std::vector<double> changes;
    for (const std::string& layer : s.layers()) {
        const Value a = s.value(layer, variant, metric);
        const Value b = s.value(layer, of->baseline, metric);
        if (!a || !b || *b == 0) continue;
        changes.push_back(100.0 * (*a / *b - 1.0));
        sum += changes.back();
    }
    if (changes.empty()) return {};
    return {sum / static_cast<double>(changes.size()), s.total_change(variant, metric), "",
            changes};
}

Measured of_baseline(const Summary& s, const char* variant, const char* metric) {
    Measured found = layer_change(s, variant, metric);
    if (found.mean) found.mean = 100.0 + *found.mean;
    if (found.total) found.total = 100.0 + *found.total;
    for (double& value : found.by_layer) value += 100.0;
    return found;
}

/// Change of instructions per cycle, the paper's performance metric, with those of assistant warps;
/// the remark states the speedup in time.
Measured ipc(const Summary& s, const char* variant) {
    Measured found = layer_change(s, variant, "ipc");
    found.total.reset();
    found.remark =
        fmt::format("speedup in time {}", signed_cell(s.mean(variant, "speedup_percent")));
    return found;
}

Measured layer_ipc(const Summary& s, const char* variant, const char* layer) {
    const SummaryVariant* const of = s.variant(variant);
    if (of == nullptr) return {};
    const Value a = s.value(layer, variant, "ipc");
    const Value b = s.value(layer, of->baseline, "ipc");
    if (!a || !b) return {};
    return {percent_change(*b, *a), std::nullopt,
            fmt::format("speedup in time {}, stalls {} % of the baseline's slots",
                        signed_cell(s.value(layer, variant, "speedup_percent")),
                        number_cell(s.value(layer, of->baseline, "stall_percent")))};
}

/// Change of IPC by the inter-SM scheme; the remark adds the share of assigned operations.
Measured inter_ipc(const Summary& s, const char* variant) {
    Measured found = ipc(s, variant);
    double assigned = 0, all = 0;
    for (const std::string& layer : s.layers()) {
        const Value percent = s.value(layer, variant, "assigned_percent");
        const Value operations = s.value(layer, variant, "vector_operations");
        if (!percent || !operations) continue;
        assigned += *percent * *operations;
        all += *operations;
    }
    if (all > 0) {
        found.remark +=
            fmt::format(", {} % of the operations assigned", number_cell(assigned / all, 2));
    }
    return found;
}

/// Change of IPC on a layer; the remark names the layer with the largest gain in time.
Measured best_layer(const Summary& s, const char* variant, const char* layer) {
    Measured found = layer_ipc(s, variant, layer);
    std::string best;
    Value most;
    for (const std::string& candidate : s.layers()) {
        const Value gain = s.value(candidate, variant, "speedup_percent");
        if (gain && (!most || *gain > *most)) {
            most = gain;
            best = candidate;
        }
    }
    if (const SummaryVariant* const of = s.variant(variant)) {
        const Value idle = s.value(layer, of->baseline, "stall_percent");
        const Value bound = idle && *idle < 100 ? Value(100 * *idle / (100 - *idle)) : std::nullopt;
        found.remark += fmt::format("; work in all of them: {}", signed_cell(bound));
    }
    if (most) found.remark += fmt::format("; best in time: {} {}", best, signed_cell(most));
    return found;
}

/// Speedup of a network in the summed time of its layers.
Measured one_network(const Summary& s, const char* variant, const std::string& network) {
    const SummaryVariant* const of = s.variant(variant);
    if (of == nullptr) return {};
    double before = 0, after = 0;
    for (const std::string& layer : s.layers()) {
        if (layer.rfind(network + ".", 0) != 0) continue;
        before += s.value(layer, of->baseline, "cycles").value_or(0);
        after += s.value(layer, variant, "cycles").value_or(0);
    }
    if (after == 0) return {};
    return {percent_change(after, before), std::nullopt, "in time, of the sum of its layers"};
}

Measured helped_share(const Summary& s, const char* variant) {
    const auto share = [&](const char* layer) -> Value {
        const Value predicted = s.value(layer, variant, "predicted_percent");
        const Value assigned = s.value(layer, variant, "assigned_percent");
        return predicted && assigned ? Value(*predicted + *assigned) : std::nullopt;
    };
    const Value c2 = share("lenet5.C2.forward"), c2_data = share("lenet5.C2.backward_data"),
                c1 = share("lenet5.C1.backward_weight");
    if (!c2 || !c2_data || !c1) return {};
    return {(*c2 + *c2_data + *c1) / 3, std::nullopt,
            fmt::format("forward C2 {}, gradients of C2's input {} and C1's weights {}, forward "
                        "C1 {}",
                        number_cell(c2), number_cell(c2_data), number_cell(c1),
                        number_cell(share("lenet5.C1.forward")))};
}

/// Share of misses found elsewhere, over all layers or on the layer with the largest share.
Measured found_elsewhere(const Summary& s, bool largest) {
    double misses = 0, found = 0, expected = 0;
    Value most;
    for (const std::string& layer : s.layers()) {
        misses += s.value(layer, "yseg8", "sharing_misses").value_or(0);
        expected += s.value(layer, "yseg8", "sharing_found_or_expected").value_or(0);
        found += s.value(layer, "yseg8", "sharing_found_elsewhere").value_or(0);
        const Value share = s.value(layer, "yseg8", "found_elsewhere_percent");
        if (share && (!most || *share > *most)) most = share;
    }
    if (misses == 0) return {};
    if (largest) return {most, std::nullopt, ""};
    return {100 * found / misses, std::nullopt,
            fmt::format("{} with blocks that are on their way there",
                        number_cell(100 * expected / misses))};
}

Measured column(const Summary& s, const char* variant, const char* layer, const char* metric) {
    return {s.value(layer, variant, metric), std::nullopt, ""};
}

/// Added storage as a share of an SM's storage, which the paper puts at 118 KiB.
Measured storage_share(const Summary& s) {
    constexpr double kSmBytes = 118 * 1024;
    const Value ours = s.value("lenet5.C1.forward", "both_scalar", "storage_per_sm_bytes");
    if (!ours) return {};
    return {100 * *ours / kSmBytes, std::nullopt,
            "tables and 384 bytes of registers; 5.036 KiB counts the registers four times"};
}

}  // namespace

const std::vector<PaperRule>& opportunistic_rules() {
    static const char* const kOpp = "opportunistic";
    static const std::vector<PaperRule> kRules = {
        {"O.fig1.c1_pairs_over_800", "opportunistic_sharing", "pairs of blocks, LeNet C1 forward",
         [](const Summary& s) {
             return column(s, "yseg8", "lenet5.C1.forward", "block_pairs_over_800_percent");
         }},
        {"O.fig1.c1_pairs_over_100", "opportunistic_sharing", "pairs of blocks, LeNet C1 forward",
         [](const Summary& s) {
             return column(s, "yseg8", "lenet5.C1.forward", "block_pairs_over_100_percent");
         }},
        {"O.fig2.found_in_other_sm.max", "opportunistic_sharing", "missing block in another L1",
         [](const Summary& s) { return found_elsewhere(s, true); }},
        {"O.fig2.found_in_other_sm.all", "opportunistic_sharing", "missing block in another L1",
         [](const Summary& s) { return found_elsewhere(s, false); }},
        {"O.fig5.intra.c1.mean", kOpp, "IPC, intra, 256 entries",
         [](const Summary& s) { return ipc(s, "intra_c1"); }},
        {"O.fig5.intra.c2.mean", kOpp, "IPC, intra, 512 entries",
         [](const Summary& s) { return ipc(s, "intra_c2"); }},
        {"O.fig6.intra.c1.time", kOpp, "time, intra, 256 entries",
         [](const Summary& s) { return layer_change(s, "intra_c1", "cycles"); }},
        {"O.fig6.intra.c2.time", kOpp, "time, intra, 512 entries",
         [](const Summary& s) { return layer_change(s, "intra_c2", "cycles"); }},
        {"O.fig5.intra.lenet_c2_fwd.c1", kOpp, "IPC, intra, LeNet C2 forward",
         [](const Summary& s) { return layer_ipc(s, "intra_c1", "lenet5.C2.forward"); }},
        {"O.fig5.intra.lenet_c2_fwd.c2", kOpp, "IPC, intra, LeNet C2 forward",
         [](const Summary& s) { return layer_ipc(s, "intra_c2", "lenet5.C2.forward"); }},
        {"O.fig5.intra.alexnet_c3_fwd.c1", kOpp, "IPC, intra, AlexNet third layer",
         [](const Summary& s) {
             return layer_ipc(s, "intra_c1", "alexnet_opportunistic.A3.forward");
         }},
        {"O.fig5.intra.alexnet_c3_fwd.c2", kOpp, "IPC, intra, AlexNet third layer",
         [](const Summary& s) {
             return layer_ipc(s, "intra_c2", "alexnet_opportunistic.A3.forward");
         }},
        {"O.fig5.inter.mean.c1", kOpp, "IPC, inter, 512 entries",
         [](const Summary& s) { return inter_ipc(s, "inter_c1"); }},
        {"O.fig5.inter.mean.c2", kOpp, "IPC, inter, 1024 entries",
         [](const Summary& s) { return inter_ipc(s, "inter_c2"); }},
        {"O.fig5.both.mean.c1", kOpp, "IPC, both, C1",
         [](const Summary& s) { return ipc(s, "both_c1"); }},
        {"O.fig5.both.mean.c2", kOpp, "IPC, both, C2",
         [](const Summary& s) { return ipc(s, "both_c2"); }},
        {"O.fig5.both.best", kOpp, "IPC, both, LeNet C1 forward",
         [](const Summary& s) { return best_layer(s, "both_c2", "lenet5.C1.forward"); }},
        {"O.network.lenet", kOpp, "LeNet-5, both, C2",
         [](const Summary& s) { return one_network(s, "both_c2", "lenet5"); }},
        {"O.network.alexnet", kOpp, "AlexNet's four layers, both, C2",
         [](const Summary& s) { return one_network(s, "both_c2", "alexnet_opportunistic"); }},
        {"O.fig7.stall.intra.c1", kOpp, "stall cycles, intra, C1",
         [](const Summary& s) { return layer_change(s, "intra_c1", "stall_cycles"); }},
        {"O.fig7.stall.intra.c2", kOpp, "stall cycles, intra, C2",
         [](const Summary& s) { return layer_change(s, "intra_c2", "stall_cycles"); }},
        {"O.fig7.stall.inter_of_baseline.c1", kOpp, "stall cycles, inter, C1, of the baseline's",
         [](const Summary& s) { return of_baseline(s, "inter_c1", "stall_cycles"); }},
        {"O.fig7.stall.inter_of_baseline.c2", kOpp, "stall cycles, inter, C2, of the baseline's",
         [](const Summary& s) { return of_baseline(s, "inter_c2", "stall_cycles"); }},
        {"O.fig7.stall.both.c1", kOpp, "stall cycles, both, C1",
         [](const Summary& s) { return layer_change(s, "both_c1", "stall_cycles"); }},
        {"O.fig7.stall.both.c2", kOpp, "stall cycles, both, C2",
         [](const Summary& s) { return layer_change(s, "both_c2", "stall_cycles"); }},
        {"O.fig8.energy.intra", kOpp, "energy, intra, C1",
         [](const Summary& s) { return layer_change(s, "intra_c1", "energy_uj"); }},
        {"O.fig8.energy.inter", kOpp, "energy, inter, C1",
         [](const Summary& s) { return layer_change(s, "inter_c1", "energy_uj"); }},
        {"O.fig9.accuracy.c1", kOpp, "predictions used, intra, C1",
         [](const Summary& s) {
             return Measured{s.mean("intra_c1", "prediction_accuracy_percent"), {}, ""};
         }},
        {"O.fig9.accuracy.c2", kOpp, "predictions used, intra, C2",
         [](const Summary& s) {
             return Measured{s.mean("intra_c2", "prediction_accuracy_percent"), {}, ""};
         }},
        {"O.fig10.predicted_plus_assigned", kOpp, "predicted or assigned, both, C2",
         [](const Summary& s) { return helped_share(s, "both_c2"); }},
        {"O.area.precompute_table_bytes", "opportunistic_storage", "bytes, 256 scalar entries",
         [](const Summary& s) {
             return column(s, "both_scalar", "lenet5.C1.forward", "precompute_table_bytes");
         }},
        {"O.area.assign_table_bytes", "opportunistic_storage", "bytes, 512 entries",
         [](const Summary& s) {
             return column(s, "both_scalar", "lenet5.C1.forward", "assign_table_bytes");
         }},
        {"O.area.per_sm", "opportunistic_storage", "storage of an SM, scalar entries",
         [](const Summary& s) { return storage_share(s); }},
    };
    return kRules;
}

}  // namespace tessera

#include "sc_models/gpu/paper_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <functional>

#include "sc_models/common/yaml_reader.h"
#include "sc_models/gpu/text_table.h"

namespace tessera {
namespace {

using Value = std::optional<double>;

struct Measured {
    Value mean, total;
    std::string remark;
};

/// How one figure of a paper is read off one of the shipped experiments.
struct Rule {
    const char* id;
    const char* experiment;
    const char* what;
    std::function<Measured(const Summary&)> measure;
};

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

/// Mean over layers of the change of a metric against the variant's baseline.
Measured layer_change(const Summary& s, const char* variant, const char* metric) {
    const SummaryVariant* const of = s.variant(variant);
    if (of == nullptr) return {};
    double sum = 0;
    std::size_t count = 0;
    for (const std::string& layer : s.layers()) {
        const Value a = s.value(layer, variant, metric);
        const Value b = s.value(layer, of->baseline, metric);
        if (!a || !b || *b == 0) continue;
        sum += 100.0 * (*a / *b - 1.0);
        ++count;
    }
    if (count == 0) return {};
    return {sum / static_cast<double>(count), s.total_change(variant, metric), ""};
}

Measured of_baseline(const Summary& s, const char* variant, const char* metric) {
    Measured found = layer_change(s, variant, metric);
    if (found.mean) found.mean = 100.0 + *found.mean;
    if (found.total) found.total = 100.0 + *found.total;
    return found;
}

/// The paper's performance is instructions a cycle, those of assistant warps included; the time
/// follows as a remark.
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

/// The layer a variant gains most on, in time.
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
    if (most) found.remark += fmt::format("; best in time: {} {}", best, signed_cell(most));
    return found;
}

/// Speedup of a network, the sum of its layers.
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

/// Over the misses of all layers, or of the layer with the largest share.
Measured found_elsewhere(const Summary& s, bool largest) {
    double misses = 0, found = 0, expected = 0;
    Value most;
    for (const std::string& layer : s.layers()) {
        misses += s.value(layer, "yseg4", "sharing_misses").value_or(0);
        expected += s.value(layer, "yseg4", "sharing_found_or_expected").value_or(0);
        found += s.value(layer, "yseg4", "sharing_found_elsewhere").value_or(0);
        const Value share = s.value(layer, "yseg4", "found_elsewhere_percent");
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

/// Of an SM's storage, which the paper puts at 118 KiB.
Measured storage_share(const Summary& s) {
    constexpr double kSmBytes = 118 * 1024;
    const Value ours = s.value("lenet5.C1.forward", "both_scalar", "storage_per_sm_bytes");
    if (!ours) return {};
    return {100 * *ours / kSmBytes, std::nullopt,
            "tables and 384 bytes of registers; 5.036 KiB counts the registers four times"};
}

const std::vector<Rule>& rules() {
    static const char* const kOpp = "opportunistic";
    static const char* const kSizes = "duplo_fig9_fig10";
    static const std::vector<Rule> kRules = {
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
        {"D.abstract.speedup", kSizes, "speedup of the networks, 1024 entries",
         [](const Summary& s) {
             const Measured time = network_time(s);
             return Measured{speedup_of(time.mean), speedup_of(time.total), ""};
         }},
        {"O.fig1.c1_pairs_over_800", "opportunistic_sharing", "pairs of blocks, LeNet C1 forward",
         [](const Summary& s) {
             return column(s, "yseg4", "lenet5.C1.forward", "block_pairs_over_800_percent");
         }},
        {"O.fig1.c1_pairs_over_100", "opportunistic_sharing", "pairs of blocks, LeNet C1 forward",
         [](const Summary& s) {
             return column(s, "yseg4", "lenet5.C1.forward", "block_pairs_over_100_percent");
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
         [](const Summary& s) { return ipc(s, "inter_c1"); }},
        {"O.fig5.inter.mean.c2", kOpp, "IPC, inter, 1024 entries",
         [](const Summary& s) { return ipc(s, "inter_c2"); }},
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

std::optional<PaperAnswer> answer(const PaperFigure& figure,
                                  const std::vector<Summary>& summaries) {
    for (const Rule& rule : rules()) {
        if (figure.id != rule.id) continue;
        for (const Summary& summary : summaries) {
            if (summary.name() != rule.experiment) continue;
            Measured measured = rule.measure(summary);
            if (!measured.mean) continue;
            return PaperAnswer{
                figure,          rule.what,      measured.mean,          measured.total,
                measured.remark, summary.name(), summary.layers().size()};
        }
    }
    return std::nullopt;
}

/// The number a scalar is, if it is one.
Value number_of(const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::kScalar) return std::nullopt;
    double value = 0;
    const char* end = node.scalar.data() + node.scalar.size();
    const auto [stop, error] = std::from_chars(node.scalar.data(), end, value);
    return error == std::errc() && stop == end ? Value(value) : std::nullopt;
}

/// The numbers of a figure, with what tells them apart in its id: pairs of opportunistic computing
/// are its configurations C1 and C2. Nothing for other lists and words.
std::vector<std::pair<std::string, double>> values_of(const ConfigNode* stated,
                                                      const std::string& id) {
    if (stated == nullptr) return {};
    if (const Value one = number_of(*stated)) return {{"", *one}};
    constexpr std::size_t kConfigurations = 2;
    if (id.rfind("O.", 0) != 0 || stated->items.size() != kConfigurations) return {};
    const Value c1 = number_of(stated->items[0]), c2 = number_of(stated->items[1]);
    if (!c1 || !c2) return {};
    return {{".c1", *c1}, {".c2", *c2}};
}

std::string text_of(const ConfigNode& entry, std::string_view key) {
    const ConfigNode* node = entry.find(key);
    return node == nullptr ? "" : node->as_text(key);
}

}  // namespace

std::optional<double> PaperAnswer::difference() const {
    return minus(mean, paper.value);
}

std::vector<PaperFigure> read_paper_figures(const std::string& path) {
    std::vector<PaperFigure> figures;
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    for (const ConfigNode::Member& paper : root.members) {
        const ConfigNode* results = paper.value.find("results");
        if (results == nullptr) continue;
        results->expect_list(join_path(paper.key, "results"));
        for (const ConfigNode& entry : results->items) {
            const ConfigNode* stated = entry.find("value");
            const PaperFigure figure = {text_of(entry, "id"), text_of(entry, "kind"),
                                        text_of(entry, "unit"), text_of(entry, "note"), 0};
            for (const auto& [suffix, value] : values_of(stated, figure.id)) {
                figures.push_back(figure);
                figures.back().id += suffix;
                figures.back().value = value;
            }
        }
    }
    return figures;
}

PaperComparison compare_with_papers(const std::vector<PaperFigure>& figures,
                                    const std::vector<Summary>& summaries) {
    PaperComparison comparison;
    for (const PaperFigure& figure : figures) {
        if (auto found = answer(figure, summaries)) {
            comparison.answers.push_back(std::move(*found));
        } else if (figure.kind == "measured") {
            comparison.unanswered.push_back(figure);
        }
    }
    // Only of papers that these sweeps are about; of Duplo if they are about none.
    const auto about = [&comparison](const PaperFigure& figure) {
        const std::string paper = figure.id.substr(0, 2);
        const auto& all = comparison.answers;
        return std::any_of(all.begin(), all.end(),
                           [&](const PaperAnswer& a) { return a.paper.id.rfind(paper, 0) == 0; }) ||
               (all.empty() && paper == "D.");
    };
    auto& unanswered = comparison.unanswered;
    unanswered.erase(std::remove_if(unanswered.begin(), unanswered.end(),
                                    [&](const PaperFigure& f) { return !about(f); }),
                     unanswered.end());
    for (const Summary& summary : summaries) {
        const bool used =
            std::any_of(comparison.answers.begin(), comparison.answers.end(),
                        [&](const PaperAnswer& a) { return a.experiment == summary.name(); });
        if (!used || summary.sets().empty()) continue;
        comparison.notes.push_back(
            fmt::format("{} was run with --set {}, so that it may not compare", summary.name(),
                        fmt::join(summary.sets(), " --set ")));
    }
    return comparison;
}

std::string paper_table(const PaperComparison& comparison) {
    if (comparison.answers.empty()) {
        return "no figure of a paper can be read off these results\n";
    }
    TextTable table(
        {"figure", "what", "paper", "ours", "difference", "ours, total", "layers", "remark"});
    table.set_text_columns(2);
    for (const PaperAnswer& a : comparison.answers) {
        table.add({a.paper.id, a.what, number_cell(a.paper.value), number_cell(a.mean),
                   signed_cell(a.difference()), number_cell(a.total), std::to_string(a.layers),
                   a.remark});
    }
    table.set_last_is_text();
    std::string text =
        "the paper beside ours [%; ours: mean of the layers; total: from the sums over all "
        "layers]\n" +
        table.str();
    for (const std::string& note : comparison.notes) text += "  note: " + note + "\n";
    return text;
}

}  // namespace tessera
